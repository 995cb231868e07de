/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_commit.h"

#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments_read.h"
#include "firmware/map/segments_spent.h"
#include "firmware/map/segments_wear.h"
#include "firmware/space/reserve.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"
#include "firmware/space/watch.h"

enum { AT_ONCE = 4 }; /* requests of one segment */

/* ---- Commits ---- */

static uint32_t take_request(struct env* e, uint32_t* buffer)
{
    struct segments* s = e->segments;
    const uint32_t i = flash_take(e, OWNER_SEGMENT);
    if (i == INDEX_NONE) {
        return i;
    }
    *buffer = fifo_pop(&s->buffer_free, env_dram(e, s->buffer_links));
    FW_ASSERT(e, *buffer != INDEX_NONE);
    flash_request_of(e, i)->segment_write.buffer = *buffer;
    return i;
}

static void free_request(struct env* e, uint32_t request)
{
    struct segments* s = e->segments;
    const uint32_t buffer = flash_request_of(e, request)->segment_write.buffer;
    FW_ASSERT(e, buffer < SEGMENT_REQUESTS);
    fifo_push_front(&s->buffer_free, env_dram(e, s->buffer_links), buffer);
    flash_free(e, request);
}

/* Copies a page of the segment: what it says now will be on the flash. */
static void copy_page(struct env* e, uint32_t slot, uint32_t i, uint64_t to)
{
    const struct geometry* g = e->geo;
    const struct segment_slot* at = segment_slot_of(e, slot);
    const uint64_t first = segment_first(e, at->segment) + (uint64_t)at->page * g->page_units;
    env_touch(e, env_dram(e, segment_home(e, slot, at->page)), g->page_size, false);
    env_touch(e, env_dram(e, to), g->page_size, true);
    mem_copy(env_dram(e, to), env_dram(e, segment_home(e, slot, at->page)), g->page_size);
    for (uint32_t s = 0; s < g->page_units; ++s) {
        const uint64_t data = to + ((uint64_t)s << g->unit_shift);
        const uint32_t check = spare_check(e, env_dram(e, data));
        flash_list(e, i)[s] = data;
        flash_oob(e, i)[1 + s] = spare_pack(SPARE_MAP, (UINT64_C(1) << 32) | (first + s)) |
                                 ((uint64_t)check << SPARE_CHECK_SHIFT);
        if (first + s < segment_end(e, at->segment)) {
            maps_clean(e, 1, first + s);
            const struct hmb_source source = {data, INDEX_NONE, check};
            hmb_renew(e, first + s, &source);
        }
    }
    spare_seal(e, flash_oob(e, i), 1,
               segments_tells_covers(e, at->page) ? at->covers + 1 : at->number);
    FW_ASSERT(e, (at->flags & SEGMENT_COMMITS) != 0);
}

/* The last page follows when all others are programmed: it tells that they are. */
static void program_pages(struct env* e, uint32_t slot)
{
    struct segments* s = e->segments;
    struct segment_slot* at = segment_slot_of(e, slot);
    const uint32_t pages = e->geo->pages;
    uint32_t buffer = 0;
    while (at->flight < AT_ONCE && at->page < pages && (at->page + 1 < pages || at->left == 1) &&
           !ftl_clearing(e)) {
        const uint32_t i = take_request(e, &buffer);
        if (i == INDEX_NONE) {
            return;
        }
        struct flash_request* r = flash_request_of(e, i);
        segments_address(e, r, at->target, at->page);
        r->op = FLASH_OP_PROGRAM;
        r->sg = true;
        r->oob = true;
        r->segment_write.slot = slot;
        copy_page(e, slot, i, s->buffers + (uint64_t)buffer * e->geo->page_size);
        ++at->page;
        ++at->flight;
        flash_submit(e, i);
    }
    FW_ASSERT(e, at->flight <= AT_ONCE);
}

