/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets of merges, as power-up finds them. The last page tells that such a block is whole: then
 * all of a logical block lies in it, page n in page n, and the other pages tell nothing more. A
 * block without its last page is garbage. So one page of each is read, not all of them, however
 * large blocks are.
 */
#include "firmware/blocks/hybrid.h"
#include "firmware/durable/reads.h"
#include "firmware/durable/scan.h"
#include "firmware/durable/scan_seen.h"
#include "firmware/space/blocks_boot.h"
#include "firmware/space/blocks_single.h"
#include "firmware/space/spare.h"

static uint32_t place_of_target(struct env* e, uint32_t n, struct place* out)
{
    out->block = n;
    return scan_wants(e, n) && scan_merged(e, n) ? e->geo->plane_all & ~blocks_hidden(e, n, 0) : 0;
}

void hybrid_target_read(struct env* e, const struct flash_request* r, const uint64_t* words)
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
    FW_ASSERT(e, low <= e->geo->pages);
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

void hybrid_targets_scan(struct env* e)
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
    FW_ASSERT(e, e->geo->luns == 1 && e->geo->planes == 1);
}
