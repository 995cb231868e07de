/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of hybrid mapping: where each of them lies, in the data block of its logical block or in
 * the log, and what of that a record and the pages of the map bring back.
 */
#include "firmware/blocks/units.h"
#include "firmware/blocks/hybrid.h"
#include "firmware/buffer/merged.h"
#include "firmware/durable/reads.h"
#include "firmware/durable/state.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/spare.h"

static uint16_t* pins_of(struct env* e, uint64_t lblock)
{
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return (uint16_t*)env_dram(e, e->hybrid->pins) + lblock;
}

static bool resident(struct env* e, uint64_t lblock)
{
    return maps_resides(e, 1, maps_page(e, lblock));
}

/* Address of a page of a data block, given the entry of its logical block. */
static uint64_t page_in(const struct env* e, uint64_t block, uint64_t unit)
{
    return (block & ~FTL_LOST) + ((unit % e->hybrid->pages) << e->geo->row_shift);
}

static uint64_t units_end(const struct env* e, uint64_t lblock)
{
    const uint64_t end = (lblock + 1) * e->hybrid->pages;
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return end < e->geo->user_units ? end : e->geo->user_units;
}

uint64_t data_block_of(struct env* e, uint64_t lblock)
{
    return maps_load(e, 1, maps_page(e, lblock), false) ? maps_entry(e, 1, lblock) : FTL_UNKNOWN;
}

/* ---- Sizes ---- */

static int take_memory(struct env* e)
{
    struct hybrid* h = e->hybrid;
    const uint32_t entries = h->log_slots * h->pages + 2 * h->marks;
    h->bucket_bits = bits_for(2 * entries);
    h->log_table = dram_take(e, (uint64_t)h->log_slots * sizeof(uint32_t));
    h->entries = dram_take(e, (uint64_t)entries * sizeof(struct log_entry));
    h->buckets = dram_take(e, (UINT64_C(1) << h->bucket_bits) * sizeof(uint32_t));
    h->pins = dram_take(e, h->lblocks * sizeof(uint16_t));
    h->holes = dram_take(e, h->lblocks * sizeof(uint16_t));
    h->jobs = dram_take(e, h->merges * sizeof(struct merge));
    h->taken = dram_take(e, (uint64_t)h->merges * h->pages * sizeof(uint32_t));
    h->lost_map = dram_take(e, (uint64_t)h->merges * h->pages);
    h->buffers = dram_take_pages(e, ((uint64_t)h->merges * MERGE_DEPTH) << e->geo->unit_shift);
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    for (uint32_t i = 0; i < h->log_slots; ++i) {
        ((uint32_t*)env_dram(e, h->log_table))[i] = INDEX_NONE;
    }
    for (uint32_t i = 0; i < h->merges * h->pages; ++i) {
        ((uint32_t*)env_dram(e, h->taken))[i] = INDEX_NONE;
    }
    for (uint32_t i = 0; i < 2 * h->marks; ++i) {
        log_entry_of(e, entries - 1 - i)->next = h->mark_list;
        h->mark_list = entries - i;
    }
    h->marks_free = 2 * h->marks;
    FW_ASSERT(e, h->bucket_bits >= 1);
    return 0;
}

int hybrid_init(struct env* e, const struct hybrid_setup* setup)
{
    struct hybrid* h = e->hybrid;
    const struct geometry* g = e->geo;
    if (g->luns != 1 || g->planes != 1 || g->page_units != 1 || g->pages > UINT16_MAX) {
        hal_log(e->hal, HAL_LOG_ERROR,
                "logical blocks want superblocks of a block, units of a page", g->luns * g->planes,
                g->page_units);
        return -1;
    }
    blocks_keep_apart(e);
    h->pages = g->pages;
    h->lblocks = (g->user_units + g->pages - 1) / g->pages;
    h->log_most = setup->log_blocks;
    h->direct = setup->direct != 0 ? setup->direct : g->pages / 2;
    h->log_slots = HYBRID_LOG_SLOTS(h->log_most);
    h->marks = HYBRID_MARKS(h->pages);
    h->merges = HYBRID_MERGES(e->geo->part.luns);
    h->victim = INDEX_NONE;
    h->loading = 1;
    maps_plan_span(e, h->pages);
    FW_ASSERT(e, h->merges != 0);
    return maps_init(e, 0, 0) != 0 ? -1 : take_memory(e);
}

