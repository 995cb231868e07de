/* SPDX-License-Identifier: Apache-2.0
 *
 * Pace: host writes and collection keep step.
 *
 * Before the host has filled what it may still write - the rest of its superblock and the free
 * ones beyond the reserve - collection must have freed one superblock more than it has filled.
 * The units to be moved for that, over the units of that room, are moved per host unit. The more
 * room is left, the slower collection goes; as room runs out the host slows down with it, write
 * unit by write unit, instead of waiting for a whole victim at the end.
 *
 * Which of the two opens its next superblock first does not matter: the host may take the last
 * free one while the victim's units still fit into the one that collection has open.
 *
 * Effort: with hardly a spare block left collection gains less than its own padding, checkpoints
 * and wear levelling take, for as long as it tries. So it tries no longer than the host gives it
 * reason to: each unit that the host changes pays for two victims, each of which gains a unit.
 * Three passes over the drive without that are enough. After the first one nothing is levelled, and
 * refreshes get no more room than there is; after the second the marks are what maps and what moves
 * take; after the third all stays as it is. Whoever waits for room then gets one more pass before
 * it is known that there is none.
 */
#include "firmware/gc/pace.h"

#include "firmware/gc/gc.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_frames.h"
#include "firmware/ops/passes.h"
#include "firmware/slc/policy.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/lanes.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/planes.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/gc.h"
#include "models/regs/parts/slc.h"

enum {
    RATIO_ONE = 256, /* ratios and the debt are in 1/256 unit */
    RATIO_MOST = 64 * RATIO_ONE,
    RATIO_CHEAP = RATIO_ONE / 2,
    VICTIMS_MOST = 64, /* bounds the search when nearly all data of the victims are valid */
    LATE_SHARE = 8,    /* of a superblock: what the host writes while a victim is erased */
    SLACK_SHARE = 16,  /* of a superblock, at least */
    LAZINESS = 2,      /* starts at half the even pace: later, fewer units are valid */
    DEBT_STRIPES = 2,  /* one to keep every LUN busy, one to be read meanwhile */
    PASS_ALL = 2,      /* passes left above which the marks are as they were asked for ... */
    PASS_MARKS = 1,    /* ... and those above which there are marks of the host's */
    PASS_MOST = 3,
    EFFORT_UNIT = 2,
    PATIENCE = 8 /* turns of the maps for each unit that collection may have read before */
};

/* ---- Effort ---- */

/* More than that many passes over the drive may still be made. */
static bool has_passes(const struct env* e, uint32_t passes)
{
    return e->gc->effort > passes * e->geo->blocks;
}

bool gc_thrives(const struct env* e)
{
    return has_passes(e, PASS_ALL);
}

/* The host has changed so many units. */
static void stir(struct env* e, uint64_t units)
{
    struct gc* c = e->gc;
    const uint64_t most = (uint64_t)PASS_MOST * e->geo->blocks;
    const uint64_t effort = c->effort + EFFORT_UNIT * units;
    if (c->effort < most) {
        run_due(e, DUE_GC); /* it may be worth while again */
    }
    c->effort = (uint32_t)(effort < most ? effort : most);
    c->roused = 0;
}

void gc_stirred(struct env* e, uint64_t units)
{
    stir(e, units);
    run_due(e, DUE_GC); /* there is more garbage */
}

/* A drive that is read only wants no more room than its maps and what moves take. */
uint32_t gc_mark(const struct env* e, uint32_t mark)
{
    const bool spent = e->telemetry->read_only != 0 && e->gc_asks->at_rest(e);
    if (e->gc->effort == 0) {
        return 0;
    }
    return spent || !has_passes(e, PASS_MARKS) ? blocks_set_aside(e) : mark;
}

bool gc_rouse(struct env* e)
{
    struct gc* c = e->gc;
    if (c->roused != 0 || has_passes(e, PASS_MARKS)) {
        return false;
    }
    c->effort = PASS_ALL * e->geo->blocks;
    c->roused = 1;
    return true;
}

/* ---- Marks ---- */

/* As asked for, but three quarters of the spare blocks that are not open at most: the last ones
 * cost the more to collect the fewer are left. */
