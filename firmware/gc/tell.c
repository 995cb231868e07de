/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection after a power-up need not wait until the whole map has been read. Of a superblock that
 * it wants, and of which it is not known yet which units are valid (space/blocks_seen.h), the spare
 * words are read. They name the units that were programmed there, so that nothing but the entries
 * of these can point into it: the maps are asked for these first.
 *
 * Where the count is exact this ends as soon as all that it has was found, often before the last
 * page; a count of 0 needs no read at all. Where it is a guess every page has to be looked at, and
 * one that cannot be read leaves the superblock to wait for the whole map.
 */
#include "firmware/gc/gc.h"
#include "firmware/lib/bits.h"
#include "firmware/map/maps.h"
#include "firmware/space/blocks_boot.h"
#include "firmware/space/blocks_seen.h"
#include "firmware/space/spare.h"

static uint32_t* request_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->flash->links);
}

void gc_tell_begin(struct env* e, uint32_t block)
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
    const uint32_t block = flash_request_of(e, e->flash, request)->block;
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
        release(e, fifo_pop(&c->asking, request_links(e)));
    }
    FW_ASSERT(e, c->asked < e->geo->blocks);
    c->asked = INDEX_NONE;
    e->ftl->again = 1; /* what waits until nothing is asked for has had its turn in this round */
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
    struct flash_request* r = flash_request_of(e, e->flash, i);
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
    FW_ASSERT(e, (plane & ~e->geo->plane_all) == 0);
    return r->page == 0 && (words[0] & 0xFFu) == 0 &&
           (blocks_good_planes(e, r->block, r->lun) & plane) == 0;
}

/* Which planes have words to ask about, and which are to be read again, alone:
 * the retry level that suits one may not suit another. */
static void told(struct env* e, const struct flash_result* result)
{
    struct gc* c = e->gc;
    struct flash_request* r = flash_request_of(e, e->flash, result->request);
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
    fifo_push(&c->asking, request_links(e), result->request);
}

void gc_scan_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    FW_ASSERT(e, r->owner == OWNER_SCAN);
    if (r->purpose == FLASH_PURPOSE_SCAN) {
        gc_patrol_done(e, result);
    } else {
        told(e, result);
    }
}

/* true = the maps have told of every unit of the page. */
static bool all_told(struct env* e, uint32_t request)
{
    const struct flash_request* r = flash_request_of(e, e->flash, request);
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
        const uint32_t i = fifo_pop(&c->asking, request_links(e));
        struct flash_request* r = flash_request_of(e, e->flash, i);
        if (!all_told(e, i)) {
            fifo_push(&waiting, request_links(e), i);
        } else if (r->scan.again != 0) {
            r->plane_mask = (uint8_t)(r->scan.again & (0u - r->scan.again));
            r->scan.again &= r->scan.again - 1;
            flash_read_restart(r);
            flash_submit(e, i);
        } else {
            release(e, i);
        }
    }
    fifo_prepend(&c->asking, request_links(e), &waiting);
    FW_ASSERT(e, c->asking.count <= c->ask_reads);
}

enum gc_tell gc_tell(struct env* e)
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
        return GC_TELL_KNOWN;
    }
    if (c->ask_next < pages || c->ask_reads != 0) {
        return GC_TELL_WAIT;
    }
    end(e);
    /* Fewer than a count that is exact: what is missing may be in what could not be read. */
    if (c->ask_doubt != 0 || (s->flags & BLOCK_GUESSED) == 0) {
        blocks_doubt(e, block);
        return GC_TELL_NOTHING;
    }
    blocks_told(e, block);
    return GC_TELL_KNOWN;
}