/* Programs up to this one are in the segment, and power-up will find that one or a later one. */
static uint64_t covered(struct env* e, uint32_t n)
{
    const uint64_t settled = flash_settled(e);
    const uint64_t reached = flash_reached(e);
    if (e->segments->replaying != 0) {
        return segment_of(e, n)->covers;
    }
    return settled < reached ? settled : reached;
}

/* Takes a spare block for the commit, and begins. */
static void begin_pages(struct env* e, uint32_t slot)
{
    struct segments* s = e->segments;
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, at->target == INDEX_NONE && at->flight == 0);
    at->target = segments_take_erased(e, (at->flags & SEGMENT_COLD) != 0);
    if (at->target == INDEX_NONE) {
        return;
    }
    map_block_of(e, at->target)->state = MAP_BLOCK_FILLING;
    at->flags &= ~(uint32_t)SEGMENT_FAILED;
    at->number = ++s->number;
    at->covers = covered(e, at->segment);
    at->page = 0;
    at->left = e->geo->pages;
    program_pages(e, slot);
}

bool segments_commit(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, (at->flags & (SEGMENT_COMMITS | SEGMENT_LOADS)) == 0);
    if (e->segments->erased.count == 0 ||
        (e->segments->replaying > 1 && segments_outstanding(e, e->maps->out.order))) {
        return false;
    }
    at->flags |= SEGMENT_COMMITS;
    at->order = ++e->maps->out.order;
    at->target = INDEX_NONE;
    segments_busy(e, slot);
    begin_pages(e, slot);
    return true;
}

static void make_garbage(struct env* e, uint32_t block)
{
    FW_ASSERT(e, map_block_of(e, block)->state != MAP_BLOCK_BAD);
    map_block_of(e, block)->state = MAP_BLOCK_GARBAGE;
    fifo_push(&e->segments->garbage, segments_block_links(e), block);
}

/* A commit that is broken off leaves pages in its block. */
static void leave_target(struct env* e, const struct segment_slot* at)
{
    FW_ASSERT(e, at->flight == 0);
    if (at->segment != INDEX_NONE && (at->flags & SEGMENT_COMMITS) != 0 &&
        at->target != INDEX_NONE && map_block_of(e, at->target)->state != MAP_BLOCK_BAD) {
        make_garbage(e, at->target);
    }
}

void segments_clear(struct env* e)
{
    struct segments* s = e->segments;
    FW_ASSERT(e, s->lazy == 0 && s->derived == 0);
    for (uint32_t i = 0; i < s->slots; ++i) {
        leave_target(e, segment_slot_of(e, i));
    }
    for (uint32_t n = 0; n < s->count; ++n) {
        struct segment* g = segment_of(e, n);
        FW_ASSERT(e, g->pins == 0);
        if (g->block != INDEX_NONE && map_block_of(e, g->block)->state != MAP_BLOCK_BAD) {
            make_garbage(e, g->block);
        }
        g->number = s->number; /* whatever was committed is void */
        g->block = INDEX_NONE;
        g->covers = 0;
        g->wanted = 0;
        g->lost = 0;
    }
    s->moves_count = 0;
    s->count_next = s->count;
    segments_empty_slots(e);
}

static void end_commit(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    struct segment* g = segment_of(e, at->segment);
    FW_ASSERT(e, at->left == 0 && at->flight == 0);
    if (g->block != INDEX_NONE && map_block_of(e, g->block)->state != MAP_BLOCK_BAD) {
        make_garbage(e, g->block);
    }
    map_block_of(e, at->target)->state = MAP_BLOCK_HOLDS;
    map_block_of(e, at->target)->number = at->number;
    g->block = at->target;
    g->number = at->number;
    g->lost = 0;
    at->target = INDEX_NONE;
    at->flags &= ~(uint32_t)(SEGMENT_COMMITS | SEGMENT_COLD);
    segments_busy(e, slot);
    segments_note_spent(e);
}

/* A block is out of service. With few left the host may write no more; what it has written still
 * has to find a spare block. */