static void set_marks_of_planes(struct env* e, uint32_t low_permille)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const uint64_t whole = (uint64_t)g->pages * g->page_units;
    const uint64_t used = g->user_units + ftl_layout_of(e)->overhead(e) + blocks_overhead(e);
    const uint64_t spare =
        blocks_capacity(e) > used ? (blocks_capacity(e) - used) / whole / planes_count(e) : 0;
    const uint32_t streams = planes_streams(e);
    const uint32_t most = spare > streams ? (uint32_t)(spare - streams) * 3 / 4 : 0;
    planes_set_kept(e, blocks_for_maps(e));
    c->low = (uint32_t)((uint64_t)g->part.blocks * low_permille / 1000);
    c->high = (uint32_t)((uint64_t)g->part.blocks * e->told.gc->high_permille / 1000);
    c->low = c->low > most ? most : c->low;
    c->high = c->high > most ? most : c->high;
    c->low =
        c->low <= planes_kept(e) ? planes_kept(e) + 1 : c->low; /* before the host has to wait */
    c->high = c->high < c->low ? c->low : c->high;
    planes_set_low(e, c->low);
    gc_stirred(e, UINT32_MAX);
}

/* The marks as asked for, but never so high that collection would chase space that user data
 * occupy: free superblocks at rest cannot exceed the spare ones. */
static void set_marks(struct env* e, uint32_t low_permille)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    if (planes_own(e)) {
        set_marks_of_planes(e, low_permille);
        return;
    }
    const uint64_t whole = (uint64_t)g->luns * g->pages * g->group;
    const uint64_t capacity = blocks_capacity(e);
    const uint64_t used = g->user_units + ftl_layout_of(e)->overhead(e);
    /* What streams of the host have open is not free, whatever is collected. */
    const uint64_t unused = capacity > used ? (capacity - used) / whole : 0;
    const uint64_t spare = unused > blocks_directed(e) ? unused - blocks_directed(e) : 0;
    const uint32_t low_most = spare / 4 > 2 ? (uint32_t)(spare / 4) : 2;
    const uint32_t high_most = spare / 2 > low_most ? (uint32_t)(spare / 2) : low_most + 1;
    /* What has to be rewritten in time must not wait for the first superblock to be erased. */
    const uint32_t rewrites = retention_on(e) ? RESERVE_REFRESH + 1 : 0;
    const uint32_t least = blocks_set_aside(e) + 1 + rewrites + lanes_window(e) +
                           (slc_on(e) ? RESERVE_FOLD : 0) +
                           (e->geo->word_line != 0 ? RESERVE_PASSES : 0);
    const uint64_t blocks = slc_outside(e);
    c->low = (uint32_t)(blocks * low_permille / 1000);
    c->high = (uint32_t)(blocks * e->told.gc->high_permille / 1000);
    c->low = c->low < 2 ? 2 : c->low;
    c->low = c->low > low_most ? low_most : c->low;
    c->high = c->high > high_most ? high_most : c->high;
    /* Before the host has to leave what is left to collection and maps. */
    c->low = c->low < least ? least : c->low;
    c->high = c->high <= c->low ? c->low + 1 : c->high;
    c->wear_wait = 2;
    gc_stirred(e, UINT32_MAX);
    c->usual = (uint32_t)(whole * g->user_units / (capacity != 0 ? capacity : 1));
    FW_ASSERT(e, c->low < c->high);
}

void gc_set_marks(struct env* e)
{
    set_marks(e, e->told.gc->low_permille);
}

void gc_set_marks_least(struct env* e)
{
    set_marks(e, 0);
}

/* ---- Pace ---- */

static uint64_t superblock_units(const struct env* e)
{
    return (uint64_t)e->geo->luns * e->geo->pages * e->geo->group;
}

/* Units of the victim that collection has yet to program. */
static uint64_t victim_left(struct env* e)
{
    const struct gc* c = e->gc;
    const struct superblock* s = superblock_of(e, e->blocks, c->victim);
    return (s->valid > s->pending ? s->valid - s->pending : 0) + (c->units - c->free.count);
}

/* A block may go bad before the victim is through, and the next victims may hold more than the
 * last one did. */
