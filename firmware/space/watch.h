/* SPDX-License-Identifier: Apache-2.0
 *
 * Refresh: reads are watched for what asks for it.
 */
#ifndef SSDVP_FIRMWARE_SPACE_WATCH_H
#define SSDVP_FIRMWARE_SPACE_WATCH_H

#include "firmware/space/state.h"

/* Reads are watched for what asks for a refresh; bytes that are corrected as one, 0 = unknown. */
static inline bool blocks_watched(const struct env* e)
{
    return e->blocks->watches != 0;
}
bool blocks_watches_bits(const struct env* e);
uint32_t blocks_codeword(const struct env* e);

struct flash_request;
struct flash_completion;
/* The cells were read, and will be once more: it disturbs them each time; the read has ended. */
void blocks_sensed(struct env* e, const struct flash_request* r);
void blocks_watch(struct env* e, struct flash_request* r, const struct flash_completion* c);
void blocks_forget_reads(struct env* e, uint32_t block); /* it has been erased */
void blocks_forget_block(struct env* e, uint32_t block, uint32_t lun, uint32_t plane);

#endif
