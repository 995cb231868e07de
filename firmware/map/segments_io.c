/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments: the way from and to the flash. A page is copied before it is programmed, so that the
 * segment may change meanwhile; what changed after its copy is dirty again.
 */
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/asks.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments_fetch.h"
#include "firmware/space/blocks.h"
#include "firmware/space/spare.h"

enum { AT_ONCE = 4 }; /* requests of one segment */

static uint32_t* block_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->segments->block_links);
}

static uint64_t first_page(const struct env* e, uint32_t n)
{
    return (uint64_t)n * e->maps->segment;
}

/* Where flash page `page` of what the slot holds lies in memory. */
static uint64_t home_of(const struct env* e, uint32_t slot, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return e->maps->level[1].home +
           (((uint64_t)slot * e->maps->segment + (uint64_t)page * e->geo->page_units)
            << e->geo->unit_shift);
}

void segments_address(struct env* e, struct flash_request* r, uint32_t block, uint32_t page)
{
    const struct map_block* b = map_block_of(e, block);
    r->purpose = (uint8_t)ftl_purpose(e, FLASH_PURPOSE_MAP);
    r->priority = 2;
    r->plane_mask = (uint8_t)(1u << b->plane);
    r->lun = b->lun;
    r->block = b->block;
    r->page = page;
    r->column = 0;
    r->length = e->geo->page_size;
    r->metadata = true;
    FW_ASSERT(e, page < e->geo->pages);
}

/* Page 0 has what the commit covers where the others have its number. */
static bool tells_covers(const struct env* e, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return page == 0 && e->geo->pages > 1;
}

/* ---- Loading ---- */

/* true = the page has been read, or is being read. Behind the last one of the map nobody looks, so
 * those are read in order. */
static bool is_read(struct env* e, const struct segment_slot* at, uint32_t page)
{
    const uint64_t first = first_page(e, at->segment) + (uint64_t)page * e->geo->page_units;
    FW_ASSERT(e, page < e->geo->pages);
    return first < segment_end(e, at->segment) &&
           (*maps_flags(e, e->maps, 1, first) & (MAP_RESIDENT | MAP_LOADING)) != 0;
}

/* The next page to be read: the one that somebody waits for, else in order. INDEX_NONE = none now.
 */
static uint32_t next_read(struct env* e, struct segment_slot* at)
{
    const uint32_t pages = e->geo->pages;
    FW_ASSERT(e, at->number <= pages);
    if (ftl_voids(e) && at->left == pages) {
        /* What page 0 tells of the commit is needed to check the others. */
        return is_read(e, at, 0) ? INDEX_NONE : 0;
    }
    if (at->number != 0) {
        const uint32_t asked = at->number - 1;
        at->number = 0;
        if (!is_read(e, at, asked)) {
            return asked;
        }
    }
    while (at->page < pages && is_read(e, at, at->page)) {
        ++at->page;
    }
    return at->page < pages ? at->page++ : INDEX_NONE;
}

static void mark_loading(struct env* e, const struct segment_slot* at, uint32_t page)
{
    const uint64_t first = first_page(e, at->segment) + (uint64_t)page * e->geo->page_units;
    FW_ASSERT(e, page < e->geo->pages);
    for (uint32_t s = 0; s < e->geo->page_units && first + s < segment_end(e, at->segment); ++s) {
        *maps_flags(e, e->maps, 1, first + s) |= MAP_LOADING;
    }
}

void segments_submit_read(struct env* e, uint32_t request, uint32_t slot, uint32_t page)
{
    const struct segment_slot* at = segment_slot_of(e, slot);
    struct flash_request* r = flash_request_of(e, e->flash, request);
    FW_ASSERT(e, (at->flags & SEGMENT_LOADS) != 0 && at->flight != 0);
    segments_address(e, r, segment_of(e, at->segment)->block, page);
    r->op = FLASH_OP_READ;
    r->priority = 0;
    r->sg = true;
    r->oob = true;
    r->segment_read.slot = slot;
    r->segment_read.worn = false;
    for (uint32_t s = 0; s < e->geo->page_units; ++s) {
        flash_list(e, request)[s] = home_of(e, slot, page) + ((uint64_t)s << e->geo->unit_shift);
    }
    flash_submit(e, request);
}

