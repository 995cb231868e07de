/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/blockmap_pages.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/space/bad.h"
#include "firmware/space/valid.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15) /* 2^64 / golden ratio */

static uint16_t* offset_at(const struct env* e, uint32_t slot, uint32_t page)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, slot < b->seconds && page < e->geo->pages);
    return (uint16_t*)env_dram(e, b->offsets) + (uint64_t)slot * e->geo->pages + page;
}

static uint16_t* spare_at(const struct env* e, uint32_t block, uint32_t page)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, page >= b->span && page < e->geo->pages);
    return (uint16_t*)env_dram(e, b->spares) + (uint64_t)block * b->spare + (page - b->span);
}

static uint32_t shared_page(const struct env* e, uint32_t slot, uint32_t page)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, slot >= b->seconds && page < e->geo->pages);
    return (slot - b->seconds) * e->geo->pages + page;
}

static uint32_t* unit_at(const struct env* e, uint32_t slot, uint32_t page)
{
    return (uint32_t*)env_dram(e, e->blockmap->units) + shared_page(e, slot, page);
}

static uint32_t* bucket_of(const struct env* e, uint64_t unit)
{
    return (uint32_t*)env_dram(e, e->blockmap->buckets) +
           ((unit * GOLDEN) >> (64 - e->blockmap->bucket_bits));
}

/* ---- Taken, valid ---- */

bool page_taken(const struct env* e, uint32_t block, uint32_t page)
{
    return bitmap_get(env_dram(e, e->blockmap->taken), page_address(e, block, page));
}

bool page_valid(const struct env* e, uint32_t block, uint32_t page)
{
    return blocks_valid(e, page_address(e, block, page));
}

void page_name(struct env* e, uint32_t block, uint32_t page, uint64_t unit)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const uint16_t offset = (uint16_t)(unit_offset(e, unit) + 1);
    if (s->role == BLOCK_SECOND || s->role == BLOCK_LOG) {
        struct block_slot* in = slot_at(e, s->owner);
        in->fill = (uint16_t)(page + 1 > in->fill ? page + 1 : in->fill);
        if (s->role == BLOCK_SECOND) {
            *offset_at(e, s->owner, page) = offset;
        } else {
            *unit_at(e, s->owner, page) = (uint32_t)unit + 1;
        }
    } else if (page >= e->blockmap->span) {
        *spare_at(e, block, page) = offset;
    }
}

void page_take(struct env* e, uint32_t block, uint32_t page, uint64_t unit)
{
    FW_ASSERT(e, !page_taken(e, block, page));
    bitmap_set(env_dram(e, e->blockmap->taken), page_address(e, block, page));
    page_name(e, block, page, unit);
}

uint32_t page_free(struct env* e, uint32_t block, uint32_t from, uint32_t end)
{
    if (blocks_good_planes(e, block, 0) == 0) {
        return INDEX_NONE;
    }
    for (uint32_t page = from; page < end; ++page) {
        if (!page_taken(e, block, page)) {
            return page;
        }
    }
    return INDEX_NONE;
}

uint32_t spare_free(struct env* e, uint32_t block)
{
    return page_free(e, block, e->blockmap->span, e->geo->pages);
}

/* The unit of a page, as a block of a role knows it. */
static uint64_t unit_as(struct env* e, const struct page_namer* as, uint32_t block, uint32_t page)
{
    const struct blockmap* b = e->blockmap;
    uint64_t lblock = as->owner;
    uint32_t offset = page + 1;
    if (as->role == BLOCK_LOG) {
        return (uint64_t)*unit_at(e, as->owner, page) - 1; /* 0 becomes FTL_NONE */
    }
    if (as->role == BLOCK_SECOND) {
        lblock = slot_at(e, as->owner)->lblock;
        offset = *offset_at(e, as->owner, page);
    } else if (page >= b->span) {
        offset = *spare_at(e, block, page);
    }
    FW_ASSERT(e, as->role != BLOCK_PAGES);
    return offset == 0 ? FTL_NONE : lblock * b->span + offset - 1;
}

uint64_t page_unit(struct env* e, uint32_t block, uint32_t page)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const struct page_namer as = {s->role, s->owner};
    return page_taken(e, block, page) ? unit_as(e, &as, block, page) : FTL_NONE;
}

uint32_t pages_in_order(struct env* e, uint32_t block)
{
    const struct blockmap* b = e->blockmap;
    uint32_t page = 0;
    while (page < b->span) {
        const uint64_t unit = page_unit(e, block, page);
        if (unit == FTL_NONE || unit % b->span != page) {
            break;
        }
        ++page;
    }
    return page;
}

/* ---- Where a unit lies ---- */

/* Groups: its page of a shared block + 1. */
static uint32_t* place_of(const struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return (uint32_t*)env_dram(e, e->blockmap->groups.at) + unit;
}

