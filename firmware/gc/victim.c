/* SPDX-License-Identifier: Apache-2.0
 *
 * Which superblock is collected: for its garbage, for wear levelling, because its data are about to
 * be lost or it has a block that failed (space/watch.c finds them).
 *
 * After a power-up collection need not wait until the whole map has been read. Of a superblock that
 * it wants, and of which it is not known yet which units are valid (space/valid.h), the spare
 * words are read. They name the units that were programmed there, so that nothing but the entries
 * of these can point into it: the maps are asked for these first. Where the count is exact this
 * ends as soon as all that it has was found, often before the last page; a count of 0 needs no read
 * at all. Where it is a guess every page has to be looked at, and one that cannot be read leaves
 * the superblock to wait for the whole map.
 */
#include "firmware/gc/victim.h"

#include "firmware/gc/pace.h"
#include "firmware/gc/patrol.h"
#include "firmware/gc/policy.h"
#include "firmware/gc/state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_reads.h"
#include "firmware/slc/policy.h"
#include "firmware/space/bad.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"
#include "firmware/space/wear.h"
#include "models/regs/parts/gc.h"
#include "models/regs/parts/slc.h"

enum { WATCH_STEPS = 64 };

/* ---- What is valid in a superblock, before all maps have been read ---- */

/* Of one superblock at a time. */
enum tell { TELL_WAIT = 0, TELL_KNOWN = 1, TELL_NOTHING = 2 };

static void tell_begin(struct env* e, uint32_t block)
{
    struct gc* c = e->gc;
    FW_ASSERT(e, c->asked == INDEX_NONE && c->asking.count == 0);
    FW_ASSERT(e, blocks_tellable(superblock_of(e, e->blocks, block)));
    c->asked = block;
    c->ask_next = 0;
    c->ask_doubt = 0;
}

static void release(struct env* e, uint32_t request)
{
    const uint32_t block = flash_request_of(e, request)->block;
    FW_ASSERT(e, e->gc->ask_reads > 0);
    --e->gc->ask_reads;
    flash_free(e, request);
    blocks_unread(e, block);
}

/* Reads under way come back to nobody. */
static void end(struct env* e)
{
    struct gc* c = e->gc;
    while (c->asking.count != 0) {
        release(e, fifo_pop(&c->asking, flash_links(e)));
    }
    c->asked = INDEX_NONE;
    ftl_ask_again(e); /* what waits until nothing is asked for has had its turn in this round */
}

/* The spare words of a page, of all planes at once. false = that has to wait. */
static bool read_page(struct env* e, uint32_t page, uint32_t lun)
{
    struct gc* c = e->gc;
    const uint32_t planes = e->geo->plane_all & ~blocks_hidden(e, c->asked, lun);
    const uint32_t i = planes != 0 ? flash_take(e, OWNER_SCAN) : 0;
    if (planes == 0 || i == INDEX_NONE) {
        return planes == 0;
    }
    struct flash_request* r = flash_request_of(e, i);
    r->op = FLASH_OP_READ;
    r->purpose = FLASH_PURPOSE_RECOVERY;
    r->priority = 2;
    r->plane_mask = (uint8_t)planes;
    r->lun = (uint16_t)lun;
    r->block = c->asked;
    r->page = page;
    r->column = 0;
    r->length = 0;
    r->oob = true;
    r->scan.again = 0;
    ++superblock_of(e, e->blocks, r->block)->readers;
    ++c->ask_reads;
    flash_submit(e, i);
    return true;
}

/* true = a page of a block that came bad: the maker's mark. */
static bool is_mark(struct env* e, const struct flash_request* r, uint32_t plane,
                    const uint64_t* words)
{
    return r->page == 0 && (words[0] & 0xFFu) == 0 &&
           (blocks_good_planes(e, r->block, r->lun) & plane) == 0;
}

/* Which planes have words to ask about, and which are to be read again, alone:
 * the retry level that suits one may not suit another. */
static void told(struct env* e, const struct flash_result* result)
{
    struct gc* c = e->gc;
    struct flash_request* r = flash_request_of(e, result->request);
    const uint64_t* words = flash_oob(e, result->request);
    const bool alone = (r->plane_mask & (r->plane_mask - 1)) == 0;
    FW_ASSERT(e, r->owner == OWNER_SCAN && r->purpose == FLASH_PURPOSE_RECOVERY);
    if (r->block != c->asked) {
        release(e, result->request);
        return;
    }
    r->scan.told = 0;
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, words += spare_words(e->geo)) {
        const uint32_t plane = rest & (0u - rest);
        const bool failed = (result->plane_fail & plane) != 0;
        uint64_t sequence = 0;
        if (failed && !alone) {
            r->scan.again |= plane;
        } else if (!failed && spare_read(e, words, &sequence)) {
            r->scan.told |= plane;
        } else if (failed || (words[0] != UINT64_MAX && !is_mark(e, r, plane, words))) {
            c->ask_doubt = 1; /* nobody knows what it holds */
        }
    }
    fifo_push(&c->asking, flash_links(e), result->request);
}

