/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/hybrid.h"

#include "firmware/blocks/hybrid_log.h"
#include "firmware/blocks/hybrid_merge.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/map.h"

/* ---- Sizes ---- */

static int take_memory(struct env* e)
{
    struct hybrid* h = e->hybrid;
    const uint32_t entries = h->log_slots * e->geo->pages + 2 * h->marks;
    h->bucket_bits = bits_for(2 * entries);
    h->log_table = dram_take(e, (uint64_t)h->log_slots * sizeof(uint32_t));
    h->entries = dram_take(e, (uint64_t)entries * sizeof(struct log_entry));
    h->buckets = dram_take(e, (UINT64_C(1) << h->bucket_bits) * sizeof(uint32_t));
    h->pins = dram_take(e, h->lblocks * sizeof(uint16_t));
    h->holes = dram_take(e, h->lblocks * sizeof(uint16_t));
    merges_take_memory(e);
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    for (uint32_t i = 0; i < h->log_slots; ++i) {
        ((uint32_t*)env_dram(e, h->log_table))[i] = INDEX_NONE;
    }
    for (uint32_t i = 0; i < 2 * h->marks; ++i) {
        log_entry_of(e, entries - 1 - i)->next = h->mark_list;
        h->mark_list = entries - i;
    }
    h->marks_free = 2 * h->marks;
    return 0;
}

int hybrid_init(struct env* e)
{
    const struct boot_map* told = e->told.map;
    struct hybrid* h = e->hybrid;
    const struct geometry* g = e->geo;
    if (logical_init(e, UINT16_MAX) != 0) {
        return -1;
    }
    h->lblocks = (g->user_units + g->pages - 1) / g->pages;
    h->log_most = told->log_blocks;
    h->direct = told->log_direct != 0 ? told->log_direct : g->pages / 2;
    h->log_slots = HYBRID_LOG_SLOTS(h->log_most);
    h->marks = HYBRID_MARKS(e->geo->pages);
    h->merges = HYBRID_MERGES(e->geo->part.luns);
    h->victim = INDEX_NONE;
    h->loading = 1;
    maps_plan_span(e, e->geo->pages);
    return maps_init(e, 0, 0) != 0 ? -1 : take_memory(e);
}

/* ---- Look-up ---- */

uint64_t hybrid_lookup(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    switch (mark) {
    case MARK_PAGE:
        return log_address(e, k);
    case MARK_LOST_PAGE:
        return log_address(e, k) | FTL_LOST;
    case MARK_HOLE:
        return FTL_NONE;
    case MARK_LOST:
        return MAPS_NOWHERE | FTL_LOST;
    default:
        break;
    }
    const uint64_t block = data_block_of(e, lblock_of(e, unit));
    return maps_placed(block) && block != FTL_UNKNOWN && !ftl_lost(block)
               ? data_page(e, block, unit)
               : block;
}

/* Marks are running out: logical blocks with holes are written anew, the map goes to the flash. */
static void free_marks(struct env* e)
{
    struct hybrid* h = e->hybrid;
    const uint32_t first = h->log_slots * e->geo->pages;
    const uint32_t end = 2 * h->marks;
    uint32_t others = 0;
    for (uint32_t n = 0; n < end; ++n) {
        const uint32_t at = (h->mark_next + n) % end;
        const struct log_entry* entry = log_entry_of(e, first + at);
        others += entry->mark == MARK_HOLE || entry->mark >= MARK_GONE ? 1u : 0u;
        if (entry->mark == MARK_GONE) {
            checkpoint_ask(e);
        } else if (entry->mark == MARK_HOLE && !merge_request(e, lblock_of(e, entry->unit))) {
            h->mark_next = at;
            return;
        }
    }
    if (others == 0 && h->marks_held == 0 && e->telemetry->read_only == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "too many units are lost: read only; marks", h->marks, 0);
        e->telemetry->read_only = 1;
    }
}

/* A mark without a page may have to be had for it. */
bool hybrid_pin(struct env* e, uint64_t unit)
{
    struct hybrid* h = e->hybrid;
    const uint64_t lblock = lblock_of(e, unit);
    if (data_block_of(e, lblock) == FTL_UNKNOWN || merge_busy(e, lblock)) {
        return false;
    }
    if (h->marks_held + h->marks >= h->marks_free) { /* as many again are power-up's */
        free_marks(e);
        if (e->telemetry->read_only == 0 || h->marks_held >= h->marks_free) {
            return false; /* else what has begun may end */
        }
    }
    FW_ASSERT(e, *pins_of(e, lblock) != UINT16_MAX);
    ++*pins_of(e, lblock);
    ++h->marks_held;
    return true;
}