static uint64_t find_shared(const struct env* e, uint64_t unit)
{
    const struct blockmap* b = e->blockmap;
    const uint32_t* next = NULL;
    if (b->shared == 0) {
        return FTL_NONE;
    }
    if (b->groups.blocks != 0) {
        const uint32_t k = *place_of(e, unit);
        return k != 0 ? page_address(e, slot_at(e, b->seconds + (k - 1) / e->geo->pages)->block,
                                     (k - 1) % e->geo->pages)
                      : FTL_NONE;
    }
    next = env_dram(e, b->next);
    for (uint32_t k = *bucket_of(e, unit); k != 0; k = next[k - 1]) {
        const uint32_t slot = b->seconds + (k - 1) / e->geo->pages;
        const uint32_t page = (k - 1) % e->geo->pages;
        if (*unit_at(e, slot, page) == unit + 1) {
            return page_address(e, slot_at(e, slot)->block, page);
        }
    }
    FW_ASSERT(e, unit < e->geo->user_units);
    return FTL_NONE;
}

/* The last valid page of [from, end) with that offset. */
static uint64_t find_among(struct env* e, uint32_t block, uint32_t from, uint32_t end,
                           uint64_t unit)
{
    for (uint32_t page = end; page > from; --page) {
        if (page_valid(e, block, page - 1) && page_unit(e, block, page - 1) == unit) {
            return page_address(e, block, page - 1);
        }
    }
    return FTL_NONE;
}

uint64_t unit_find(struct env* e, uint64_t unit)
{
    const struct blockmap* b = e->blockmap;
    const uint32_t lblock = unit_lblock(e, unit);
    const uint32_t offset = unit_offset(e, unit);
    const uint32_t home = home_of(e, lblock);
    const uint32_t second = second_of(e, lblock);
    uint64_t found = FTL_NONE;
    if (lblock_at(e, lblock)->live == 0) {
        return FTL_NONE;
    }
    if (home != INDEX_NONE && page_valid(e, home, offset)) {
        return page_address(e, home, offset);
    }
    if (home != INDEX_NONE && b->span < e->geo->pages) {
        found = find_among(e, home, b->span, e->geo->pages, unit);
    }
    if (found == FTL_NONE && second != INDEX_NONE) {
        const struct superblock* s = superblock_of(e, e->blocks, second);
        found = find_among(e, second, 0, slot_at(e, s->owner)->fill, unit);
    }
    return found != FTL_NONE ? found : find_shared(e, unit);
}

/* ---- Changes ---- */

static void hash_in(struct env* e, uint64_t unit, uint32_t k)
{
    uint32_t* bucket = NULL;
    if (e->blockmap->groups.blocks != 0) {
        *place_of(e, unit) = k + 1;
        return;
    }
    bucket = bucket_of(e, unit);
    ((uint32_t*)env_dram(e, e->blockmap->next))[k] = *bucket;
    *bucket = k + 1;
}

static void hash_out(struct env* e, uint64_t unit, uint32_t k)
{
    uint32_t* next = NULL;
    uint32_t* at = NULL;
    if (e->blockmap->groups.blocks != 0) {
        *place_of(e, unit) = 0;
        return;
    }
    next = env_dram(e, e->blockmap->next);
    at = bucket_of(e, unit);
    while (*at != k + 1) {
        FW_ASSERT(e, *at != 0);
        at = &next[*at - 1];
    }
    *at = next[k];
}

bool unit_leave(struct env* e, uint64_t unit)
{
    struct logical_block* l = lblock_at(e, unit_lblock(e, unit));
    const uint64_t address = unit_find(e, unit);
    if (address == FTL_NONE) {
        return false;
    }
    const struct place p = address_place(e->geo, address);
    const struct superblock* s = superblock_of(e, e->blocks, p.block);
    uint64_t* lost = env_dram(e, e->blockmap->lost);
    if (s->role == BLOCK_LOG) {
        hash_out(e, unit, shared_page(e, s->owner, p.page));
        slot_at(e, s->owner)->changed = 1;
    }
    log_invalid(e, LOG_D, address);
    FW_ASSERT(e, l->live > 0);
    --l->live;
    e->telemetry->lost_units -= bitmap_get(lost, address) ? 1u : 0u;
    bitmap_clear(lost, address);
    return true;
}

/* Of the table of groups: units that follow each other in a shared block. */
static uint32_t shared_in_order(const struct env* e, uint64_t unit, uint32_t most)
{
    const uint32_t* at = place_of(e, unit);
    const uint32_t pages = e->geo->pages;
    const uint32_t room = *at != 0 ? pages - (*at - 1) % pages : 0;
    const uint32_t end = most < room ? most : room;
    uint32_t n = 0;
    while (n < end && at[n] == at[0] + n) {
        ++n;
    }
    env_touch(e, at, n * sizeof *at, false);
    return n;
}