uint64_t hybrid_overhead(const struct env* e)
{
    const struct hybrid* h = e->hybrid;
    const uint64_t blocks = h->lblocks + HYBRID_LOG_SLOTS(h->log_most) + h->merges;
    FW_ASSERT(e, h->pages != 0);
    return blocks * h->pages - e->geo->user_units;
}

/* ---- Look-up ---- */

uint64_t hybrid_lookup(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    FW_ASSERT(e, unit < e->geo->user_units);
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
    return maps_placed(block) && block != FTL_UNKNOWN && !ftl_lost(block) ? page_in(e, block, unit)
                                                                          : block;
}

/* Marks are running out: logical blocks with holes are written anew, the map goes to the flash. */
static void free_marks(struct env* e)
{
    struct hybrid* h = e->hybrid;
    const uint32_t first = h->log_slots * h->pages;
    const uint32_t end = 2 * h->marks;
    uint32_t others = 0;
    FW_ASSERT(e, h->mark_next < end);
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

/* The page of the data block is garbage, if there is one. */
static void leave_data_block(struct env* e, uint64_t unit)
{
    const uint64_t block = maps_entry(e, 1, lblock_of(e, unit));
    FW_ASSERT(e, resident(e, lblock_of(e, unit)));
    if (e->hybrid->loading == 0 && maps_placed(block)) {
        const struct log_packet garbage = {
            .op = LOG_INVALID, .log = LOG_D, .index = unit, .address = page_in(e, block, unit)};
        (void)log_send(e, garbage);
    }
}

/* The unit is nowhere; returns what was said of it in the log. */
static uint32_t leave(struct env* e, uint64_t unit)
{
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
    if (mark == MARK_NONE || mark == MARK_LOST) {
        leave_data_block(e, unit);
    }
    FW_ASSERT(e, log_find(e, unit) == INDEX_NONE);
    return mark;
}

void hybrid_commit(struct env* e, uint64_t unit, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    const uint32_t k = log_slot(e, p.block) * e->hybrid->pages + p.page;
    FW_ASSERT(e, *pins_of(e, lblock_of(e, unit)) != 0);
    (void)leave(e, unit);
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

/* No logical block lies in the data block any more. */
static void leave_block(struct env* e, uint64_t block)
{
    FW_ASSERT(e, block != FTL_UNKNOWN);
    if (e->hybrid->loading != 0) {
        return;
    }
    e->telemetry->lost_units -= ftl_lost(block) ? 1u : 0u;
    if (maps_placed(block)) {
        blocks_discard(e, address_block(e->geo, block & ~FTL_LOST), FLASH_PURPOSE_GC);
    }
}

/* A logical block of which nothing is left needs no data block. */
static void give_up(struct env* e, uint64_t lblock)
{
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint16_t* holes = (const uint16_t*)env_dram(e, e->hybrid->holes) + lblock;
    const uint64_t first = lblock * e->hybrid->pages;
    const uint64_t end = units_end(e, lblock);
    if (*holes != end - first) {
        return;
    }
    for (uint64_t unit = first; unit < end; ++unit) {
        log_drop(e, log_find(e, unit));
    }
    maps_set(e, 1, lblock, FTL_NONE);
    log_gone(e, lblock);
    leave_block(e, block);
    FW_ASSERT(e, *holes == 0);
}

bool hybrid_trim(struct env* e, uint64_t unit)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t k = log_find(e, unit);
    const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
    FW_ASSERT(e, resident(e, lblock));
    if (mark == MARK_HOLE || (mark == MARK_NONE && block == FTL_NONE)) {
        return false;
    }
    (void)leave(e, unit);
    if (block != FTL_NONE) {
        log_mark(e, unit, MARK_HOLE);
        give_up(e, lblock);
    }
    return true;
}

/* ---- The end of a merge ---- */

static uint32_t lost_among(const uint8_t* lost, uint64_t count)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < count; ++i) {
        n += lost[i];
    }
    return n;
}

/* More units are lost than can be marked: nobody could tell which of them are, so that all of the
 * logical block is. It stays in its data block, whose last page says so to power-up. */
static void lose_block(struct env* e, uint64_t lblock)
{
    hal_log(e->hal, HAL_LOG_ERROR, "too many units are lost: read only; logical block", lblock, 0);
    e->telemetry->read_only = 1;
    ++e->telemetry->lost_units;
}

