/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/superblocks.h"

#include "firmware/run/fw.h"

uint32_t read_superblocks(uint8_t* sram, uint8_t* dram, struct superblock_figures* to,
                          uint32_t most)
{
    struct hal hal = {NULL, NULL, sram, dram, 0};
    struct env e;
    fw_bind(&e, &hal);
    for (uint32_t i = 0; i < e.geo->blocks && i < most; ++i) {
        const struct superblock* s = superblock_of(&e, e.blocks, i);
        to[i] = (struct superblock_figures){s->valid, s->erases, s->state == BLOCK_FULL};
    }
    return e.geo->blocks;
}
