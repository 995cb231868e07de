/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/blockmap.h"

#include "firmware/blocks/blockmap_copy.h"
#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_image.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "models/regs/choices/page_order.h"
#include "models/regs/parts/map.h"

enum { HOLES_EACH = 1024 }; /* logical blocks that are passed over at a time */

/* ---- Sizes and memory ---- */

static int take_memory(struct env* e, uint32_t informs)
{
    struct blockmap* b = e->blockmap;
    const struct geometry* g = e->geo;
    const uint64_t bits = ((uint64_t)g->blocks * g->pages + 63) / 64 * sizeof(uint64_t);
    const uint32_t slots = b->seconds + b->shared;
    const uint32_t list = b->notes != 0 ? e->geo->pages : 0;
    const uint32_t entries = b->shared * e->geo->pages;
    const uint32_t hashed = b->groups.blocks == 0 ? entries : 0; /* else units have a table */
    b->bucket_bits = bits_for(2 * (hashed != 0 ? hashed : 1));
    b->map = dram_take_pages(e, (uint64_t)b->lblocks * sizeof(struct logical_block));
    b->taken = dram_take_pages(e, bits);
    b->lost = dram_take_pages(e, bits);
    b->seen = dram_take_pages(e, bits);
    b->slots = dram_take(e, (uint64_t)slots * sizeof(struct block_slot));
    b->links = dram_take(e, (uint64_t)slots * sizeof(struct link));
    b->offsets = dram_take_pages(e, (uint64_t)b->seconds * e->geo->pages * sizeof(uint16_t));
    b->spares = dram_take_pages(e, (uint64_t)g->blocks * b->spare * sizeof(uint16_t));
    b->units = dram_take_pages(e, (uint64_t)entries * sizeof(uint32_t));
    b->next = dram_take_pages(e, (uint64_t)hashed * sizeof(uint32_t));
    b->buckets = dram_take_pages(e, (UINT64_C(1) << b->bucket_bits) * sizeof(uint32_t));
    b->noted = dram_take_pages(e, ((uint64_t)b->shared * b->notes + list) * sizeof(uint32_t));
    b->info = informs != 0 ? dram_take_pages(e, g->unit_size) : 0;
    folds_take_memory(e);
    if (groups_take_memory(e) != 0 || e->arenas->absent != 0) {
        return arenas_result(e);
    }
    logs_init(e);
    return 0;
}

static int refuse(struct env* e, const char* what, uint64_t a, uint64_t b)
{
    hal_log(e->hal, HAL_LOG_ERROR, what, a, b);
    return -1;
}

int blockmap_init(struct env* e, const struct blockmap_setup* setup)
{
    const struct boot_placed* told = &e->told.map->placed;
    struct blockmap* b = e->blockmap;
    const struct geometry* g = e->geo;
    const uint32_t slack = BLOCKMAP_SLACK(g->part.luns);
    const uint32_t grouped =
        setup->group != 0 ? (uint32_t)((g->user_units + g->pages - 1) / g->pages) : 0;
    if (logical_init(e, UINT16_MAX - 1) != 0) {
        return -1;
    }
    if (setup->any != 0 && told->page_order != PAGE_ORDER_ANY) {
        return refuse(e, "a part that takes pages of a block in order only: this scheme does not",
                      setup->any, 0);
    }
    if (setup->spare >= g->pages) {
        return refuse(e, "spare pages, pages of a block", setup->spare, g->pages);
    }
    b->spare = setup->spare;
    b->span = setup->group != 0 ? g->pages * setup->group : g->pages - setup->spare;
    ftl_span(e, b->span);
    b->lblocks = (uint32_t)((g->user_units + b->span - 1) / b->span);
    b->seconds = setup->seconds != 0 ? setup->seconds + slack : 0;
    b->shared = setup->shared != 0 ? grouped + setup->shared + slack : 0;
    b->folds.most = BLOCKMAP_FOLDS(g->part.luns);
    b->planned = (grouped != 0 ? grouped : b->lblocks) + b->folds.most +
                 (setup->logs != 0 ? setup->logs : setup->seconds + setup->shared);
    b->groups.blocks = setup->group;
    b->groups.most = setup->group_most;
    b->groups.total = setup->shared;
    b->notes = setup->notes;
    b->turns = setup->turns;
    b->collects = setup->collects;
    b->searched = told->ram_index != 0 ? SEARCHED_NONE : setup->searched;
    b->victim = INDEX_NONE;
    image_plan(e);
    return maps_init(e, 0, 0) != 0 ? -1 : take_memory(e, setup->informs);
}