void hybrid_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, *pins_of(e, lblock_of(e, unit)) > 0);
    FW_ASSERT(e, e->hybrid->marks_held > 0);
    --*pins_of(e, lblock_of(e, unit));
    --e->hybrid->marks_held;
}

/* ---- Changes ---- */

void hybrid_commit(struct env* e, uint64_t unit, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    const uint32_t k = log_slot(e, p.block) * e->geo->pages + p.page;
    FW_ASSERT(e, *pins_of(e, lblock_of(e, unit)) != 0);
    (void)hybrid_leave(e, unit);
    log_put(e, unit, k, MARK_PAGE);
}

void hybrid_lose(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    struct log_entry* entry = k != INDEX_NONE ? log_entry_of(e, k) : NULL;
    FW_ASSERT(e, entry == NULL || entry->mark != MARK_HOLE);
    if (entry == NULL) {
        log_mark(e, unit, MARK_LOST);
        ++e->telemetry->units_lost;
    } else if (entry->mark == MARK_PAGE) {
        entry->mark = MARK_LOST_PAGE;
        ++e->telemetry->lost_units;
        ++e->telemetry->units_lost;
    }
}

/* A logical block of which nothing is left needs no data block. */
static void give_up(struct env* e, uint64_t lblock)
{
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint16_t* holes = (const uint16_t*)env_dram(e, e->hybrid->holes) + lblock;
    const uint64_t first = lblock * e->geo->pages;
    const uint64_t end = lblock_end(e, lblock);
    if (*holes != end - first) {
        return;
    }
    for (uint64_t unit = first; unit < end; ++unit) {
        log_drop(e, log_find(e, unit));
    }
    maps_set(e, 1, lblock, FTL_NONE);
    log_gone(e, lblock);
    data_block_leave(e, block);
    FW_ASSERT(e, *holes == 0);
}

bool hybrid_trim(struct env* e, uint64_t unit)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    FW_ASSERT(e, lblock_resident(e, lblock));
    if (mark == MARK_HOLE || (mark == MARK_NONE && block == FTL_NONE)) {
        return false;
    }
    (void)hybrid_leave(e, unit);
    if (block != FTL_NONE) {
        log_mark(e, unit, MARK_HOLE);
        give_up(e, lblock);
    }
    return true;
}

/* ---- Many units at a time ---- */

/* Of a logical block without a data block; what the log has of it, or a mark, ends them. */
uint64_t hybrid_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const struct hybrid* h = e->hybrid;
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t next = lblock_end(e, lblock);
    const uint64_t stop = next < end ? next : end;
    const bool none = lblock_resident(e, lblock) ? maps_entry(e, 1, lblock) == FTL_NONE
                                                 : maps_never_written(e, maps_page(e, lblock));
    uint64_t at = unit;
    if (!none) {
        return 0;
    }
    if (h->log_pages == 0 && h->marks_free == 2 * h->marks) {
        return stop - unit;
    }
    while (at < stop && log_find(e, at) == INDEX_NONE) {
        ++at;
    }
    return at - unit;
}

/* A logical block of which each unit lies in its data block, none of them lost: true = it is
 * nowhere any more. */
static bool leave_whole(struct env* e, uint64_t lblock)
{
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t count = (uint32_t)(lblock_end(e, lblock) - lblock * e->geo->pages);
    FW_ASSERT(e, lblock_resident(e, lblock));
    if (!maps_placed(block) || ftl_lost(block) || e->telemetry->lost_units != 0 ||
        superblock_of(e, e->blocks, address_block(e->geo, block))->valid != count) {
        return false;
    }
    blocks_invalidate_run(e, block, count);
    e->telemetry->mapped -= count;
    maps_set(e, 1, lblock, FTL_NONE);
    log_gone(e, lblock);
    data_block_leave(e, block);
    return true;
}

/* A unit by itself may need a mark: the pin has one. */
uint64_t hybrid_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t next = lblock_end(e, lblock);
    FW_ASSERT(e, unit < end && *pins_of(e, lblock) != 0);
    if (unit == lblock * e->geo->pages && next <= end && leave_whole(e, lblock)) {
        *mapped = next - unit;
        return next - unit;
    }
    *mapped = (uint64_t)hybrid_trim(e, unit);
    return 1;
}
