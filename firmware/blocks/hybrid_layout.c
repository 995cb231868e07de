/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scheme of hybrid mapping does beside mapping units (map/layout.h): buffer, collection,
 * and power-up. There the last page of a merge's target tells that it is whole: then all of a
 * logical block lies in it, page n in page n, and the other pages tell nothing more. A block
 * without its last page is garbage. So one page of each is read, not all of them, however large
 * blocks are.
 */
#include "firmware/blocks/hybrid.h"

#include "firmware/blocks/hybrid_log.h"
#include "firmware/blocks/hybrid_merge.h"
#include "firmware/buffer/merged.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/durable/state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/log.h"
#include "firmware/map/maps_units.h"
#include "firmware/space/bad.h"
#include "firmware/space/spare.h"

static uint64_t overhead(const struct env* e)
{
    const struct hybrid* h = e->hybrid;
    const uint64_t blocks = h->lblocks + HYBRID_LOG_SLOTS(h->log_most) + h->merges;
    return blocks * e->geo->pages - e->geo->user_units;
}

/* ---- Buffer and collection ---- */

/* Where none of the host's units go to the log preconditioning's do all the same. */
static int settle(struct env* e)
{
    struct hybrid* h = e->hybrid;
    h->settling = h->log_most == 0;
    return h->settling != 0;
}

static void settled(struct env* e)
{
    e->hybrid->settling = 0;
}

static bool room(struct env* e)
{
    return e->hybrid->settling != 0 ? e->hybrid->log_pages == 0 : log_has_room(e);
}

static bool appends(struct env* e, uint64_t unit)
{
    const struct hybrid* h = e->hybrid;
    if (h->log_most != 0 && cache_dirty_around(e, unit, e->geo->pages, h->direct) < h->direct) {
        return true;
    }
    if (!cache_still_written(e, unit, e->geo->pages)) {
        (void)merge_request(e, lblock_of(e, unit));
    }
    return false;
}

static void appended(struct env* e, uint32_t block)
{
    (void)log_slot(e, block);
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->role == BLOCK_LOG);
}

/* All that is due may be of logical blocks that are still being written: then the oldest goes. */
static void starves(struct env* e, uint64_t unit)
{
    if (hybrid_idle(e) && cache_still_written(e, unit, e->geo->pages) != CACHE_LANDING) {
        (void)merge_request(e, lblock_of(e, unit));
    }
}

static bool moves(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role == BLOCK_DATA) {
        (void)merge_request(e, s->owner);
    }
    return s->role != BLOCK_PAGES;
}

/* ---- Power-up: targets of merges ---- */

static bool is_merged(uint32_t kind)
{
    return kind == SPARE_BLOCK;
}

static uint32_t place_of_target(struct env* e, uint32_t n, struct place* out)
{
    out->block = n;
    return scan_wants(e, n) && scan_merged(e, n) ? e->geo->plane_all & ~blocks_hidden(e, n, 0) : 0;
}

static void target_read(struct env* e, const struct flash_request* r, const uint64_t* words)
{
    FW_ASSERT(e, r->page + 1 == e->geo->pages && scan_merged(e, r->block));
    if (words == NULL || words[0] == UINT64_MAX) {
        superblock_of(e, e->blocks, r->block)->role = BLOCK_TARGET;
    } else {
        (void)scan_words(e, r, 0, words);
    }
}

/* Nothing in it is of use, but no program may have a sequence again that one of its pages has. They
 * were programmed in order: the last readable one in front of the erased ones has the highest. */
static void find_highest(struct env* e, uint32_t block)
{
    uint32_t low = 0;
    uint32_t high = e->geo->pages;
    while (low < high) {
        const struct place p = {.block = block, .page = low + (high - low) / 2};
        const uint64_t* words = boot_read(e, &p, 0);
        if (words != NULL && words[0] == UINT64_MAX) {
            high = p.page;
        } else {
            low = p.page + 1;
        }
    }
    for (; low > 0 && !hal_stopping(e->hal); --low) {
        const struct place p = {.block = block, .page = low - 1};
        const uint64_t* words = boot_read(e, &p, 0);
        uint64_t sequence = 0;
        if (words != NULL && spare_read(e, words, &sequence)) {
            scan_sequence(e, block, sequence);
            return;
        }
    }
}

static void targets_scan(struct env* e)
{
    if (scan_each(e, e->geo->blocks, e->geo->pages - 1, place_of_target) != 0) {
        return;
    }
    for (uint32_t block = 0; block < e->geo->blocks && scan_is_first(e); ++block) {
        struct superblock* s = superblock_of(e, e->blocks, block);
        if (!scan_wants(e, block) || !scan_merged(e, block)) {
            continue;
        }
        if (s->role == BLOCK_TARGET) {
            find_highest(e, block);
        }
        s->role = BLOCK_PAGES;
        s->state = BLOCK_FULL;
    }
}