void gc_pace_init(struct env* e)
{
    const uint64_t block = (uint64_t)e->geo->pages * e->geo->page_units;
    const uint64_t share = superblock_units(e) / SLACK_SHARE;
    /* Where units go to pages of their own bin the last one of each may be short (program.c). */
    const uint64_t row = lanes_keyed(e) ? (uint64_t)e->geo->luns * e->geo->group : 0;
    e->gc->slack = (block > share ? block : share) + row;
}

bool gc_fits(struct env* e, uint64_t units)
{
    return blocks_room(e, STREAM_GC) >= units + e->gc->slack;
}

uint32_t gc_reserve(struct env* e)
{
    const struct gc* c = e->gc;
    /* What collection frees for a refresh that waits is not the host's, if it can free anything. */
    const uint32_t waits =
        c->refresh_waits != 0 && c->futile != blocks_invalidations(e) && gc_thrives(e);
    const uint32_t maps = blocks_for_maps(e) + (waits != 0 ? RESERVE_REFRESH + 1 : 0);
    if (c->victim == INDEX_NONE) {
        return maps + RESERVE_FREE;
    }
    const bool fits = gc_fits(e, victim_left(e));
    switch (c->kind) {
    case GC_GARBAGE:
        return maps + (fits ? 0 : RESERVE_FREE);
    case GC_REFRESH:
        return maps + RESERVE_FREE + RESERVE_REFRESH;
    case GC_FOLD: /* what it fills gives nothing back to those that it fills */
        return maps + RESERVE_FREE + (fits ? 0 : RESERVE_FOLD);
    default:
        return maps + RESERVE_FREE;
    }
}

/* Room that counts as such: a stream whose planes are apart goes on with another superblock long
 * before its last one is full (space/lanes.h). */
static uint64_t room_of(struct env* e, uint32_t stream)
{
    const uint64_t room = blocks_room(e, stream);
    const uint64_t behind = lanes_window(e) * superblock_units(e);
    return room > behind ? room - behind : 0;
}

/* Units to be moved until collection has gained that many superblocks. */
static uint64_t work_left(struct env* e, uint64_t gain)
{
    const struct gc* c = e->gc;
    const uint64_t whole = superblock_units(e);
    const uint64_t left = room_of(e, STREAM_GC);
    const uint64_t room = left > c->slack ? left - c->slack : 0;
    /* A victim of wear levelling or refresh fills as much as it frees. */
    const uint64_t extra = c->kind != GC_GARBAGE ? victim_left(e) : 0;
    uint64_t work = c->kind != GC_GARBAGE ? c->usual : victim_left(e);
    for (uint32_t n = 1; n < VICTIMS_MOST; ++n) {
        const uint64_t opens = work > room ? (work - room + whole - 1) / whole : 0;
        if (opens + gain <= n) {
            break;
        }
        work += c->usual;
    }
    return work + extra;
}

/* What keeps free space as it is, and a quarter more, so that it rises to the high mark: wear
 * levelling chooses among free superblocks. Only while that is cheap. */
static uint64_t ratio_least(struct env* e)
{
    const uint64_t whole = superblock_units(e);
    const uint64_t valid = e->gc->usual;
    const uint64_t even = valid < whole ? valid * RATIO_ONE * 5 / 4 / (whole - valid) : RATIO_CHEAP;
    return even < RATIO_CHEAP ? even : RATIO_CHEAP;
}

/* Units to be moved per host unit, in 1/256. The work is to be done when only the room for the
 * erase is left; what cannot be done by then is done as fast as possible. */
static uint64_t ratio_of(struct env* e)
{
    const uint64_t whole = superblock_units(e);
    const uint64_t late = whole / LATE_SHARE;
    const uint64_t coming = slc_coming(e);
    const uint64_t reserve = gc_reserve(e);
    const uint64_t kept = coming < reserve ? coming : reserve;
    const uint64_t room = room_of(e, STREAM_HOST) + (coming - kept) * whole;
    const uint64_t until = room > late + late / 4 ? room - late : late / 4 + 1;
    const uint64_t free = blocks_set_aside(e); /* that are to be left in the end */
    const uint64_t taken = kept < free ? free - kept : 0;
    const uint64_t work = work_left(e, 1 + taken + e->gc->wear_waits + e->gc->refresh_waits);
    const uint64_t lazy = work * RATIO_ONE / (LAZINESS * until) + 1;
    const uint64_t least = ratio_least(e);
    const uint64_t ratio = lazy > least ? lazy : least;
    return ratio > RATIO_MOST ? RATIO_MOST : ratio;
}

