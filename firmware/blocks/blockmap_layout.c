/* SPDX-License-Identifier: Apache-2.0
 *
 * What schemes of block mapping do beside mapping units (map/layout.h): main loop, checkpoints and
 * power-up. At power-up the image comes in (blockmap_image.h), and after a loss of power what has
 * been programmed since (blockmap_found.h). Pages of a block are programmed in any order, so an
 * erased page is no end: all pages are looked at of a block that had room at the record, that has a
 * newer page 0, or an erased one. Of one that was full page 0 tells that nothing has changed.
 */
#include "firmware/blocks/blockmap.h"

#include "firmware/blocks/blockmap_fold.h"
#include "firmware/blocks/blockmap_found.h"
#include "firmware/blocks/blockmap_image.h"
#include "firmware/blocks/blockmap_logs.h"
#include "firmware/durable/replay.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/durable/window.h"
#include "firmware/map/maps.h"
#include "firmware/map/modes.h"
#include "firmware/space/bad.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"

static uint64_t overhead(const struct env* e)
{
    const struct blockmap* b = e->blockmap;
    return (uint64_t)b->planned * e->geo->pages - e->geo->user_units;
}

/* ---- Main loop, buffer, collection ---- */

static bool moves(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
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
    while (b->informs != 0 && maps_put_unit(e, spare_pack(SPARE_PAD, 0), b->info) != INDEX_NONE) {
        --b->informs;
    }
    maps_hurry_all(e);
}

static void step(struct env* e)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (ftl->tend != NULL && !ftl_stops(e)) {
        ftl->tend(e);
    }
    folds_step(e);
    if (e->blockmap->informs != 0) {
        put_info(e);
    }
}

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

/* ---- Checkpoints ---- */

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
}

/* ---- Power-up ---- */

static int fetch(struct env* e)
{
    for (uint64_t page = 0; page < maps_pages(e, 1); ++page) {
        while (!maps_resides(e, 1, page)) {
            if (!replay_ask(e, 1, page) || (maps_reading(e) && !boot_poll(e))) {
                return -1;
            }
        }
    }
    return 0;
}

static int boot(struct env* e)
{
    if (fetch(e) != 0) {
        return -1;
    }
    e->blockmap->loading = 1;
    image_apply(e);
    groups_found(e);
    e->blockmap->loading = 0;
    return 0;
}

/* The same answer for each page of a block, whatever has been found in others. */
static bool is_looked_at(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    if (blocks_good_planes(e, block, 0) == 0 && !scan_merged(e, block)) {
        return false;
    }
    return s->state < BLOCK_VICTIM && scan_may_differ(e, block);
}

static uint32_t place_of_block(struct env* e, uint32_t n, struct place* out)
{
    out->block = n;
    return is_looked_at(e, n) ? 1 : 0;
}

static void page_read(struct env* e, const struct flash_request* r, const uint64_t* words)
{
    uint64_t sequence = 0;
    enum found_page what = FOUND_UNREADABLE;
    if (words != NULL && words[0] == UINT64_MAX) {
        what = FOUND_ERASED;
    } else if (words != NULL && spare_read(e, words, &sequence)) {
        what = checkpoint_lacks(e, sequence) ? FOUND_NEWER : FOUND_OLDER;
    }
    if (e->blockmap->looked == 0) {
        found_page(e, r->block, r->page, what);
    }
    if (words != NULL && what != FOUND_ERASED) {
        (void)scan_words(e, r, 0, words);
    }
    FW_ASSERT(e, scan_may_differ(e, r->block));
}

/* A block that was ours at the base may hold pages of maps now, and the other way round. */
static void sort_blocks(struct env* e)
{
    for (uint32_t block = 0; block < e->geo->blocks; ++block) {
        struct superblock* s = superblock_of(e, e->blocks, block);
        const bool looked = is_looked_at(e, block);
        if (!looked && s->role != BLOCK_PAGES && !scan_merged(e, block)) {
            s->flags |= BLOCK_AGAIN;
        }
        found_block(e, block, looked);
    }
    e->blockmap->looked = 1;
}

static int scan(struct env* e)
{
    for (uint32_t page = 0; page < e->geo->pages; ++page) {
        if (scan_each(e, e->geo->blocks, page, place_of_block) != 0) {
            return -1;
        }
    }
    if (e->blockmap->looked == 0) {
        sort_blocks(e);
    }
    return 0;
}

static bool found_unit(struct env* e, const struct spare_unit* u, uint64_t address)
{
    found_program(e, u, address);
    return true;
}

static int replay(struct env* e, struct trims* trims)
{
    if (fetch(e) != 0) {
        return -1;
    }
    e->blockmap->loading = 1;
    e->blockmap->looked = 0;
    image_apply(e);
    if (window_apply(e, trims, scan, found_unit) != 0) {
        return -1;
    }
    found_end(e);
    groups_found(e);
    e->blockmap->loading = 0;
    blocks_count_free(e);
    return hal_stopping(e->hal) ? -1 : 1;
}

static void no_unit(struct env* e, const struct spare_unit* u, uint64_t address)
{
    (void)u;
    (void)address;
    FW_ASSERT(e, 0 && "replay takes all of them");
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
    .overhead = overhead,
    .step = step,
    .idle = folds_idle,
    .settle = layout_no,
    .settled = layout_nothing,
    .room = layout_yes,
    .appends = never_appends,
    .appended = never_appended,
    .starves = never_starves,
    .moves = moves,
    .quiet = image_quiet,
    .begins = image_take,
    .recorded = image_done,
    .reopens = reopens,
    .kept = kept,
    .bytes = image_table_bytes,
    .store = image_store,
    .load = image_load,
    .counts = layout_nothing,
    .boot = boot,
    .merged = found_kind,
    .torn = blocks_erase_again,
    .check = layout_nothing,
    .scan = layout_nothing,
    .read = page_read,
    .replay = replay,
    .unit = no_unit,
    .trim = trim,
    .count = no_entry,
};
