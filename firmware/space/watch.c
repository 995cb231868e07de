/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/watch.h"

#include "firmware/drv/channel.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/request.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/bad.h"
#include "firmware/space/capacity.h"
#include "firmware/space/pool.h"
#include "models/regs/parts/refresh.h"

bool blocks_watches_bits(const struct env* e)
{
    return e->told.refresh->bits != 0;
}

uint32_t blocks_codeword(const struct env* e)
{
    return e->told.refresh->codeword;
}

static uint64_t first_block(const struct env* e, uint32_t block, uint32_t lun)
{
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
    return ((uint64_t)block * e->geo->luns + lun) * e->geo->planes;
}

void blocks_forget_reads(struct env* e, uint32_t block)
{
    const uint32_t count = e->geo->luns * e->geo->planes;
    uint32_t* reads = NULL;
    FW_ASSERT(e, block < e->geo->blocks);
    if (e->blocks->reads == 0) {
        return; /* nobody counts them */
    }
    reads = env_dram(e, e->blocks->reads);
    for (uint32_t i = 0; i < count; ++i) {
        reads[(uint64_t)block * count + i] = 0;
    }
}

void blocks_forget_block(struct env* e, uint32_t block, uint32_t lun, uint32_t plane)
{
    FW_ASSERT(e, plane < e->geo->planes);
    if (e->blocks->reads != 0) {
        ((uint32_t*)env_dram(e, e->blocks->reads))[first_block(e, block, lun) + plane] = 0;
    }
}

/* Counts a read of each plane. Returns true when one of them reached the limit with it. */
static bool disturbed(struct env* e, const struct flash_request* r)
{
    const struct boot_refresh* w = e->told.refresh;
    uint32_t* reads = (uint32_t*)env_dram(e, e->blocks->reads) + first_block(e, r->block, r->lun);
    bool reached = false;
    FW_ASSERT(e, w->reads != 0 && e->blocks->reads != 0);
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1) {
        reached |= ++reads[lowest_bit(rest)] >= w->reads;
    }
    return reached;
}

void blocks_sensed(struct env* e, const struct flash_request* r)
{
    if (e->told.refresh->reads != 0) {
        (void)disturbed(e, r);
    }
    FW_ASSERT(e, r->op == FLASH_OP_READ);
}

static void strike(struct env* e, const struct flash_request* r)
{
    const struct erase_piece piece = {r->block, r->lun, r->plane_mask & (0u - r->plane_mask)};
    uint8_t* strikes = (uint8_t*)env_dram(e, e->blocks->strikes) + first_block(e, r->block, r->lun);
    const uint32_t plane = lowest_bit(r->plane_mask);
    FW_ASSERT(e, e->told.refresh->retire != 0);
    FW_ASSERT(e, e->blocks->strikes != 0);
    strikes[plane] = (uint8_t)(strikes[plane] == UINT8_MAX ? UINT8_MAX : strikes[plane] + 1);
    if (strikes[plane] >= e->told.refresh->retire) {
        blocks_retire(e, &piece, RETIRE_REFRESHED);
    }
}

void blocks_watch(struct env* e, struct flash_request* r, const struct flash_completion* c)
{
    const struct boot_refresh* w = e->told.refresh;
    const struct superblock* s = superblock_of(e, e->blocks, r->block);
    const bool hidden = (blocks_hidden(e, r->block, r->lun) & r->plane_mask) != 0;
    const bool failed = c->status != FLASH_STATUS_OK;
    const uint32_t words =
        w->codeword != 0 && r->length != 0
            ? (r->column + r->length - 1) / w->codeword - r->column / w->codeword + 1
            : 1;
    uint32_t why = REFRESH_REASONS;
    FW_ASSERT(e, r->op == FLASH_OP_READ);
    FW_ASSERT(e, r->plane_mask != 0);
    if (w->reads != 0 && (hidden || s->state != BLOCK_FREE) && disturbed(e, r)) {
        why = REFRESH_READS;
    }
    if (w->bits != 0 &&
        (failed || c->corrected_bits >= (uint64_t)w->bits * words * count_bits(r->plane_mask))) {
        why = REFRESH_CORRECTED;
    }
    if (w->level != 0 && (failed || r->level >= w->level)) {
        why = REFRESH_RETRY;
    }
    if (hidden) { /* whoever reads it has to see to it */
        if (why != REFRESH_REASONS && r->owner == OWNER_MAP_READ) {
            r->segment_read.worn = true;
        }
        return;
    }
    if (why == REFRESH_REASONS || (s->flags & BLOCK_STALE) != 0 ||
        (s->state != BLOCK_OPEN && s->state != BLOCK_FULL)) {
        return;
    }
    blocks_make_stale(e, r->block, why);
    /* Read disturb is what reads do to any block: no sign of a weak one. */
    if (w->retire != 0 && why != REFRESH_READS) {
        strike(e, r);
    }
}
