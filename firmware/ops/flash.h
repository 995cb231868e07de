/* SPDX-License-Identifier: Apache-2.0
 *
 * Operation scheduler above the channel driver.
 *
 * Host reads (and the reads that complete a partly written unit) go straight to their channel's
 * ring. Everything else waits here, in static pools, until its LUN has no other such operation
 * in hardware: so a host read never queues behind more than one program, erase or collection
 * read. (Where the channel joins programs, behind as many programs as it joins.) Host programs and
 * background operations of one LUN take turns. Erases in flight are limited to a share of the LUNs.
 * An operation belongs to an owner, which boot's handler table maps to a completion function.
 */
#ifndef SSDVP_FIRMWARE_OPS_FLASH_H
#define SSDVP_FIRMWARE_OPS_FLASH_H

#include "firmware/drv/cores.h"
#include "firmware/ops/requests.h"

#define FLASH_METADATA_TRIES 32u /* where reads may find bit errors */

struct flash_setup { /* what others want of it, beside its options */
    uint32_t read_buffers;
    uint32_t metadata_tries;
    uint32_t copyback;
    uint32_t segments; /* 1 = the map has segments */
    uint32_t merges;   /* logical blocks merged at a time ... */
    uint32_t folds;    /* ... with block mapping */
};

int flash_init(struct env* e, const struct flash_setup* setup);
/* The most that can be in one channel's ring: every read, and one other operation of each LUN. */
uint32_t flash_in_flight_max(const struct env* e, uint32_t read_buffers);

void flash_submit(struct env* e, uint32_t request);

/* Hands every completion of the channel to its owner. Returns how many there were. Likewise those
 * of the channels of the lines that are raised (channels_raised), and, where the flash role has a
 * core of its own, those that it has passed on. */
uint32_t flash_poll(struct env* e, uint32_t channel, const flash_handler* handlers);
void flash_poll_raised(struct env* e, uint32_t raised, const flash_handler* handlers);
void flash_poll_passed(struct env* e, const flash_handler* handlers);
/* The flash role on a core of its own, a round: passes on what the channels of raised lines have
 * completed, and posts what the ftl role has submitted. */
void flash_serve(struct env* e, uint32_t raised);
/* Submits erases that superblocks wait for, and completes what failed without hardware: returns how
 * much, for it may have to go again, and no interrupt announces it. */
uint32_t flash_step(struct env* e, const flash_handler* handlers);
/* Some of what failed has not been completed yet. */
static inline uint32_t flash_failures_wait(const struct env* e)
{
    return e->flash->failed.count;
}
/* A share of the LUNs may erase at a time: one more may begin, begins, has ended. */
static inline bool flash_may_erase(const struct env* e)
{
    return e->flash->erases < e->flash->erases_max;
}
static inline void flash_erase_begins(struct env* e)
{
    ++e->flash->erases;
}
static inline void flash_erase_ends(struct env* e)
{
    FW_ASSERT(e, e->flash->erases > 0);
    --e->flash->erases;
}
void flash_erase_done(struct env* e, const struct flash_result* result);

/* Runs one operation to its end on a channel that executes at the doorbell. */
uint32_t flash_execute(struct env* e, const struct flash_desc* desc, uint32_t lun,
                       uint32_t* plane_fail);

/* Of a LUN: operations of all kinds that are submitted and not handed back; host programs that wait
 * for others of it. */
uint32_t flash_queued(struct env* e, uint32_t lun);
uint32_t flash_programs_wait(struct env* e, uint32_t lun);

#endif
