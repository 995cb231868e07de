/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/sectors.h"

#include "firmware/lib/geometry.h"
#include "firmware/lib/mem.h"

static void each_sector(struct env* e, uint64_t to, uint64_t from, uint64_t mask)
{
    const size_t bytes = e->geo->data_mode == DATA_FULL ? SECTOR_SIZE : sizeof(uint64_t);
    if (e->geo->data_mode == DATA_NONE) {
        return;
    }
    FW_ASSERT(e, to >= MAP_DRAM_BASE);
    FW_ASSERT(e, from == 0 || from >= MAP_DRAM_BASE);
    for (uint32_t i = 0; mask != 0; ++i, mask >>= 1) {
        if ((mask & 1u) == 0) {
            continue;
        }
        if (from != 0) {
            mem_copy(env_dram(e, to + (uint64_t)i * SECTOR_SIZE),
                     env_dram(e, from + (uint64_t)i * SECTOR_SIZE), bytes);
        } else {
            mem_zero(env_dram(e, to + (uint64_t)i * SECTOR_SIZE), bytes);
        }
    }
}

void sectors_copy(struct env* e, uint64_t to, uint64_t from, uint64_t mask)
{
    FW_ASSERT(e, from != 0);
    each_sector(e, to, from, mask);
}

void sectors_zero(struct env* e, uint64_t to, uint64_t mask)
{
    FW_ASSERT(e, to != 0);
    each_sector(e, to, 0, mask);
}
