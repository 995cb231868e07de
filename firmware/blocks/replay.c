/* SPDX-License-Identifier: Apache-2.0
 *
 * Power-up with block mapping: the image comes in (image.h), and after a loss of power
 * what has been programmed since (found.h). Pages of a block are programmed in any order,
 * so an erased page is no end: all pages are looked at of a block that had room at the record, that
 * has a newer page 0, or an erased one. Of one that was full page 0 tells that nothing has changed.
 */
#include "firmware/durable/replay.h"
#include "firmware/blocks/blockmap.h"
#include "firmware/blocks/found.h"
#include "firmware/blocks/image.h"
#include "firmware/durable/reads.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/durable/window.h"
#include "firmware/map/maps.h"
#include "firmware/space/blocks_boot.h"
#include "firmware/space/spare.h"

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

int blockmap_boot(struct env* e)
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

/* ---- Scan ---- */

/* The same answer for each page of a block, whatever has been found in others. */
static bool is_looked_at(struct env* e, uint32_t block)
{
    const struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
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

void blockmap_read(struct env* e, const struct flash_request* r, const uint64_t* words)
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
    FW_ASSERT(e, e->blockmap->loading != 0);
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

/* ---- Replay ---- */

int blockmap_replay(struct env* e, struct trims* trims)
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
