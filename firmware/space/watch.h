/* SPDX-License-Identifier: Apache-2.0
 *
 * Refresh: reads are watched for what asks for it.
 */
#ifndef SSDVP_FIRMWARE_SPACE_WATCH_H
#define SSDVP_FIRMWARE_SPACE_WATCH_H

#include "firmware/lib/env.h"

/* Limits at which a read asks for a refresh, as boot_params.h has them; 0 = none. */
struct watch {
    uint32_t codeword;
    uint32_t bits;
    uint32_t reads;
    uint32_t level;
    uint32_t retire;
};

/* A read has ended; the data of a superblock are to move; they are moving. */
struct flash_request;
struct flash_completion;
/* The cells were read, and will be once more: it disturbs them each time. */
void blocks_sensed(struct env* e, const struct flash_request* r);
void blocks_watch(struct env* e, struct flash_request* r, const struct flash_completion* c);
void blocks_make_stale(struct env* e, uint32_t block, uint32_t why);
void blocks_refreshing(struct env* e, uint32_t block);
void blocks_forget_reads(struct env* e, uint32_t block); /* it has been erased */
void blocks_forget_block(struct env* e, uint32_t block, uint32_t lun, uint32_t plane);

#endif
