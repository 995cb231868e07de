/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/space/plane_blocks.h"

#include "firmware/lib/bits.h"

uint32_t* planes_free(struct env* e)
{
    FW_ASSERT(e, e->blocks->planes.count != 0);
    return (uint32_t*)env_dram(e, e->blocks->planes.free);
}

uint64_t* planes_work(struct env* e)
{
    FW_ASSERT(e, e->blocks->planes.count != 0);
    return (uint64_t*)env_dram(e, e->blocks->planes.work);
}

uint64_t* planes_hope(struct env* e)
{
    FW_ASSERT(e, e->blocks->planes.count != 0);
    return (uint64_t*)env_dram(e, e->blocks->planes.hope);
}

void planes_count_free(struct env* e)
{
    const uint32_t lanes = e->blocks->planes.count;
    uint32_t* free = planes_free(e);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        free[lane] = 0;
        bitmap_set(planes_work(e), lane);
        bitmap_set(planes_hope(e), lane);
    }
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        free[lane_of_block(e->geo, i)] +=
            superblock_of(e, e->blocks, i)->state == BLOCK_FREE ? 1u : 0u;
    }
    FW_ASSERT(e, e->geo->blocks % lanes == 0);
}

void planes_taken(struct env* e, uint32_t block)
{
    const uint32_t lane = lane_of_block(e->geo, block);
    uint32_t* free = planes_free(e) + lane;
    FW_ASSERT(e, *free != 0);
    --*free;
    if (*free < e->blocks->planes.low) {
        bitmap_set(planes_work(e), lane);
        bitmap_set(planes_hope(e), lane); /* until collection has found nothing there */
    }
}

void planes_freed(struct env* e, uint32_t block)
{
    ++planes_free(e)[lane_of_block(e->geo, block)];
    FW_ASSERT(e, superblock_of(e, e->blocks, block)->state == BLOCK_FREE);
}

void planes_stale(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    bitmap_set(planes_work(e), lane_of_block(e->geo, block));
}

uint32_t planes_roomiest(struct env* e)
{
    const uint32_t* free = planes_free(e);
    uint32_t best = 0;
    FW_ASSERT(e, e->blocks->planes.count != 0);
    for (uint32_t lane = 1; lane < e->blocks->planes.count; ++lane) {
        best = free[lane] > free[best] ? lane : best;
    }
    return best;
}
