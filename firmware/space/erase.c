/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/erase.h"

#include "firmware/drv/channel.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/bad.h"
#include "firmware/space/capacity.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "firmware/space/watch.h"
#include "firmware/space/wear.h"

static void try_erase(struct env* e, uint32_t block)
{
    struct blocks* b = e->blocks;
    struct superblock* s = superblock_of(e, b, block);
    if (s->state != BLOCK_COLLECTED || s->pending != 0 || s->readers != 0) {
        return;
    }
    FW_ASSERT(e, s->valid == 0 && s->unseen == 0);
    FW_ASSERT(e, b->leaving > 0);
    run_due(e, DUE_STEPS); /* who has it erased, and what makes sure that it may be */
    if (s->good == 0) {
        s->state = BLOCK_DEAD;
        slc_count_leaving(e, block, -1);
        slc_dead(e, block);
        return;
    }
    s->state = BLOCK_ERASING;
    e->space_asks->forget(e, block);
    fifo_push(&b->erase_queue, env_dram(e, b->erase_links), block);
}

void blocks_unpend(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
    FW_ASSERT(e, s->pending > 0);
    --s->pending;
    try_erase(e, block);
}

void blocks_unread(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, block < e->geo->blocks);
    FW_ASSERT(e, s->readers > 0);
    if (--s->readers == 0 && s->state == BLOCK_COLLECTED) {
        try_erase(e, block);
    }
}

void blocks_collected(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_VICTIM);
    FW_ASSERT(e, block < e->geo->blocks);
    s->state = BLOCK_COLLECTED;
    slc_count_leaving(e, block, 1);
    try_erase(e, block);
}

void blocks_discard(struct env* e, uint32_t block, uint32_t purpose)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->state == BLOCK_FULL && s->valid == 0);
    s->state = BLOCK_VICTIM;
    s->purpose = (uint8_t)purpose;
    s->role = BLOCK_PAGES;
    blocks_refreshing(e, block);
    blocks_collected(e, block);
}

bool blocks_next_erase(struct env* e, struct erase_piece* out)
{
    struct blocks* b = e->blocks;
    const struct geometry* g = e->geo;
    FW_ASSERT(e, out != NULL);
    if (b->erase_queue.head == INDEX_NONE || (b->erase_held != 0 && b->erase_step == 0)) {
        return false;
    }
    const uint32_t end = g->luns * g->planes;
    while (b->erase_step < end) {
        const uint32_t lun = b->erase_step / g->planes;
        const uint32_t plane = b->erase_step - lun * g->planes;
        const uint32_t good = blocks_good_planes(e, b->erase_queue.head, lun);
        FW_ASSERT(e, lun < g->luns);
        if (g->multi_plane != 0) {
            out->plane_mask = good;
            b->erase_step = (lun + 1) * g->planes;
        } else {
            out->plane_mask = good & (1u << plane);
            ++b->erase_step;
        }
        if (out->plane_mask != 0) {
            out->block = b->erase_queue.head;
            out->lun = lun;
            ++b->erase_left;
            return true;
        }
    }
    return false;
}

static void finish_erase(struct env* e)
{
    struct blocks* b = e->blocks;
    const uint32_t block = fifo_pop(&b->erase_queue, env_dram(e, b->erase_links));
    ++b->erase_ends;
    struct superblock* s = superblock_of(e, b, block);
    FW_ASSERT(e, s->state == BLOCK_ERASING);
    FW_ASSERT(e, b->leaving > 0 && s->valid == 0);
    b->erase_step = 0;
    slc_count_leaving(e, block, -1);
    ++s->erases;
    s->level = 0;
    blocks_forget_reads(e, block);
    if (b->retained != 0) {
        retention_erased(e, block);
    }
    s->stamp = b->stamp++;
    s->state = s->good == 0 ? BLOCK_DEAD : BLOCK_FREE;
    if (s->state == BLOCK_FREE) {
        slc_count_free(e, block, 1);
    } else {
        slc_dead(e, block);
    }
    if (b->planes.count != 0 && s->state == BLOCK_FREE) {
        planes_freed(e, block);
    }
    blocks_count_erase(e, block);
}

void blocks_erased(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_fail)
{
    struct blocks* b = e->blocks;
    const uint32_t end = e->geo->luns * e->geo->planes;
    FW_ASSERT(e, b->erase_queue.head == block);
    FW_ASSERT(e, b->erase_left > 0);
    --b->erase_left;
    if (plane_fail != 0) {
        const struct erase_piece failed = {block, lun, plane_fail};
        blocks_retire(e, &failed, RETIRE_ERASE);
    }
    if (b->erase_left != 0) {
        return;
    }
    /* Skip LUNs without a good block, so that the last piece is known to be the last. */
    for (; b->erase_step < end; ++b->erase_step) {
        const uint32_t l = b->erase_step / e->geo->planes;
        const uint32_t plane = b->erase_step - l * e->geo->planes;
        if ((blocks_good_planes(e, block, l) & (1u << plane)) != 0) {
            return;
        }
    }
    finish_erase(e);
}

/* ---- Power-up ---- */

void blocks_erase_again(struct env* e, uint32_t block)
{
    struct superblock* s = superblock_of(e, e->blocks, block);
    FW_ASSERT(e, s->valid == 0 && s->pending == 0);
    s->state = BLOCK_VICTIM;
    blocks_settle(s); /* whatever was counted */
    s->purpose = FLASH_PURPOSE_RECOVERY;
    blocks_collected(e, block);
}
