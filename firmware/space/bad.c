/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/bad.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"

static uint8_t* bad_of(struct env* e, uint32_t block, uint32_t lun)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, block < g->blocks && lun < g->luns);
    return (uint8_t*)env_dram(e, e->blocks->bad) + (uint64_t)block * g->luns + lun;
}

uint32_t blocks_good_planes(struct env* e, uint32_t block, uint32_t lun)
{
    return e->geo->plane_all & ~(uint32_t)*bad_of(e, block, lun);
}

void blocks_mark_bad(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask)
{
    uint8_t* bad = bad_of(e, block, lun);
    FW_ASSERT(e, (plane_mask & ~e->geo->plane_all) == 0);
    e->telemetry->bad_blocks += count_bits(plane_mask & ~(uint32_t)*bad);
    *bad = (uint8_t)(*bad | plane_mask);
}

static uint8_t* hidden_of(const struct env* e, uint32_t block, uint32_t lun)
{
    FW_ASSERT(e, block < e->geo->blocks && lun < e->geo->luns);
    return (uint8_t*)env_dram(e, e->blocks->hidden) + (uint64_t)block * e->geo->luns + lun;
}

void blocks_hide(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask)
{
    uint8_t* hidden = hidden_of(e, block, lun);
    const uint64_t bad = e->telemetry->bad_blocks;
    FW_ASSERT(e, (plane_mask & *hidden) == 0);
    *hidden = (uint8_t)(*hidden | plane_mask);
    blocks_mark_bad(e, block, lun, plane_mask);
    e->telemetry->bad_blocks = bad;
}

uint32_t blocks_hidden(const struct env* e, uint32_t block, uint32_t lun)
{
    const uint32_t planes = *hidden_of(e, block, lun);
    FW_ASSERT(e, (planes & ~e->geo->plane_all) == 0);
    return planes;
}