static void read_pages(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    while (at->flight < AT_ONCE && at->flight < at->left && !ftl_clearing(e) &&
           segments_may_fetch(e)) {
        const uint32_t i = flash_take(e, OWNER_MAP_READ);
        if (i == INDEX_NONE) {
            return;
        }
        const uint32_t page = next_read(e, at);
        if (page == INDEX_NONE) {
            flash_free(e, i);
            return;
        }
        mark_loading(e, at, page);
        ++at->flight;
        ++e->maps->reads;
        if (segments_fetch(e, slot, page)) {
            flash_free(e, i);
        } else {
            segments_submit_read(e, i, slot, page);
        }
    }
    FW_ASSERT(e, at->flight <= AT_ONCE);
}

void segments_arrive(struct env* e, uint32_t slot)
{
    struct segments* s = e->segments;
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, at->flight == 0 && (at->flags & SEGMENT_COMMITS) == 0);
    at->flags &= ~(uint32_t)SEGMENT_LOADS;
    segments_busy(e, slot);
    at->since = s->round;
    chain_append(&s->lru, env_dram(e, s->lru_links), slot);
    ftl_ops_of(e)->arrived(e, first_page(e, at->segment));
    if (s->derived != 0 && s->replaying == 0) {
        e->maps_asks->apply(e, first_page(e, at->segment), segment_end(e, at->segment));
    }
}

void segments_load(struct env* e, uint32_t slot, uint32_t n, uint32_t page)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    struct segment* g = segment_of(e, n);
    const uint64_t first = first_page(e, n);
    const uint64_t end = segment_end(e, n);
    uint32_t* frame = env_dram(e, e->maps->level[1].frame);
    FW_ASSERT(e, g->slot == INDEX_NONE && at->segment == INDEX_NONE && at->flags == 0);
    mem_zero(at, sizeof *at);
    at->segment = n;
    at->target = INDEX_NONE;
    at->flags = SEGMENT_FRESH;
    g->slot = slot;
    g->covers = 0;
    ++e->telemetry->map_misses;
    for (uint64_t i = first; i < end; ++i) {
        frame[i] = slot * e->maps->segment + (uint32_t)(i - first);
    }
    if (g->block != INDEX_NONE && g->lost == 0) {
        at->flags |= SEGMENT_LOADS;
        at->number = page + 1;
        at->left = e->geo->pages;
        segments_busy(e, slot);
        read_pages(e, slot);
        return;
    }
    mem_zero(env_dram(e, home_of(e, slot, 0)), (uint64_t)e->geo->pages * e->geo->page_size);
    for (uint64_t i = first; i < end; ++i) {
        maps_came(e, 1, i, NULL, g->lost != 0);
    }
    segments_arrive(e, slot);
}

/* true = what was read is a page of the segment's newest commit. */
bool segments_whole(struct env* e, const struct flash_result* result, const struct segment* g,
                    uint64_t* sequence)
{
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    FW_ASSERT(e, g->block != INDEX_NONE);
    return result->status == FLASH_STATUS_OK &&
           spare_read(e, flash_oob(e, result->request), sequence) &&
           (*sequence == g->number || tells_covers(e, r->page));
}

void segments_page_ended(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    FW_ASSERT(e, at->flight != 0 && at->left != 0 && maps_reading(e));
    --e->maps->reads;
    --at->flight;
    --at->left;
    if (at->left == 0) {
        segments_arrive(e, slot);
    } else {
        read_pages(e, slot);
    }
}

/* A page has the bytes that it has on the flash. */
static bool same_as_flash(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, 1));
    return e->maps->hmb.places != 0 && !maps_damaged(e) && e->segments->derived == 0 &&
           (*maps_flags(e, e->maps, 1, page) & MAP_DIRTY) == 0;
}

