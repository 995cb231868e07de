/* SPDX-License-Identifier: Apache-2.0
 *
 * Block mapping: sizes and memory, and its part of the main loop.
 */
#include "firmware/blocks/blockmap.h"

#include "firmware/blocks/empty.h"
#include "firmware/blocks/image.h"
#include "firmware/blocks/place.h"
#include "firmware/blocks/search.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl_setup.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/space/reserve.h"
#include "firmware/space/spare.h"
#include "models/regs/choices/page_order.h"

static void init_slots(struct env* e)
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
    FW_ASSERT(e, b->second.count == 0 && b->shared_in.count == 0);
}

static int take_memory(struct env* e, uint32_t informs)
{
    struct blockmap* b = e->blockmap;
    const struct geometry* g = e->geo;
    const uint64_t bits = ((uint64_t)g->blocks * g->pages + 63) / 64 * sizeof(uint64_t);
    const uint32_t slots = b->seconds + b->shared;
    const uint32_t list = b->notes != 0 ? b->pages : 0;
    const uint32_t entries = b->shared * b->pages;
    const uint32_t hashed = b->groups.blocks == 0 ? entries : 0; /* else units have a table */
    b->bucket_bits = bits_for(2 * (hashed != 0 ? hashed : 1));
    b->map = dram_take_pages(e, (uint64_t)b->lblocks * sizeof(struct logical_block));
    b->taken = dram_take_pages(e, bits);
    b->lost = dram_take_pages(e, bits);
    b->seen = dram_take_pages(e, bits);
    b->slots = dram_take(e, (uint64_t)slots * sizeof(struct block_slot));
    b->links = dram_take(e, (uint64_t)slots * sizeof(struct link));
    b->offsets = dram_take_pages(e, (uint64_t)b->seconds * b->pages * sizeof(uint16_t));
    b->spares = dram_take_pages(e, (uint64_t)g->blocks * b->spare * sizeof(uint16_t));
    b->units = dram_take_pages(e, (uint64_t)entries * sizeof(uint32_t));
    b->next = dram_take_pages(e, (uint64_t)hashed * sizeof(uint32_t));
    b->buckets = dram_take_pages(e, (UINT64_C(1) << b->bucket_bits) * sizeof(uint32_t));
    b->noted = dram_take_pages(e, ((uint64_t)b->shared * b->notes + list) * sizeof(uint32_t));
    b->info = informs != 0 ? dram_take_pages(e, g->unit_size) : 0;
    b->folds.jobs = dram_take(e, b->folds.most * sizeof(struct fold));
    b->folds.buffers = dram_take_pages(e, (uint64_t)b->folds.most << g->unit_shift);
    if (groups_take_memory(e) != 0 || e->arenas->absent != 0) {
        return arenas_result(e);
    }
    init_slots(e);
    return 0;
}

static int refuse(struct env* e, const char* what, uint64_t a, uint64_t b)
{
    FW_ASSERT(e, what != NULL);
    hal_log(e->hal, HAL_LOG_ERROR, what, a, b);
    return -1;
}

int blockmap_init(struct env* e, const struct ftl_setup* how, const struct blockmap_setup* setup)
{
    struct blockmap* b = e->blockmap;
    const struct geometry* g = e->geo;
    const uint32_t slack = BLOCKMAP_SLACK(g->part.luns);
    const uint32_t grouped =
        setup->group != 0 ? (uint32_t)((g->user_units + g->pages - 1) / g->pages) : 0;
    if (g->luns != 1 || g->planes != 1 || g->page_units != 1 || g->pages > UINT16_MAX - 1) {
        return refuse(e, "logical blocks want superblocks of a block, units of a page; LUNs, units",
                      g->luns * g->planes, g->page_units);
    }
    if (setup->any != 0 && how->placed.page_order != PAGE_ORDER_ANY) {
        return refuse(e, "a part that takes pages of a block in order only: this scheme does not",
                      setup->any, 0);
    }
    if (setup->spare >= g->pages) {
        return refuse(e, "spare pages, pages of a block", setup->spare, g->pages);
    }
    blocks_keep_apart(e);
    b->pages = g->pages;
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
    b->searched = how->placed.ram_index != 0 ? SEARCHED_NONE : setup->searched;
    b->victim = INDEX_NONE;
    FW_ASSERT(e, b->folds.most != 0);
    image_plan(e);
    return maps_init(e, 0, 0) != 0 ? -1 : take_memory(e, setup->informs);
}

uint64_t blockmap_overhead(const struct env* e)
{
    const struct blockmap* b = e->blockmap;
    FW_ASSERT(e, b->planned != 0);
    return (uint64_t)b->planned * b->pages - e->geo->user_units;
}

void blockmap_merged(struct env* e, uint32_t lblocks)
{
    struct telemetry* s = e->telemetry;
    FW_ASSERT(e, lblocks != 0);
    ++s->merged_logs;
    s->merged_logical_blocks += lblocks;
    s->merged_logical_blocks_max =
        lblocks > s->merged_logical_blocks_max ? lblocks : s->merged_logical_blocks_max;
}

bool blockmap_moves(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->role <= BLOCK_SECOND);
    switch (s->role) {
    case BLOCK_DATA:
        (void)fold_begin(e, s->owner, FTL_NONE);
        return true;
    case BLOCK_SECOND:
        (void)fold_begin(e, slot_at(e, s->owner)->lblock, FTL_NONE);
        return true;
    case BLOCK_LOG:
        if (e->blockmap->groups.blocks != 0) {
            (void)fold_out(e, slot_at(e, s->owner)->lblock, block);
        } else {
            fold_empty(e, s->owner);
        }
        return true;
    default:
        return s->role != BLOCK_PAGES;
    }
}

void blockmap_inform(struct env* e)
{
    FW_ASSERT(e, e->blockmap->pages != 0);
    e->blockmap->informs += e->blockmap->info != 0 ? 1u : 0u;
}

/* A list of the log blocks and whose they are, as far as a page takes them: nobody reads it. */
static void put_info(struct env* e)
{
    struct blockmap* b = e->blockmap;
    uint32_t* word = env_dram(e, b->info);
    const uint32_t most = e->geo->unit_size / (2 * (uint32_t)sizeof *word);
    for (uint32_t slot = 0; slot < b->seconds && slot < most; ++slot) {
        word[2 * slot] = slot_at(e, slot)->block;
        word[2 * slot + 1] = slot_at(e, slot)->lblock;
    }
    while (b->informs != 0 && maps_put_unit(e, spare_pack(SPARE_PAD, 0), b->info)) {
        --b->informs;
    }
    maps_hurry_all(e);
    FW_ASSERT(e, b->info != 0);
}

void blockmap_step(struct env* e)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    FW_ASSERT(e, e->blockmap->pages != 0);
    if (ftl->tend != NULL && !ftl_stops(e)) {
        ftl->tend(e);
    }
    folds_step(e);
    if (e->blockmap->informs != 0) {
        put_info(e);
    }
}