static void retire(struct env* e, uint32_t block, uint32_t why)
{
    struct segments* s = e->segments;
    struct map_block* b = map_block_of(e, block);
    FW_ASSERT(e, b->state != MAP_BLOCK_BAD && s->good != 0);
    b->state = MAP_BLOCK_BAD;
    --s->good;
    ++e->telemetry->bad_blocks;
    ++e->telemetry->retired[why];
    segments_count_erases(e);
    if (s->good < s->count + MAP_BLOCKS_LEAST && e->telemetry->read_only == 0) {
        hal_log(e->hal, HAL_LOG_WARN, "map blocks used up: read only; left, segments", s->good,
                s->count);
        e->telemetry->read_only = 1;
    }
    segments_note_spent(e);
}

void segments_advance(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, (at->flags & SEGMENT_BUSY) != 0);
    if ((at->flags & SEGMENT_LOADS) != 0) {
        segments_read_on(e, slot);
    } else if ((at->flags & SEGMENT_COMMITS) != 0) {
        if (at->target == INDEX_NONE) {
            begin_pages(e, slot);
        } else if ((at->flags & SEGMENT_FAILED) == 0) {
            program_pages(e, slot);
        }
    } else if (segment_of(e, at->segment)->pins == 0) {
        if (e->segments->derived != 0) {
            segments_wash(e, slot);
        }
        if (!segments_dirty(e, slot)) {
            segments_drop(e, slot);
        } else {
            (void)segments_commit(e, slot);
        }
    }
}

static void program_done(struct env* e, uint32_t slot, int failed)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, (at->flags & SEGMENT_COMMITS) != 0 && at->flight != 0);
    --at->flight;
    if (failed && (at->flags & SEGMENT_FAILED) == 0) {
        at->flags |= SEGMENT_FAILED;
        retire(e, at->target, RETIRE_PROGRAM);
    }
    at->left -= failed ? 0u : 1u;
    if ((at->flags & SEGMENT_FAILED) != 0) {
        if (at->flight == 0) {
            at->target = INDEX_NONE;
            begin_pages(e, slot);
        }
    } else if (at->left == 0) {
        end_commit(e, slot);
    } else {
        program_pages(e, slot);
    }
}

void segments_erase(struct env* e)
{
    struct segments* s = e->segments;
    uint32_t buffer = 0;
    while (s->garbage.count != 0 && flash_may_erase(e) && !ftl_clears(e)) {
        const uint32_t i = take_request(e, &buffer);
        if (i == INDEX_NONE) {
            return;
        }
        const uint32_t block = fifo_pop(&s->garbage, segments_block_links(e));
        struct flash_request* r = flash_request_of(e, i);
        segments_address(e, r, block, 0);
        r->op = FLASH_OP_ERASE;
        r->length = 0;
        r->segment_write.block = block;
        flash_erase_begins(e);
        flash_submit(e, i);
    }
}

void segments_done(struct env* e, const struct flash_result* result)
{
    struct segments* s = e->segments;
    const struct flash_request r = *flash_request_of(e, result->request);
    const bool failed = result->status != FLASH_STATUS_OK;
    FW_ASSERT(e, r.owner == OWNER_SEGMENT);
    free_request(e, result->request);
    if (r.op == FLASH_OP_PROGRAM) { /* whether the commit comes to its end or not */
        e->telemetry->map_units_written += e->geo->page_units;
        program_done(e, r.segment_write.slot, failed);
        return;
    }
    struct map_block* b = map_block_of(e, r.segment_write.block);
    FW_ASSERT(e, b->state == MAP_BLOCK_GARBAGE);
    flash_erase_ends(e);
    if (failed) {
        retire(e, r.segment_write.block, RETIRE_ERASE);
        return;
    }
    b->state = MAP_BLOCK_ERASED;
    b->number = 0;
    ++b->erases;
    ++s->erases;
    segments_count_erases(e);
    blocks_forget_block(e, b->block, b->lun, b->plane);
    fifo_push(&s->erased, segments_block_links(e), r.segment_write.block);
}
