/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts that program a word line in two passes: a coarse one, and a fine one when the next word
 * line has had its coarse one. Each pass takes all pages of the word line, so that their data have
 * to stay where they are until the fine pass has ended.
 *
 * Whoever programs pages does as with any part. Here its requests wait until all pages of a word
 * line are there, go to the LUN together, once for each pass, and end with the fine one: buffers
 * that a program holds are held until then, and the map says where the data were before. Reads of
 * the host find them in the write buffer.
 *
 * A word line that nobody fills up would hold its data for ever. When somebody waits and nothing
 * else is under way (passes_rescue), it is filled up with padding, and so is the next one, which
 * the fine pass needs. Padding is done with when its coarse pass has ended; its request stays for
 * the fine one.
 */
#ifndef SSDVP_FIRMWARE_OPS_PASSES_H
#define SSDVP_FIRMWARE_OPS_PASSES_H

#include "firmware/ops/flash.h"

int passes_init(struct env* e);
/* Requests for padding. */
uint32_t passes_pads(const struct env* e);
/* true = a program of the request takes two passes. */
bool passes_take(struct env* e, const struct flash_request* r);
/* A program waits for its word line. */
void passes_hold(struct env* e, uint32_t request);
/* true = the LUN is at work on a word line, or begins one: nobody else programs or erases. */
bool passes_dispatch(struct env* e, uint32_t lun);
/* The request is one of a word line whose pass has ended for it; plane_fail as the superblock
 * counts planes. */
void passes_ended(struct env* e, uint32_t request, uint32_t plane_fail,
                  const flash_handler* handlers);
static inline bool passes_has(struct env* e, uint32_t request)
{
    return e->geo->word_line != 0 &&
           *((const uint8_t*)env_dram(e, e->flash->passes.state) + request) != 0;
}

/* Requests that wait for a pass, but for padding that is done with; of these the host's programs.
 */
static inline uint32_t passes_held(const struct env* e)
{
    return e->flash->passes.held;
}
static inline uint32_t passes_host(const struct env* e)
{
    return e->flash->passes.host;
}
/* Fills up all word lines with data of an owner, OWNERS = of any. */
void passes_fill(struct env* e, uint32_t owner);
/* Nothing is under way but programs that wait for their word line, and reads that bring them
 * nothing. */
bool passes_alone(struct env* e);
/* If so fills those up. true = something is under way now. */
bool passes_rescue(struct env* e);
/* The superblock is erased: what it has of padding will have no fine pass. */
void passes_forget(struct env* e, uint32_t block);
/* The handler of padding. */
void passes_pad_done(struct env* e, const struct flash_result* result);

#endif
