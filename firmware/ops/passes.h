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
 * Padding (padding.h) is done with when its coarse pass has ended; its request stays for the fine
 * one.
 */
#ifndef SSDVP_FIRMWARE_OPS_PASSES_H
#define SSDVP_FIRMWARE_OPS_PASSES_H

#include "firmware/ops/ring.h"

struct lun_passes {
    struct fifo held; /* requests, as they came: those of a superblock in the order of pages */
    uint32_t block;   /* of the word line at work */
    uint32_t line;
    uint32_t left; /* of its requests: not ended */
    uint8_t at;    /* PASS_COARSE, PASS_FINE, PASS_ENDED = its owners are told; 0 = none */
    uint8_t fail;  /* planes that failed */
    uint8_t turn;  /* 1 = others go first */
    uint8_t reserved;
};

static inline struct lun_passes* passes_of(struct env* e, uint32_t lun)
{
    FW_ASSERT(e, lun < e->geo->part.luns);
    return (struct lun_passes*)env_dram_entry(e, e->flash->passes.luns, lun,
                                              sizeof(struct lun_passes));
}

static inline uint32_t passes_line(const struct env* e, const struct flash_request* r)
{
    return r->page / e->geo->word_line;
}

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
/* Nothing is under way but programs that wait for their word line, and reads that bring them
 * nothing. */
bool passes_alone(struct env* e);
/* The superblock is erased: what it has of padding will have no fine pass. */
void passes_forget(struct env* e, uint32_t block);
/* The handler of padding. */
void passes_pad_done(struct env* e, const struct flash_result* result);

#endif
