/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of the flash as it is laid out (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_GEOMETRY_H
#define SSDVP_REGS_PARTS_GEOMETRY_H

#include <stdint.h>

struct boot_geometry {
    uint32_t channels;
    uint32_t luns_per_channel;
    uint32_t planes;
    uint32_t blocks_per_plane;
    uint32_t pages_per_block;
    uint32_t page_size; /* bytes, without spare */
    uint32_t oob_size;  /* spare bytes per page */
    uint32_t word_line; /* pages of one, where the part programs it in two passes; 0 = one pass */
};

#endif