void blockmap_inform(struct env* e)
{
    e->blockmap->informs += e->blockmap->info != 0 ? 1u : 0u;
}

/* ---- Where a unit goes ---- */

enum home_place place_at_home(struct env* e, uint64_t unit, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    uint32_t home = home_of(e, lblock);
    FW_ASSERT(e, lblock_at(e, lblock)->pins != 0);
    if (home == INDEX_NONE && second_of(e, lblock) != INDEX_NONE) {
        (void)fold_begin(e, lblock, FTL_NONE); /* as a power-up may leave it */
        return HOME_NO_BLOCK;
    }
    if (home == INDEX_NONE) {
        home = block_open(e, BLOCK_DATA, lblock);
        if (home == INDEX_NONE) {
            return HOME_NO_BLOCK;
        }
    }
    if (page_free(e, home, offset, offset + 1) == INDEX_NONE) {
        return HOME_TAKEN;
    }
    page_take(e, home, offset, unit);
    to->block = home;
    to->page = offset;
    to->kind = SPARE_HOME;
    return HOME_PLACED;
}

bool place_in_log(struct env* e, uint64_t unit, uint32_t block, uint32_t page, struct ftl_place* to)
{
    const uint32_t role = superblock_of(e, e->blocks, block)->role;
    FW_ASSERT(e, role == BLOCK_SECOND || role == BLOCK_LOG || role == BLOCK_DATA);
    page_take(e, block, page, unit);
    to->block = block;
    to->page = page;
    to->kind = role == BLOCK_DATA ? SPARE_HOME : role == BLOCK_SECOND ? SPARE_SECOND : SPARE_SHARED;
    if (role != BLOCK_DATA) {
        slot_used(e, slot_of(e, block));
    }
    return true;
}

bool place_next(struct env* e, uint64_t unit, uint32_t slot, struct ftl_place* to)
{
    const struct block_slot* s = slot_at(e, slot);
    return place_in_log(e, unit, s->block, s->fill, to);
}

enum second_place place_at_offset(struct env* e, uint64_t unit, uint32_t most, struct ftl_place* to)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    uint32_t block = second_of(e, lblock);
    if (block != INDEX_NONE && page_free(e, block, offset, offset + 1) == INDEX_NONE) {
        (void)fold_complete(e, lblock);
        return SECOND_LATER;
    }
    if (block == INDEX_NONE && e->blockmap->second.count >= most) {
        return SECOND_FULL;
    }
    if (block == INDEX_NONE) {
        block = block_open(e, BLOCK_SECOND, lblock);
    }
    if (block == INDEX_NONE) {
        return SECOND_LATER;
    }
    (void)place_in_log(e, unit, block, offset, to);
    return SECOND_PLACED;
}

uint32_t oldest_second(struct env* e)
{
    const struct link* links = env_dram(e, e->blockmap->links);
    uint32_t slot = e->blockmap->second.used.first;
    while (slot != INDEX_NONE && fold_busy(e, slot_at(e, slot)->lblock)) {
        slot = links[slot].next;
    }
    return slot != INDEX_NONE ? slot_at(e, slot)->lblock : INDEX_NONE;
}

bool merge_second(struct env* e, uint32_t lblock, uint32_t partial)
{
    const uint32_t second = second_of(e, lblock);
    const uint64_t first = (uint64_t)lblock * e->blockmap->span;
    const uint64_t left = e->geo->user_units - first;
    const uint32_t all = left < e->blockmap->span ? (uint32_t)left : e->blockmap->span;
    FW_ASSERT(e, second != INDEX_NONE);
    const uint32_t ordered = pages_in_order(e, second);
    const bool in_order = ordered == slot_at(e, slot_of(e, second))->fill;
    return in_order && (partial != 0 || ordered == all) ? fold_complete(e, lblock)
                                                        : fold_begin(e, lblock, FTL_NONE);
}

void merge_log(struct env* e, uint32_t slot)
{
    if (slot_is_second(e, slot)) {
        (void)merge_second(e, slot_at(e, slot)->lblock, 1);
    } else {
        fold_empty(e, slot);
    }
}

