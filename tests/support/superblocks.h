/* SPDX-License-Identifier: Apache-2.0
 *
 * What the firmware of a drive knows of its superblocks, read from its state in the drive's memory.
 */
#ifndef SSDVP_TESTS_SUPPORT_SUPERBLOCKS_H
#define SSDVP_TESTS_SUPPORT_SUPERBLOCKS_H

#include <stdint.h>

struct superblock_figures {
    uint32_t valid; /* units */
    uint32_t erases;
    uint32_t full; /* 1 = written to its end */
};

#ifdef __cplusplus
extern "C" {
#endif

/* At most so many; how many there are. */
uint32_t read_superblocks(uint8_t* sram, uint8_t* dram, struct superblock_figures* to,
                          uint32_t most);

#ifdef __cplusplus
}
#endif

#endif