void data_block_switch(struct env* e, const struct merge* m, const uint8_t* lost)
{
    const struct hybrid* h = e->hybrid;
    const struct place p = {.block = m->target};
    const uint64_t to = unit_address(e->geo, &p, 0);
    const uint64_t old = maps_entry(e, 1, m->lblock);
    struct superblock* s = superblock_of(e, e->blocks, m->target);
    const uint64_t first = m->lblock * h->pages;
    const uint64_t end = units_end(e, m->lblock);
    FW_ASSERT(e, resident(e, m->lblock) && *pins_of(e, m->lblock) == 0);
    for (uint64_t unit = first; unit < end; ++unit) {
        (void)leave(e, unit);
    }
    leave_block(e, old);
    log_not_gone(e, m->lblock);
    const uint32_t marks = lost_among(lost, end - first);
    const bool all = marks != 0 && h->marks_free < h->marks_held + h->marks + marks;
    if (all) {
        lose_block(e, m->lblock);
    }
    s->role = BLOCK_DATA;
    s->owner = (uint32_t)m->lblock;
    maps_set(e, 1, m->lblock, to | (all ? FTL_LOST : 0));
    for (uint64_t unit = first; unit < end; ++unit) {
        const struct log_packet valid = {
            .op = LOG_VALID, .log = LOG_D, .index = unit, .address = page_in(e, to, unit)};
        (void)log_send(e, valid);
        if (lost[unit - first] != 0 && !all) {
            log_mark(e, unit, MARK_LOST);
        }
    }
}

/* ---- Power-up ---- */

/* The data block of a merge whose last page says that so many of them are lost: which; all of them
 * if they cannot be marked. */
static void find_lost(struct env* e, uint64_t lblock, uint32_t block, uint32_t count)
{
    const uint64_t first = lblock * e->hybrid->pages;
    FW_ASSERT(e, e->hybrid->loading != 0);
    if (count > e->hybrid->marks_free) {
        maps_set(e, 1, lblock, maps_entry(e, 1, lblock) | FTL_LOST);
        return;
    }
    for (uint64_t unit = first; unit < units_end(e, lblock) && count != 0; ++unit) {
        const struct place p = {.block = block, .page = (uint32_t)(unit - first)};
        const uint64_t* words = boot_read(e, &p, 0);
        if (words == NULL || spare_unpack(words[1]).lost != 0) {
            log_mark(e, unit, MARK_LOST);
            --count;
        }
    }
}

void hybrid_count(struct env* e, uint64_t lblock)
{
    if (log_is_gone(e, lblock) && maps_entry(e, 1, lblock) != FTL_NONE) {
        maps_set(e, 1, lblock, FTL_NONE);
    }
    const uint64_t block = maps_entry(e, 1, lblock);
    const bool placed = maps_placed(block);
    const struct place p = address_place(e->geo, placed ? block & ~FTL_LOST : 0);
    struct superblock* s = superblock_of(e, e->blocks, p.block);
    const bool wrong = placed && (p.page != 0 || s->role != BLOCK_PAGES || s->state != BLOCK_FULL);
    if (wrong) {
        maps_damage(e); /* two entries of one block, or one of an erased block: not true */
        maps_set(e, 1, lblock, FTL_LOST | MAPS_NOWHERE);
    }
    e->telemetry->lost_units += wrong || ftl_lost(block) ? 1u : 0u;
    if (wrong || (ftl_lost(block) && !placed)) {
        return;
    }
    if (placed) {
        s->role = BLOCK_DATA;
        s->owner = (uint32_t)lblock;
    }
    for (uint64_t unit = lblock * e->hybrid->pages; unit < units_end(e, lblock); ++unit) {
        const uint32_t k = log_find(e, unit);
        const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
        if (placed && (mark == MARK_NONE || mark == MARK_LOST)) {
            const struct log_packet valid = {
                .op = LOG_VALID, .log = LOG_D, .index = unit, .address = page_in(e, block, unit)};
            (void)log_send(e, valid);
        } else if (!placed && (mark == MARK_HOLE || mark == MARK_LOST)) {
            log_drop(e, k);
        }
    }
}