/* ---- Of ftl_ops ---- */

uint64_t blockmap_lookup(struct env* e, uint64_t unit)
{
    const uint64_t address = unit_find(e, unit);
    if (address == FTL_NONE) {
        return maps_image_damaged(e) ? FTL_LOST | MAPS_NOWHERE : FTL_NONE;
    }
    return address | (bitmap_get(env_dram(e, e->blockmap->lost), address) ? FTL_LOST : 0);
}

bool blockmap_pin(struct env* e, uint64_t unit)
{
    const uint32_t lblock = unit_lblock(e, unit);
    struct logical_block* l = lblock_at(e, lblock);
    if (fold_busy(e, lblock)) {
        return false;
    }
    FW_ASSERT(e, l->pins != UINT16_MAX);
    ++l->pins;
    return true;
}

void blockmap_unpin(struct env* e, uint64_t unit)
{
    struct logical_block* l = lblock_at(e, unit_lblock(e, unit));
    FW_ASSERT(e, l->pins > 0);
    --l->pins;
}

void blockmap_commit(struct env* e, uint64_t unit, uint64_t address)
{
    FW_ASSERT(e, lblock_at(e, unit_lblock(e, unit))->pins != 0);
    unit_settle(e, unit, address, 0);
}

void blockmap_lose(struct env* e, uint64_t unit)
{
    const uint64_t address = unit_find(e, unit);
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    FW_ASSERT(e, address != FTL_NONE);
    if (!bitmap_get(lost, address)) {
        bitmap_set(lost, address);
        ++e->telemetry->lost_units;
        ++e->telemetry->units_lost;
    }
}

/* The pin is the trim's own. */
bool lblock_idle(const struct env* e, uint32_t lblock)
{
    const struct logical_block* l = lblock_at(e, lblock);
    return e->blockmap->loading == 0 && l->live == 0 && l->pins <= 1;
}

bool blockmap_trim(struct env* e, uint64_t unit)
{
    const uint32_t lblock = unit_lblock(e, unit);
    const struct logical_block* l = lblock_at(e, lblock);
    const bool left = unit_leave(e, unit);
    FW_ASSERT(e, !fold_busy(e, lblock) || e->blockmap->loading != 0);
    if (left && lblock_idle(e, lblock)) {
        if (l->second != 0) {
            block_drop(e, l->second - 1);
        }
        if (l->home != 0) {
            block_drop(e, l->home - 1);
        }
    }
    return left;
}

/* Logical blocks of which nothing is there. */
uint64_t blockmap_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint32_t span = e->blockmap->span;
    uint64_t at = unit;
    for (uint32_t n = 0; n < HOLES_EACH && at < end && !maps_image_damaged(e); ++n) {
        const uint64_t lblock = at / span;
        if (lblock_at(e, lblock)->live != 0) {
            break;
        }
        at = (lblock + 1) * span;
    }
    return (at < end ? at : end) - unit;
}

/* To the end of the logical block, which is pinned, or as far as there is something of it. The last
 * one of those that lie side by side leaves by itself: the scheme may have no use for the block. */
uint64_t blockmap_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint32_t lblock = unit_lblock(e, unit);
    const uint64_t next = ((uint64_t)lblock + 1) * e->blockmap->span;
    const uint64_t stop = next < end ? next : end;
    FW_ASSERT(e, lblock_at(e, lblock)->pins != 0);
    *mapped = 0;
    for (uint64_t u = unit; u < stop && lblock_at(e, lblock)->live != 0; ++u) {
        const uint32_t run = units_in_order(e, u, (uint32_t)(stop - u));
        if (run > 1) {
            units_leave(e, u, run - 1);
            *mapped += run - 1;
            u += run - 1;
        }
        *mapped += (uint64_t)ftl->trim(e, u);
    }
    return stop - unit;
}

uint32_t blockmap_scan(struct env* e, uint64_t unit, uint32_t from, uint32_t* block)
{
    uint32_t first = 0;
    uint32_t page = INDEX_NONE;
    *block = searched_block(e, unit_lblock(e, unit), &first);
    if (*block == INDEX_NONE) {
        return INDEX_NONE;
    }
    page = page_used(e, *block, from, first);
    return page != INDEX_NONE && page_valid(e, *block, page) && page_unit(e, *block, page) == unit
               ? INDEX_NONE
               : page;
}