void gc_scan_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    if (r->purpose == FLASH_PURPOSE_SCAN) {
        gc_patrol_done(e, result);
    } else {
        told(e, result);
    }
}

/* true = the maps have told of every unit of the page. */
static bool all_told(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, request);
    const uint64_t* words = flash_oob(e, request);
    bool all = true;
    FW_ASSERT(e, (r->scan.told & ~(uint32_t)r->plane_mask) == 0);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, words += spare_words(e->geo)) {
        for (uint32_t s = 0; s < e->geo->page_units && (r->scan.told & rest & (0u - rest)) != 0;
             ++s) {
            all &= maps_told(e, words[1 + s]);
        }
    }
    return all;
}

/* Looks at the words that were read, in order, for as long as the maps can be asked more. */
static void ask(struct env* e)
{
    struct gc* c = e->gc;
    struct fifo waiting;
    fifo_init(&waiting);
    while (c->asking.count != 0 && maps_may_tell(e)) {
        const uint32_t i = fifo_pop(&c->asking, flash_links(e));
        struct flash_request* r = flash_request_of(e, i);
        if (!all_told(e, i)) {
            fifo_push(&waiting, flash_links(e), i);
        } else if (r->scan.again != 0) {
            r->plane_mask = (uint8_t)(r->scan.again & (0u - r->scan.again));
            r->scan.again &= r->scan.again - 1;
            flash_read_restart(r);
            flash_submit(e, i);
        } else {
            release(e, i);
        }
    }
    fifo_prepend(&c->asking, flash_links(e), &waiting);
}

static enum tell tell(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t block = c->asked;
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint32_t pages = e->geo->pages * e->geo->luns;
    FW_ASSERT(e, s->state == BLOCK_FULL && s->pending == 0);
    ask(e);
    while (!blocks_known(s) && c->ask_next < pages &&
           read_page(e, c->ask_next / e->geo->luns, c->ask_next % e->geo->luns)) {
        ++c->ask_next;
    }
    if (blocks_known(s)) {
        end(e);
        return TELL_KNOWN;
    }
    if (c->ask_next < pages || c->ask_reads != 0) {
        return TELL_WAIT;
    }
    end(e);
    /* Fewer than a count that is exact: what is missing may be in what could not be read. */
    if (c->ask_doubt != 0 || (s->flags & BLOCK_GUESSED) == 0) {
        blocks_doubt(e, block);
        return TELL_NOTHING;
    }
    blocks_told(e, block);
    return TELL_KNOWN;
}

/* ---- Garbage ---- */

/* L is looked at again when it has counted as much as matters. Until nothing is over the threshold
 * any more it is looked at each time. */
static uint32_t watched_victim(struct env* e)
{
    struct gc* c = e->gc;
    const uint64_t step = 1 + (uint64_t)e->geo->luns * e->geo->pages * e->geo->group / WATCH_STEPS;
    if (blocks_invalidations(e) - c->watched < step) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, e->told.gc->invalid_permille);
    if (victim == INDEX_NONE) {
        c->watched = blocks_invalidations(e);
    }
    return victim;
}

static uint32_t wanted_victim(struct env* e)
{
    struct gc* c = e->gc;
    if (!c->active) {
        return e->told.gc->invalid_permille != 0 ? watched_victim(e) : INDEX_NONE;
    }
    if (c->futile == blocks_invalidations(e)) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, 0);
    c->futile = victim == INDEX_NONE ? blocks_invalidations(e) : c->futile;
    return victim;
}

/* What is wanted is taken once it is known what is valid in it. */
uint32_t gc_garbage_victim(struct env* e)
{
    struct gc* c = e->gc;
    for (uint32_t left = e->geo->blocks; left != 0; --left) {
        if (c->asked == INDEX_NONE) {
            const uint32_t victim = wanted_victim(e);
            if (victim == INDEX_NONE || blocks_known(superblock_of(e, e->blocks, victim))) {
                return victim;
            }
            tell_begin(e, victim);
        }
        const uint32_t asked = c->asked;
        const enum tell found = tell(e);
        if (found == TELL_WAIT) {
            break;
        }
        if (found == TELL_KNOWN && gc_gain(e, asked) != 0) {
            return c->active || e->told.gc->invalid_permille != 0 ? asked : INDEX_NONE;
        }
    }
    return INDEX_NONE;
}

/* ---- Wear levelling, refresh ---- */

/* The coldest data lie in the full superblock with the fewest erases. */
static uint32_t coldest(struct env* e)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    uint32_t best = INDEX_NONE;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        if (t[i].state == BLOCK_FULL && t[i].pending == 0 && (t[i].flags & BLOCK_SLC) == 0 &&
            (best == INDEX_NONE || t[i].erases < t[best].erases)) {
            best = i;
        }
    }
    return best;
}

