/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/blocks/blockmap_groups.h"

#include "firmware/blocks/blockmap_pages.h"
#include "firmware/lib/arena.h"
#include "firmware/space/state.h"

struct group* group_at(const struct env* e, uint32_t group)
{
    FW_ASSERT(e, group < e->blockmap->lblocks);
    return env_dram_entry(e, e->blockmap->groups.table, group, sizeof(struct group));
}

static struct link* block_links(const struct env* e)
{
    return (struct link*)env_dram(e, e->blockmap->groups.links);
}

static struct link* write_links(const struct env* e)
{
    return (struct link*)env_dram(e, e->blockmap->groups.writes);
}

static void clear(struct env* e)
{
    struct groups* all = &e->blockmap->groups;
    for (uint32_t group = 0; group < e->blockmap->lblocks; ++group) {
        struct group* g = group_at(e, group);
        chain_init(&g->blocks);
        g->count = 0;
        g->current = INDEX_NONE;
        g->shrinks = INDEX_NONE;
    }
    chain_init(&all->long_ones);
    all->updates = 0;
}

int groups_take_memory(struct env* e)
{
    const struct blockmap* b = e->blockmap;
    struct groups* all = &e->blockmap->groups;
    if (all->blocks == 0) {
        return 0;
    }
    all->table = dram_take_pages(e, (uint64_t)b->lblocks * sizeof(struct group));
    all->links = dram_take_pages(e, (uint64_t)b->shared * sizeof(struct link));
    all->writes = dram_take_pages(e, (uint64_t)b->lblocks * sizeof(struct link));
    all->at = dram_take_pages(e, e->geo->user_units * sizeof(uint32_t));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    clear(e);
    return 0;
}

/* Blocks that the units of the group fill. */
static uint32_t group_blocks(const struct env* e, uint32_t group)
{
    const struct blockmap* b = e->blockmap;
    const uint64_t left = e->geo->user_units - (uint64_t)group * b->span;
    return left >= b->span ? b->groups.blocks
                           : (uint32_t)((left + e->geo->pages - 1) / e->geo->pages);
}

void group_add(struct env* e, uint32_t group, uint32_t slot)
{
    struct groups* all = &e->blockmap->groups;
    struct group* g = group_at(e, group);
    const uint32_t plain = group_blocks(e, group);
    chain_append(&g->blocks, block_links(e), slot);
    g->current = slot;
    if (++g->count > plain) {
        ++all->updates;
    }
    if (g->count == plain + 1) {
        chain_append(&all->long_ones, write_links(e), group);
    }
}

void group_remove(struct env* e, uint32_t group, uint32_t slot)
{
    struct groups* all = &e->blockmap->groups;
    struct group* g = group_at(e, group);
    const uint32_t plain = group_blocks(e, group);
    FW_ASSERT(e, g->count > 0);
    chain_remove(&g->blocks, block_links(e), slot);
    g->current = g->current == slot ? INDEX_NONE : g->current;
    if (g->count == plain + 1) {
        chain_remove(&all->long_ones, write_links(e), group);
    }
    if (g->count-- > plain) {
        --all->updates;
    }
}

/* Pages are written in order, behind those that are taken, torn ones too. */
static void find_fill(struct env* e, struct block_slot* s)
{
    for (uint32_t page = e->geo->pages; page > s->fill; --page) {
        if (page_taken(e, s->block, page - 1)) {
            s->fill = (uint16_t)page;
        }
    }
}

/* Of several blocks with pages to be written the last one is. */
void groups_found(struct env* e)
{
    const struct blockmap* b = e->blockmap;
    const struct link* links = env_dram(e, b->links);
    if (b->groups.blocks == 0) {
        return;
    }
    clear(e);
    for (uint32_t slot = b->shared_in.used.first; slot != INDEX_NONE; slot = links[slot].next) {
        const struct superblock* s = superblock_of(e, e->blocks, slot_at(e, slot)->block);
        const uint32_t group = slot_at(e, slot)->lblock;
        uint32_t page = 0;
        if (s->role != BLOCK_LOG || s->owner != slot) {
            continue; /* part of the image could not be read */
        }
        struct group* g = group_at(e, group);
        const uint32_t before = g->current;
        find_fill(e, slot_at(e, slot));
        group_add(e, group, slot);
        if (group_current(e, group, &page) == INDEX_NONE) {
            g->current = before;
        }
    }
}

uint32_t group_current(struct env* e, uint32_t group, uint32_t* page)
{
    const struct group* g = group_at(e, group);
    if (g->current == INDEX_NONE) {
        return INDEX_NONE;
    }
    const struct block_slot* s = slot_at(e, g->current);
    FW_ASSERT(e, s->block != INDEX_NONE && s->lblock == group);
    *page = page_free(e, s->block, s->fill, e->geo->pages);
    return *page != INDEX_NONE ? s->block : INDEX_NONE;
}

void group_written(struct env* e, uint32_t group)
{
    struct groups* all = &e->blockmap->groups;
    if (group_at(e, group)->count > group_blocks(e, group)) {
        chain_remove(&all->long_ones, write_links(e), group);
        chain_append(&all->long_ones, write_links(e), group);
    }
}

uint32_t groups_longer(const struct env* e)
{
    return e->blockmap->groups.long_ones.first;
}

uint32_t group_longer(const struct env* e, uint32_t group)
{
    return write_links(e)[group].next;
}

bool group_is_longest(const struct env* e, uint32_t group)
{
    return group_at(e, group)->count >= group_blocks(e, group) + e->blockmap->groups.most;
}

bool group_may_grow(const struct env* e, uint32_t group)
{
    const struct groups* all = &e->blockmap->groups;
    const uint32_t count = group_at(e, group)->count;
    const uint32_t plain = group_blocks(e, group);
    return count < plain || (count < plain + all->most && all->updates < all->total);
}

uint32_t group_victim(struct env* e, uint32_t group)
{
    const struct group* g = group_at(e, group);
    uint32_t page = 0;
    const uint32_t current = group_current(e, group, &page);
    uint32_t victim = INDEX_NONE;
    uint32_t fewest = e->geo->pages;
    for (uint32_t slot = g->blocks.first; slot != INDEX_NONE; slot = block_links(e)[slot].next) {
        const uint32_t block = slot_at(e, slot)->block;
        const uint32_t valid = superblock_of(e, e->blocks, block)->valid;
        /* What is still to be written of a block is no gain, unless nothing else of it counts. */
        if (valid < fewest && (block != current || valid == 0)) {
            victim = block;
            fewest = valid;
        }
    }
    return victim;
}

void group_close(struct env* e, uint32_t group, uint32_t block)
{
    struct group* g = group_at(e, group);
    if (g->current != INDEX_NONE && slot_at(e, g->current)->block == block) {
        g->current = INDEX_NONE;
    }
}