uint32_t units_in_order(struct env* e, uint64_t unit, uint32_t most)
{
    const uint64_t* valid = blocks_valid_map(e);
    const uint64_t address = unit_find(e, unit);
    if (address == FTL_NONE) {
        return 0;
    }
    const struct place p = address_place(e->geo, address);
    uint32_t n = 1;
    if (e->blockmap->groups.blocks != 0) {
        n = shared_in_order(e, unit, most);
    } else if (superblock_of(e, e->blocks, p.block)->role == BLOCK_DATA &&
               p.page == unit_offset(e, unit)) {
        n = (uint32_t)bitmap_run(valid, address, most);
    }
    return bitmap_any(env_dram(e, e->blockmap->lost), address, n) ? 1 : n;
}

void units_leave(struct env* e, uint64_t unit, uint32_t count)
{
    struct logical_block* l = lblock_at(e, unit_lblock(e, unit));
    const uint64_t address = unit_find(e, unit);
    const struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, address));
    FW_ASSERT(e, l->live >= count);
    if (s->role == BLOCK_LOG) {
        mem_zero(place_of(e, unit), count * sizeof(uint32_t));
        slot_at(e, s->owner)->changed = 1;
    }
    blocks_invalidate_run(e, address, count);
    e->telemetry->mapped -= count;
    l->live = (uint16_t)(l->live - count);
}

/* The page holds the unit's newest data. */
static void count_in(struct env* e, uint64_t unit, const struct place* p, uint32_t lost)
{
    const struct superblock* s = superblock_of(e, e->blocks, p->block);
    const uint64_t address = page_address(e, p->block, p->page);
    log_valid(e, LOG_D, address);
    ++lblock_at(e, unit_lblock(e, unit))->live;
    if (s->role == BLOCK_LOG) {
        hash_in(e, unit, shared_page(e, s->owner, p->page));
        slot_at(e, s->owner)->changed = 1;
    }
    if (lost != 0) {
        bitmap_set(env_dram(e, e->blockmap->lost), address);
        ++e->telemetry->lost_units;
    }
}

void unit_settle(struct env* e, uint64_t unit, uint64_t address, uint32_t lost)
{
    const struct place p = address_place(e->geo, address);
    (void)unit_leave(e, unit);
    FW_ASSERT(e, page_unit(e, p.block, p.page) == unit);
    count_in(e, unit, &p, lost);
}

void page_restore(struct env* e, uint32_t block, uint32_t page, uint32_t lost)
{
    const struct place p = {.block = block, .page = page};
    const uint64_t unit = page_unit(e, block, page);
    if (unit < e->geo->user_units && unit_find(e, unit) == FTL_NONE) {
        count_in(e, unit, &p, lost);
    }
}

/* ---- A block becomes one of another role ---- */

void pages_unhash(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    for (uint32_t page = 0; page < e->geo->pages && s->role == BLOCK_LOG; ++page) {
        if (page_valid(e, block, page)) {
            hash_out(e, page_unit(e, block, page), shared_page(e, s->owner, page));
        }
    }
}

void pages_rename(struct env* e, uint32_t block, const struct page_namer* was)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        const uint64_t unit = page_taken(e, block, page) ? unit_as(e, was, block, page) : FTL_NONE;
        if (unit < e->geo->user_units &&
            (s->role != BLOCK_SECOND || unit_lblock(e, unit) == slot_at(e, s->owner)->lblock)) {
            page_name(e, block, page, unit);
        }
        if (s->role != BLOCK_DATA && page_taken(e, block, page)) {
            slot_at(e, s->owner)->fill = (uint16_t)(page + 1); /* one that was torn has no unit */
        }
        if (s->role == BLOCK_LOG && page_valid(e, block, page)) {
            hash_in(e, unit, shared_page(e, s->owner, page));
        }
        FW_ASSERT(e, !page_valid(e, block, page) || page_unit(e, block, page) == unit);
    }
}

/* ---- Searches ---- */

uint32_t searched_block(const struct env* e, uint32_t lblock, uint32_t* first)
{
    const struct blockmap* b = e->blockmap;
    switch (b->searched) {
    case SEARCHED_SPARES:
        *first = b->span;
        return home_of(e, lblock);
    case SEARCHED_SECOND:
        *first = 0;
        return second_of(e, lblock);
    default:
        return INDEX_NONE;
    }
}

uint32_t page_used(const struct env* e, uint32_t block, uint32_t from, uint32_t first)
{
    uint32_t page = from;
    while (page > first && !page_taken(e, block, page - 1)) {
        --page;
    }
    return page > first ? page - 1 : INDEX_NONE;
}
