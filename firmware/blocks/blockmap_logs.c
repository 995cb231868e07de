/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks by their role: taken from the free ones, which take turns over channels and LUNs, and
 * given back. Second and shared blocks have a slot each, which knows what is in their pages.
 */
#include "firmware/blocks/blockmap_logs.h"

#include "firmware/blocks/blockmap_groups.h"
#include "firmware/blocks/blockmap_pages.h"
#include "firmware/blocks/logical.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"

static struct link* links_of(const struct env* e)
{
    return (struct link*)env_dram(e, e->blockmap->links);
}

static struct log_list* list_of(const struct env* e, uint32_t slot)
{
    return slot < e->blockmap->seconds ? &e->blockmap->second : &e->blockmap->shared_in;
}

/* ---- Slots ---- */

void logs_init(struct env* e)
{
    struct blockmap* b = e->blockmap;
    struct link* links = env_dram(e, b->links);
    chain_init(&b->second.used);
    chain_init(&b->second.free);
    chain_init(&b->shared_in.used);
    chain_init(&b->shared_in.free);
    for (uint32_t slot = 0; slot < b->seconds + b->shared; ++slot) {
        slot_at(e, slot)->block = INDEX_NONE;
        chain_append(slot < b->seconds ? &b->second.free : &b->shared_in.free, links, slot);
    }
}

uint32_t slot_of(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, slot_at(e, s->owner)->block == block);
    return s->owner;
}

void slot_used(struct env* e, uint32_t slot)
{
    struct log_list* l = list_of(e, slot);
    slot_at(e, slot)->used = ++e->blockmap->slot_uses;
    if (l->used.last != slot) {
        chain_remove(&l->used, links_of(e), slot);
        chain_append(&l->used, links_of(e), slot);
    }
}

/* What the pages of a slot hold is forgotten. */
static void clear_slot(struct env* e, uint32_t slot)
{
    const struct blockmap* b = e->blockmap;
    if (slot < b->seconds) {
        mem_zero((uint16_t*)env_dram(e, b->offsets) + (uint64_t)slot * e->geo->pages,
                 e->geo->pages * sizeof(uint16_t));
    } else {
        mem_zero((uint32_t*)env_dram(e, b->units) + (uint64_t)(slot - b->seconds) * e->geo->pages,
                 e->geo->pages * sizeof(uint32_t));
        mem_zero(slot_notes(e, slot), b->notes * sizeof(uint32_t));
    }
    slot_at(e, slot)->fill = 0;
    slot_at(e, slot)->mark = 0;
    slot_at(e, slot)->changed = 1;
}

static uint32_t slot_take(struct env* e, struct log_list* l, uint32_t block, uint32_t lblock)
{
    const uint32_t slot = l->free.first;
    FW_ASSERT(e, slot != INDEX_NONE);
    chain_remove(&l->free, links_of(e), slot);
    chain_append(&l->used, links_of(e), slot);
    ++l->count;
    clear_slot(e, slot);
    slot_at(e, slot)->block = block;
    slot_at(e, slot)->lblock = lblock;
    return slot;
}

void slot_free(struct env* e, uint32_t slot)
{
    struct log_list* l = list_of(e, slot);
    FW_ASSERT(e, l->count > 0 && slot_at(e, slot)->block != INDEX_NONE);
    chain_remove(&l->used, links_of(e), slot);
    chain_append(&l->free, links_of(e), slot);
    --l->count;
    slot_at(e, slot)->block = INDEX_NONE;
}

/* ---- Roles ---- */

static struct log_list* list_for(const struct env* e, uint32_t role)
{
    return role == BLOCK_SECOND ? &e->blockmap->second
           : role == BLOCK_LOG  ? &e->blockmap->shared_in
                                : NULL;
}

/* Groups of blocks: while power-up goes on nobody asks for them. */
static bool is_grouped(const struct env* e)
{
    return e->blockmap->groups.blocks != 0 && e->blockmap->loading == 0;
}

void block_adopt(struct env* e, uint32_t block, uint32_t role, uint32_t lblock)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    struct log_list* list = list_for(e, role);
    FW_ASSERT(e, s->role == BLOCK_PAGES && s->state == BLOCK_FULL);
    s->role = (uint8_t)role;
    s->owner = list != NULL ? slot_take(e, list, block, lblock) : lblock;
    if (role == BLOCK_DATA) {
        FW_ASSERT(e, lblock_at(e, lblock)->home == 0);
        lblock_at(e, lblock)->home = block + 1;
    } else if (role == BLOCK_SECOND) {
        FW_ASSERT(e, lblock_at(e, lblock)->second == 0);
        lblock_at(e, lblock)->second = block + 1;
    } else if (role == BLOCK_LOG && is_grouped(e)) {
        group_add(e, lblock, s->owner);
    }
}

