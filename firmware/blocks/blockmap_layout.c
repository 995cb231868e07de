/* SPDX-License-Identifier: Apache-2.0
 *
 * What schemes of block mapping do beside mapping units (map/layout.h).
 */
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/found.h"
#include "firmware/blocks/image.h"
#include "firmware/map/ftl.h"
#include "firmware/space/blocks_boot.h"

/* Every page has a place, which the scheme tells: no unit is appended to a stream. */
static bool never_appends(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return false;
}

static void never_appended(struct env* e, uint32_t block)
{
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->role == BLOCK_PAGES);
}

static void never_starves(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
}

/* What is erased may be a log block still, with programs since the base, if the power goes. */
static uint32_t kept(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    if (s->role != BLOCK_PAGES) {
        return LAYOUT_PLACED | (found_open(e, block) ? LAYOUT_FOLLOWS : 0);
    }
    return s->state > BLOCK_FULL && s->state < BLOCK_DEAD ? LAYOUT_FOLLOWS : 0;
}

/* A record of what the last checkpoint says is of its set of pages. */
static void reopens(struct env* e)
{
    e->blockmap->next_set = e->blockmap->set;
    FW_ASSERT(e, e->blockmap->set <= 1);
}

static void no_unit(struct env* e, const struct spare_unit* u, uint64_t address)
{
    (void)u;
    (void)address;
    FW_ASSERT(e, 0 && "replay.c replays all of them");
}

static void trim(struct env* e, uint64_t unit, uint64_t end)
{
    for (uint64_t u = unit; u < end; ++u) {
        (void)blockmap_trim(e, u);
    }
}

static void no_entry(struct env* e, uint64_t entry)
{
    (void)entry;
    FW_ASSERT(e, 0 && "pages of an image have no entries");
}

const struct ftl_layout blockmap_layout = {
    .logical_blocks = 1,
    .any_page = 1,
    .overhead = blockmap_overhead,
    .step = blockmap_step,
    .idle = folds_idle,
    .settle = layout_no,
    .settled = layout_nothing,
    .room = layout_yes,
    .appends = never_appends,
    .appended = never_appended,
    .starves = never_starves,
    .moves = blockmap_moves,
    .quiet = image_quiet,
    .begins = image_take,
    .recorded = image_done,
    .reopens = reopens,
    .kept = kept,
    .bytes = image_table_bytes,
    .store = image_store,
    .load = image_load,
    .counts = layout_nothing,
    .boot = blockmap_boot,
    .merged = found_kind,
    .torn = blocks_erase_again,
    .check = layout_nothing,
    .scan = layout_nothing,
    .read = blockmap_read,
    .replay = blockmap_replay,
    .unit = no_unit,
    .trim = trim,
    .count = no_entry,
};