/* Where no mark is left the unit is lost with its logical block, until that is merged. */
void hybrid_replay_trim(struct env* e, uint64_t unit)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t k = log_find(e, unit);
    FW_ASSERT(e, e->hybrid->loading != 0);
    if (e->hybrid->marks_free != 0 || block == FTL_NONE) {
        (void)hybrid_trim(e, unit);
        return;
    }
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
    maps_set(e, 1, lblock, block | FTL_LOST);
}

static void replay_data_block(struct env* e, uint64_t lblock, uint64_t address)
{
    for (uint64_t unit = lblock * e->hybrid->pages; unit < units_end(e, lblock); ++unit) {
        (void)leave(e, unit);
    }
    log_not_gone(e, lblock);
    maps_set(e, 1, lblock, address);
}

void hybrid_replay(struct env* e, const struct spare_unit* u, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    FW_ASSERT(e, e->hybrid->loading != 0);
    if (u->kind == SPARE_BLOCK) {
        if (p.page + 1 == e->hybrid->pages) {
            const struct place first = {.block = p.block};
            replay_data_block(e, lblock_of(e, u->index), unit_address(e->geo, &first, 0));
            find_lost(e, lblock_of(e, u->index), p.block, u->check);
        }
        return;
    }
    (void)leave(e, u->index);
    const uint32_t k = log_slot(e, p.block) * e->hybrid->pages + p.page;
    if (log_entry_of(e, k)->mark != MARK_NONE) {
        log_drop(e, k); /* of the record, when the block was another one */
    }
    log_put(e, u->index, k, u->lost != 0 ? MARK_LOST_PAGE : MARK_PAGE);
}

/* ---- For the buffer and collection ---- */

bool hybrid_logs(struct env* e, uint64_t unit)
{
    const struct hybrid* h = e->hybrid;
    FW_ASSERT(e, unit < e->geo->user_units);
    if (h->log_most != 0 && cache_dirty_around(e, unit, h->pages, h->direct) < h->direct) {
        return true;
    }
    if (!cache_still_written(e, unit, h->pages)) {
        (void)merge_request(e, lblock_of(e, unit));
    }
    return false;
}

bool hybrid_moves(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role == BLOCK_DATA) {
        (void)merge_request(e, s->owner);
    }
    FW_ASSERT(e, e->hybrid->pages != 0);
    return s->role != BLOCK_PAGES;
}

uint64_t hybrid_owner(struct env* e, uint64_t address)
{
    (void)address;
    FW_ASSERT(e, 0 && "collection moves pages of maps only");
    return FTL_UNKNOWN;
}

bool hybrid_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    (void)from;
    (void)to;
    FW_ASSERT(e, unit == FTL_NONE && "collection moves pages of maps only");
    return false;
}

void hybrid_prefetch(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
}

/* Of a logical block without a data block; what the log has of it, or a mark, ends them. */
uint64_t hybrid_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const struct hybrid* h = e->hybrid;
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t next = units_end(e, lblock);
    const uint64_t stop = next < end ? next : end;
    const bool none = resident(e, lblock) ? maps_entry(e, 1, lblock) == FTL_NONE
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
    FW_ASSERT(e, at >= unit);
    return at - unit;
}

/* A logical block of which each unit lies in its data block, none of them lost: true = it is
 * nowhere any more. */
static bool leave_whole(struct env* e, uint64_t lblock)
{
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t count = (uint32_t)(units_end(e, lblock) - lblock * e->hybrid->pages);
    FW_ASSERT(e, resident(e, lblock));
    if (!maps_placed(block) || ftl_lost(block) || e->telemetry->lost_units != 0 ||
        superblock_of(e, e->blocks, address_block(e->geo, block))->valid != count) {
        return false;
    }
    blocks_invalidate_run(e, block, count);
    e->telemetry->mapped -= count;
    maps_set(e, 1, lblock, FTL_NONE);
    log_gone(e, lblock);
    leave_block(e, block);
    return true;
}

/* A unit by itself may need a mark: the pin has one. */
uint64_t hybrid_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t next = units_end(e, lblock);
    FW_ASSERT(e, unit < end && *pins_of(e, lblock) != 0);
    if (unit == lblock * e->hybrid->pages && next <= end && leave_whole(e, lblock)) {
        *mapped = next - unit;
        return next - unit;
    }
    *mapped = (uint64_t)hybrid_trim(e, unit);
    return 1;
}