void segments_read_done(struct env* e, const struct flash_result* result)
{
    if (flash_request_of(e, e->flash, result->request)->segment_read.slot == INDEX_NONE) {
        segments_peeked(e, result);
        return;
    }
    const struct flash_request* r = flash_request_of(e, e->flash, result->request);
    const uint64_t* words = flash_oob(e, result->request);
    const uint32_t slot = r->segment_read.slot;
    struct segment_slot* at = segment_slot_of(e, slot);
    struct segment* g = segment_of(e, at->segment);
    const uint64_t page = first_page(e, at->segment) + (uint64_t)r->page * e->geo->page_units;
    const bool worn = r->segment_read.worn;
    uint64_t sequence = 0;
    const bool whole = segments_whole(e, result, g, &sequence);
    FW_ASSERT(e, (at->flags & SEGMENT_LOADS) != 0);
    g->covers = whole && tells_covers(e, r->page) ? sequence - 1 : g->covers;
    for (uint32_t s = 0; s < e->geo->page_units; ++s) {
        if (page + s < segment_end(e, at->segment)) {
            maps_came(e, 1, page + s, whole ? words + 1 + s : NULL, !whole);
            if (whole && same_as_flash(e, page + s)) {
                hmb_keep(e, page + s, maps_home(e, e->maps, 1, page + s));
            }
            if (worn) {
                maps_dirty(e, 1, page + s); /* goes to another block when it leaves */
            }
        }
    }
    flash_free(e, result->request);
    segments_page_ended(e, slot);
}

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
    flash_request_of(e, e->flash, i)->segment_write.buffer = *buffer;
    return i;
}

static void free_request(struct env* e, uint32_t request)
{
    struct segments* s = e->segments;
    const uint32_t buffer = flash_request_of(e, e->flash, request)->segment_write.buffer;
    FW_ASSERT(e, buffer < SEGMENT_REQUESTS);
    fifo_push_front(&s->buffer_free, env_dram(e, s->buffer_links), buffer);
    flash_free(e, request);
}

/* Copies a page of the segment: what it says now will be on the flash. */
static void copy_page(struct env* e, uint32_t slot, uint32_t i, uint64_t to)
{
    const struct geometry* g = e->geo;
    const struct segment_slot* at = segment_slot_of(e, slot);
    const uint64_t first = first_page(e, at->segment) + (uint64_t)at->page * g->page_units;
    env_touch(e, env_dram(e, home_of(e, slot, at->page)), g->page_size, false);
    env_touch(e, env_dram(e, to), g->page_size, true);
    mem_copy(env_dram(e, to), env_dram(e, home_of(e, slot, at->page)), g->page_size);
    for (uint32_t s = 0; s < g->page_units; ++s) {
        const uint64_t data = to + ((uint64_t)s << g->unit_shift);
        const uint64_t check = spare_check(e, env_dram(e, data));
        flash_list(e, i)[s] = data;
        flash_oob(e, i)[1 + s] =
            spare_pack(SPARE_MAP, (UINT64_C(1) << 32) | (first + s)) | (check << SPARE_CHECK_SHIFT);
        if (first + s < segment_end(e, at->segment)) {
            maps_clean(e, 1, first + s);
            hmb_renew(e, first + s, data);
        }
    }
    spare_seal(e, flash_oob(e, i), 1, tells_covers(e, at->page) ? at->covers + 1 : at->number);
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
        struct flash_request* r = flash_request_of(e, e->flash, i);
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
    FW_ASSERT(e, settled <= flash_sequence(e));
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
    fifo_push(&e->segments->garbage, block_links(e), block);
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
        read_pages(e, slot);
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
        const uint32_t block = fifo_pop(&s->garbage, block_links(e));
        struct flash_request* r = flash_request_of(e, e->flash, i);
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
    const struct flash_request r = *flash_request_of(e, e->flash, result->request);
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
    fifo_push(&s->erased, block_links(e), r.segment_write.block);
}
