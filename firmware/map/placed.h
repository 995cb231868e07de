/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of block and hybrid mapping, as struct boot_placed (models/regs/parts/placed.h) tells
 * them.
 */
#ifndef SSDVP_FIRMWARE_MAP_PLACED_H
#define SSDVP_FIRMWARE_MAP_PLACED_H

#include <stdint.h>

struct ftl_placed {
    uint32_t any_order;
    uint32_t spare_pages;
    uint32_t ram_index;
    uint32_t merge_switch;
    uint32_t moving_blocks;
    uint32_t eager_close;
    uint32_t partial_merge; /* bast: 1 = there are any; fast: enum fast_merge_id */
    uint32_t log_info;
    uint32_t non_sequential; /* enum fast_other_id */
    uint32_t superblock_blocks;
    uint32_t update_blocks;
    uint32_t associativity;
    uint32_t stream_bytes;
    uint32_t stream_blocks;
    uint32_t hot_blocks;
    uint32_t hot_window;
    uint32_t hot_adapts;
};

struct ftl_hot {     /* last: the hot part of its random log blocks */
    uint32_t most;   /* blocks of it, as it is now */
    uint32_t writes; /* to random log blocks, modulo 2^32 */
};

#endif