uint32_t block_open(struct env* e, uint32_t role, uint32_t lblock)
{
    const struct log_list* list = list_for(e, role);
    if (list != NULL && list->free.first == INDEX_NONE) {
        return INDEX_NONE;
    }
    const uint32_t block = logical_take(e);
    if (block == INDEX_NONE) {
        return INDEX_NONE;
    }
    /* Refresh and wear levelling look at full blocks: it is one of them, whatever is free in it. */
    blocks_filled_up(e, block);
    block_adopt(e, block, role, lblock);
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->valid == 0);
    return block;
}

/* The pages are as after an erase. */
static void forget_pages(struct env* e, uint32_t block)
{
    const struct blockmap* b = e->blockmap;
    bitmap_empty(env_dram(e, b->taken), page_address(e, block, 0), e->geo->pages);
    if (b->spare != 0) {
        mem_zero((uint16_t*)env_dram(e, b->spares) + (uint64_t)block * b->spare,
                 b->spare * sizeof(uint16_t));
    }
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->valid == 0);
}

/* It is nobody's any more. */
void block_unlink(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role == BLOCK_SECOND) {
        struct logical_block* l = lblock_at(e, slot_at(e, s->owner)->lblock);
        FW_ASSERT(e, l->second == block + 1);
        l->second = 0;
        slot_free(e, s->owner);
    } else if (s->role == BLOCK_LOG) {
        if (is_grouped(e)) {
            group_remove(e, slot_at(e, s->owner)->lblock, s->owner);
        }
        slot_free(e, s->owner);
    } else if (s->role == BLOCK_DATA) {
        FW_ASSERT(e, lblock_at(e, s->owner)->home == block + 1);
        lblock_at(e, s->owner)->home = 0;
    }
    s->role = BLOCK_PAGES;
}

void block_forget(struct env* e, uint32_t block)
{
    block_unlink(e, block);
    forget_pages(e, block);
}

void block_drop(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const bool log =
        s->role == BLOCK_SECOND || (s->role == BLOCK_LOG && e->blockmap->groups.blocks == 0);
    FW_ASSERT(e, s->valid == 0 && s->role != BLOCK_PAGES);
    if (e->blockmap->loading == 0) {
        *(log ? &e->telemetry->erases_log : &e->telemetry->erases_data) += 1;
    }
    block_forget(e, block);
    if (e->blockmap->loading == 0) {
        blocks_discard(e, block, FLASH_PURPOSE_MERGE);
    }
}

void block_turn(struct env* e, uint32_t block, uint32_t role, uint32_t lblock)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    const struct page_namer was = {s->role, s->owner};
    FW_ASSERT(e, was.role != role && was.role != BLOCK_PAGES);
    pages_unhash(e, block);
    block_unlink(e, block); /* the names of its pages stay until the slot is taken again */
    block_adopt(e, block, role, lblock);
    pages_rename(e, block, &was);
}

void second_promote(struct env* e, uint32_t lblock)
{
    struct logical_block* l = lblock_at(e, lblock);
    const uint32_t block = second_of(e, lblock);
    FW_ASSERT(e, block != INDEX_NONE);
    if (l->home != 0) {
        block_drop(e, home_of(e, lblock));
    }
    block_unlink(e, block);
    block_adopt(e, block, BLOCK_DATA, lblock);
}

/* ---- What hybrid schemes choose a log block by ---- */

uint32_t* slot_notes(const struct env* e, uint32_t slot)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, slot >= b->seconds && slot < b->seconds + b->shared);
    return (uint32_t*)env_dram(e, b->noted) + (uint64_t)(slot - b->seconds) * b->notes;
}

bool slot_open(struct env* e, uint32_t slot)
{
    const struct block_slot* s = slot_at(e, slot);
    FW_ASSERT(e, s->block != INDEX_NONE && s->fill <= e->geo->pages);
    return s->fill < e->geo->pages && slot != e->blockmap->victim &&
           page_free(e, s->block, s->fill, s->fill + 1) == s->fill;
}

uint32_t slot_lblocks(struct env* e, uint32_t slot, const uint32_t** list)
{
    const struct blockmap* b = e->blockmap;
    const struct block_slot* s = slot_at(e, slot);
    uint32_t* found = (uint32_t*)env_dram(e, b->noted) + (uint64_t)b->shared * b->notes;
    uint32_t count = 0;
    for (uint32_t page = 0; page < s->fill; ++page) {
        uint32_t n = 0;
        if (!page_valid(e, s->block, page)) {
            continue;
        }
        const uint32_t lblock = unit_lblock(e, page_unit(e, s->block, page));
        while (n < count && found[n] != lblock) {
            ++n;
        }
        found[n] = lblock;
        count += n == count ? 1u : 0u;
    }
    *list = found;
    return count;
}
