/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts: superblocks are allocated and collected by how many of their units are
 * valid, and only at the end it is told which. The channels execute functionally meanwhile.
 */
#ifndef SSDVP_FIRMWARE_HAL_COUNTS_H
#define SSDVP_FIRMWARE_HAL_COUNTS_H

#include <stdint.h>

struct hal;

struct firmware_counted {
    uint64_t units;      /* logical map units [0, units) are written once ... */
    uint64_t overwrites; /* ... then so many of them again, each time any one alike */
    uint64_t seed;       /* of what is random */
    uint32_t room;       /* units that deal gets at a time, at most */
};

#define FIRMWARE_COUNTS_FULL UINT64_MAX /* there is no space left */
#define FIRMWARE_NO_UNIT UINT64_MAX     /* padding: zeroes */

struct firmware_counts {
    /* The drive holds nothing. 0 = done; else nothing has changed, and units have to be written one
     * by one. */
    int (*begin)(struct hal* hal, const struct firmware_counted* what);
    /* Writes units, about `count`. Returns how many are left, or FIRMWARE_COUNTS_FULL. */
    uint64_t (*write)(struct hal* hal, uint64_t count);
    /* Then, again and again: programs the units that the last call asked for, from the buffer
     * (controller address), one after the other; and asks for the next ones. Returns how many those
     * are, 0 = all data are where they belong. */
    uint32_t (*deal)(struct hal* hal, uint64_t* units, uint64_t buffer);
};

#endif