/* The rest of the drive wants back what has turned. */
bool gc_cache_gives_way(const struct env* e)
{
    return slc_wanted_back(e, e->gc->high);
}

static uint64_t fold_ratio(struct env* e)
{
    if (gc_cache_gives_way(e)) {
        return RATIO_ONE;
    }
    return slc_policy_of(e)->presses(e)
               ? (uint64_t)e->told.slc->drain_permille * RATIO_ONE / PERMILLE
               : 0;
}

/* What goes to the SLC cache takes no room from the rest. What is folded beside it does, but has
 * its room already. */
static uint64_t ratio_at(struct env* e, uint32_t block)
{
    if (e->gc->kind == GC_FOLD) {
        return fold_ratio(e);
    }
    return slc_holds(e, block) ? 0 : ratio_of(e);
}

void gc_host_wrote(struct env* e, uint32_t block, uint32_t units)
{
    struct gc* c = e->gc;
    stir(e, units);
    gc_heeds_host(e);
    if (c->victim != INDEX_NONE) {
        c->debt += (int64_t)units * (int64_t)ratio_at(e, block);
    }
    if (c->victim != INDEX_NONE || slc_on(e)) { /* or its cache is fuller */
        run_due(e, DUE_GC);
    }
}

/* So far host and collection may be apart. */
static int64_t debt_most(const struct env* e)
{
    return (int64_t)DEBT_STRIPES * e->geo->luns * e->geo->group * RATIO_ONE;
}

void gc_moves(struct env* e, uint32_t units)
{
    struct gc* c = e->gc;
    c->debt -= (int64_t)units * RATIO_ONE;
    /* What was done while the host was idle is not held against later writes for long. */
    c->debt = c->debt < -debt_most(e) ? -debt_most(e) : c->debt;
}

void gc_moves_back(struct env* e, uint32_t units)
{
    e->gc->debt += (int64_t)units * RATIO_ONE;
}

/* Where free superblocks are scarce garbage waits for it to end. */
static bool fold_due(struct env* e)
{
    return blocks_free(e) < gc_mark(e, e->gc->low) || slc_rests(e);
}

/* Where map pages pass: collection is as far ahead as it may be. The host's data wait for pages of
 * the map that are on their way, and would have to wait for room in it that collection takes
 * meanwhile. Not for ever: it may be collection that they need. Then it fills its buffers once, and
 * heeds the host again. */
static bool host_comes(struct env* e)
{
    return maps_passing(e->maps) && e->gc->debt == -debt_most(e) && maps_go_on(e) &&
           e->gc_asks->lacks_map(e) && maps_turns(e) - e->gc->heard < PATIENCE * e->gc->units;
}

void gc_heeds_host(struct env* e)
{
    e->gc->heard = maps_turns(e);
}

bool gc_due(struct env* e)
{
    if (e->gc->debt > 0 || e->gc->victim == retention_hurried(e)) {
        return true;
    }
    if (e->gc->busy != 0) {
        return false;
    }
    /* The host programs nothing but what waits for its fine pass. */
    return e->gc->kind == GC_FOLD
               ? fold_due(e)
               : flash_owned(e, OWNER_PROGRAM) == passes_host(e) && !host_comes(e);
}

void gc_host_never_rests(struct env* e, bool busy)
{
    e->gc->busy = busy ? 1 : 0;
}

bool gc_owes(const struct env* e)
{
    return e->gc->debt > 0;
}

void gc_host_waits(struct env* e)
{
    e->gc->debt = debt_most(e);
}

bool gc_behind(struct env* e)
{
    FW_ASSERT(e, e->gc->debt >= -debt_most(e));
    return e->gc->victim != INDEX_NONE && e->gc->debt >= debt_most(e);
}