/* ---- Power-up: units ---- */

/* The data block of a merge whose last page says that so many of them are lost: which; all of them
 * if they cannot be marked. */
static void find_lost(struct env* e, uint64_t lblock, uint32_t block, uint32_t count)
{
    const uint64_t first = lblock * e->geo->pages;
    if (count > e->hybrid->marks_free) {
        maps_set(e, 1, lblock, maps_entry(e, 1, lblock) | FTL_LOST);
        return;
    }
    for (uint64_t unit = first; unit < lblock_end(e, lblock) && count != 0; ++unit) {
        const struct place p = {.block = block, .page = (uint32_t)(unit - first)};
        const uint64_t* words = boot_read(e, &p, 0);
        if (words == NULL || spare_unpack(words[1]).lost != 0) {
            log_mark(e, unit, MARK_LOST);
            --count;
        }
    }
}

static void count_entry(struct env* e, uint64_t lblock)
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
    for (uint64_t unit = lblock * e->geo->pages; unit < lblock_end(e, lblock); ++unit) {
        const uint32_t k = log_find(e, unit);
        const uint32_t mark = k != INDEX_NONE ? log_entry_of(e, k)->mark : MARK_NONE;
        if (placed && (mark == MARK_NONE || mark == MARK_LOST)) {
            log_valid(e, LOG_D, data_page(e, block, unit));
        } else if (!placed && (mark == MARK_HOLE || mark == MARK_LOST)) {
            log_drop(e, k);
        }
    }
}

/* Where no mark is left the unit is lost with its logical block, until that is merged. */
static void replay_trim(struct env* e, uint64_t unit)
{
    const uint64_t lblock = lblock_of(e, unit);
    const uint64_t block = maps_entry(e, 1, lblock);
    const uint32_t k = log_find(e, unit);
    if (e->hybrid->marks_free != 0 || block == FTL_NONE) {
        (void)hybrid_trim(e, unit);
        return;
    }
    if (k != INDEX_NONE) {
        log_drop(e, k);
    }
    maps_set(e, 1, lblock, block | FTL_LOST);
}

static void trim(struct env* e, uint64_t unit, uint64_t end)
{
    for (uint64_t u = unit; u < end; ++u) {
        replay_trim(e, u);
    }
}

static void replay_data_block(struct env* e, uint64_t lblock, uint64_t address)
{
    for (uint64_t unit = lblock * e->geo->pages; unit < lblock_end(e, lblock); ++unit) {
        (void)hybrid_leave(e, unit);
    }
    log_not_gone(e, lblock);
    maps_set(e, 1, lblock, address);
}

static void replay_unit(struct env* e, const struct spare_unit* u, uint64_t address)
{
    const struct place p = address_place(e->geo, address);
    if (u->kind == SPARE_BLOCK) {
        if (p.page + 1 == e->geo->pages) {
            const struct place first = {.block = p.block};
            replay_data_block(e, lblock_of(e, u->index), unit_address(e->geo, &first, 0));
            find_lost(e, lblock_of(e, u->index), p.block, u->check);
        }
        return;
    }
    (void)hybrid_leave(e, u->index);
    const uint32_t k = log_slot(e, p.block) * e->geo->pages + p.page;
    if (log_entry_of(e, k)->mark != MARK_NONE) {
        log_drop(e, k); /* of the record, when the block was another one */
    }
    log_put(e, u->index, k, u->lost != 0 ? MARK_LOST_PAGE : MARK_PAGE);
}

const struct ftl_layout hybrid_layout = {
    .logical_blocks = 1,
    .overhead = overhead,
    .step = merge_step,
    .idle = hybrid_idle,
    .settle = settle,
    .settled = settled,
    .room = room,
    .appends = appends,
    .appended = appended,
    .starves = starves,
    .moves = moves,
    .quiet = layout_yes,
    .begins = log_checkpoint,
    .recorded = log_checkpoint_done,
    .reopens = layout_nothing,
    .kept = layout_keeps_nothing,
    .bytes = log_bytes,
    .store = log_store,
    .load = log_load,
    .counts = log_count,
    .boot = layout_no,
    .merged = is_merged,
    .torn = log_torn,
    .check = log_check,
    .scan = targets_scan,
    .read = target_read,
    .replay = layout_by_maps,
    .unit = replay_unit,
    .trim = trim,
    .count = count_entry,
};
