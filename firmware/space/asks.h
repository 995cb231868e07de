/* SPDX-License-Identifier: Apache-2.0
 *
 * What the superblocks ask of the operations, which are above them. Each env has the table
 * (run/fw.c).
 */
#ifndef SSDVP_FIRMWARE_SPACE_ASKS_H
#define SSDVP_FIRMWARE_SPACE_ASKS_H

#include "firmware/lib/env.h"

struct space_asks {
    /* Operations of all kinds that the LUN has been given and not ended. */
    uint32_t (*queued)(struct env* e, uint32_t lun);
    /* The superblock is going to be erased: word lines of it need no padding any more. */
    void (*forget)(struct env* e, uint32_t block);
};

#endif