static bool wear_due(struct env* e)
{
    struct gc* c = e->gc;
    const struct erase_counts* s = wear_of_superblocks(e);
    FW_ASSERT(e, s->blocks == 0 || s->max >= s->min);
    c->wear_waits = 0;
    if (wear_delta(e) == 0 || s->blocks == 0 || e->telemetry->read_only != 0 || !gc_thrives(e) ||
        s->max - s->min <= wear_delta(e)) {
        return false;
    }
    /* Every erase of the drive counts once, spread over its superblocks. */
    if (s->sum - c->erase_stamp < (uint64_t)c->wear_wait * e->geo->luns * e->geo->planes) {
        return false;
    }
    const uint32_t least = blocks_least_erases(e);
    if (least == INDEX_NONE || s->max < least || s->max - least <= wear_delta(e)) {
        return false;
    }
    /* Where a superblock is one block, or the map is paged, it takes as much of the reserve as a
     * collection does: what it moves may have as many map pages written. Word lines of two passes
     * have another reserve there. */
    const bool maps = geometry_narrow(e->geo) || maps_paged(e->maps) || e->geo->word_line != 0;
    const uint32_t reserved = RESERVE_FREE + (maps ? blocks_for_maps(e) : 0);
    c->wear_waits = blocks_free(e) <= reserved;
    return !c->wear_waits;
}

uint32_t gc_wear_victim(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t cold = wear_due(e) ? coldest(e) : INDEX_NONE;
    c->erase_stamp = cold != INDEX_NONE ? wear_of_superblocks(e)->sum : c->erase_stamp;
    return cold;
}

uint32_t gc_refresh_victim(struct env* e)
{
    struct gc* c = e->gc;
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    c->refresh_waits = retention_looked_at(e) != INDEX_NONE && c->rewrite.waits != 0;
    if (blocks_stale(e) == 0 || e->telemetry->read_only != 0) {
        return INDEX_NONE;
    }
    for (uint32_t n = 0; n < e->geo->blocks; ++n) {
        const uint32_t i = (c->refresh_next + n) % e->geo->blocks;
        if ((t[i].flags & BLOCK_STALE) == 0 || t[i].state != BLOCK_FULL || t[i].pending != 0) {
            continue;
        }
        /* It fills as much as it frees, or more where blocks fail: room for two, and the host's. */
        if (blocks_free(e) <= blocks_set_aside(e) + RESERVE_REFRESH) {
            c->refresh_waits = 1;
            return INDEX_NONE;
        }
        c->refresh_next = i + 1 == e->geo->blocks ? 0 : i + 1;
        return i;
    }
    return INDEX_NONE;
}

bool gc_moves_itself(struct env* e, uint32_t block)
{
    return ftl_layout_of(e)->moves(e, block);
}

/* ---- Folding ---- */

/* Collection goes on with what it keeps after the units of the superblock have left it. */
static bool has_room(struct env* e, uint32_t block)
{
    const uint32_t valid = superblock_of(e, e->blocks, block)->valid;
    return valid == 0 || gc_fits(e, valid) || blocks_free(e) > gc_reserve(e);
}

static bool wanted(struct env* e)
{
    const struct slc_policy_ops* policy = slc_policy_of(e);
    return gc_cache_gives_way(e) || policy->presses(e) || (slc_rests(e) && policy->rests(e));
}

bool gc_fold_first(struct env* e)
{
    return gc_cache_gives_way(e);
}

/* Once all that is full has left, what is open of it leaves too. */
static uint32_t last_one(struct env* e)
{
    if (!slc_sleeps(e) || !slc_policy_of(e)->rests(e)) {
        return INDEX_NONE;
    }
    slc_close(e);
    return slc_oldest(e, e->gc->high);
}

uint32_t gc_fold_victim(struct env* e)
{
    if (e->telemetry->read_only != 0 || !wanted(e)) {
        return INDEX_NONE;
    }
    const uint32_t full = slc_oldest(e, e->gc->high);
    const uint32_t block = full != INDEX_NONE ? full : last_one(e);
    return block != INDEX_NONE && has_room(e, block) ? block : INDEX_NONE;
}

/* The dynamic part is smaller than it may be, and only garbage is in its way. Effort bounds it as
 * it does what space asks for. */
uint32_t gc_reclaim_victim(struct env* e)
{
    struct gc* c = e->gc;
    if (!slc_lacks(e) || !slc_rests(e) || !gc_thrives(e) || e->telemetry->read_only != 0 ||
        c->reclaimed == blocks_invalidations(e)) {
        return INDEX_NONE;
    }
    const uint32_t victim = gc_choose(e, INDEX_NONE, e->told.slc->reclaim_permille);
    c->reclaimed = victim == INDEX_NONE ? blocks_invalidations(e) : c->reclaimed;
    c->effort -= victim != INDEX_NONE ? 1u : 0u;
    return victim;
}
