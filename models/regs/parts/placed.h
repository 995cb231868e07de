/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of schemes that give each page of a logical block its place (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_PLACED_H
#define SSDVP_REGS_PARTS_PLACED_H

#include <stdint.h>

/* Schemes that give each page of a logical block its place in a data block. What one of them does
 * not have is 0. The log blocks of bast, kast and sast, the random ones of fast and last, and the
 * update blocks of all superblocks are log_blocks. */
struct boot_placed {
    uint32_t page_order;   /* enum page_order_id of the part */
    uint32_t spare_pages;  /* msbs: of a block; 0 = half of them. The others make a logical block */
    uint32_t ram_index;    /* msbs, fmax: 1 = RAM knows where pages lie; 0 = reads look for them */
    uint32_t merge_switch; /* fmax: 1 = a replacement block that is in order becomes the block */
    uint32_t moving_blocks; /* lm: at a time, from 1 on */
    uint32_t eager_close;   /* lm: 1 = a moving block that is full becomes the block at once */
    uint32_t
        partial_merge; /* bast: 1 = what begins in order takes the rest; fast: enum fast_merge_id */
    uint32_t log_info; /* bast: 1 = each log block begun and each merge writes a page of maps */
    uint32_t non_sequential;    /* fast: enum fast_other_id */
    uint32_t superblock_blocks; /* superblock: logical blocks of one, from 1 on */
    uint32_t update_blocks;     /* superblock: of one at most; sast: log blocks of a set at most */
    uint32_t associativity;     /* kast, sast: logical blocks that a log block may have pages of */
    uint32_t stream_bytes;      /* last: a write of so many or more goes to the sequential part */
    uint32_t stream_blocks;     /* last: log blocks of that part */
    uint32_t hot_blocks; /* last: of the random log blocks those of hot pages, to begin with */
    uint32_t hot_window; /* last: a page is hot when it is written again within so many writes */
    uint32_t hot_adapts; /* last: 1 = hot_blocks follows what dies and what has to be merged */
    uint32_t reserved;
};

#endif
