/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/padding.h"

#include "firmware/ops/flash.h"
#include "firmware/ops/passes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/spare.h"

enum { BLOCKS_MOST = 2 * STREAMS_ALL };

/* Programs a page of some planes with nothing. false = there is no request for it. */
static bool pad(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes)
{
    struct write_unit w;
    const uint32_t i = flash_take(e, OWNER_PAD);
    if (i == INDEX_NONE) {
        return false;
    }
    if (!blocks_place_on(e, stream, lun, planes, &w)) {
        flash_free(e, i);
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    flash_program_pages(e, r, FLASH_PURPOSE_HOST, 1);
    r->plane_mask = (uint8_t)w.plane_mask;
    r->lun = (uint16_t)w.lun;
    r->block = w.block;
    r->page = w.page;
    for (uint32_t n = 0; n < w.units; ++n) {
        flash_list(e, i)[n] = e->flash->zero;
        flash_oob(e, i)[spare_word(e->geo, n)] = spare_pack(SPARE_PAD, 0);
    }
    flash_submit(e, i);
    return true;
}

/* Behind the word line that the fine pass of the last data needs. */
static uint32_t end_for(struct env* e, const struct lun_passes* l, uint32_t block)
{
    uint32_t line = 0;
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        const struct flash_request* r = flash_request_of(e, i);
        if (r->block == block && r->owner != OWNER_PAD) {
            line = passes_line(e, r);
        }
    }
    const uint32_t end = (line + 2) * e->geo->word_line;
    return end < e->geo->pages ? end : e->geo->pages;
}

static void fill_up(struct env* e, const struct lun_passes* l, uint32_t lun, uint32_t block)
{
    const uint32_t end = end_for(e, l, block);
    for (;;) {
        const uint32_t stream = blocks_writer(e, block);
        if (stream == INDEX_NONE) {
            return;
        }
        const uint32_t planes = blocks_next_planes(e, stream, lun, 0);
        if (planes == 0 || blocks_page_of(e, stream, lun) >= end || !pad(e, stream, lun, planes)) {
            return;
        }
    }
}

/* Superblocks that a LUN holds data of the owner of, OWNERS = of any. */
static uint32_t find_blocks(struct env* e, const struct lun_passes* l, uint32_t owner,
                            uint32_t* out)
{
    uint32_t count = 0;
    for (uint32_t i = l->held.head; i != INDEX_NONE; i = flash_links(e)[i]) {
        const struct flash_request* r = flash_request_of(e, i);
        uint32_t n = 0;
        while (n < count && out[n] != r->block) {
            ++n;
        }
        if (n == count && count < BLOCKS_MOST && r->owner != OWNER_PAD &&
            (owner == OWNERS || r->owner == owner)) {
            out[count++] = r->block;
        }
    }
    return count;
}

void padding_fill(struct env* e, uint32_t owner)
{
    uint32_t blocks[BLOCKS_MOST];
    for (uint32_t lun = 0; lun < e->geo->part.luns; ++lun) {
        const struct lun_passes* l = passes_of(e, lun);
        for (uint32_t n = find_blocks(e, l, owner, blocks); n != 0; --n) {
            fill_up(e, l, lun, blocks[n - 1]);
        }
    }
    FW_ASSERT(e, e->geo->word_line != 0);
}

bool padding_rescue(struct env* e)
{
    const uint64_t sequence = e->flash->sequence;
    if (!passes_alone(e)) {
        return false;
    }
    padding_fill(e, OWNERS);
    return e->flash->sequence != sequence;
}
