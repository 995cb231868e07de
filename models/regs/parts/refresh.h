/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of data that move before they are lost (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_REFRESH_H
#define SSDVP_REGS_PARTS_REFRESH_H

#include <stdint.h>

struct boot_refresh {   /* data move when a read needed so much; 0 = never */
    uint32_t codeword;  /* data bytes that one code word of the channel's ECC covers */
    uint32_t bits;      /* corrected bits per code word, mean of a read */
    uint32_t reads;     /* reads of a block since its erase */
    uint32_t level;     /* read retry level */
    uint32_t retire;    /* a block that asked for so many refreshes retires; 0 = never */
    uint32_t patrol_us; /* a page of each block is read this often; 0 = never */
};

#endif
