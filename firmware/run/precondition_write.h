/* SPDX-License-Identifier: Apache-2.0
 *
 * How preconditioning writes: channels execute at the doorbell meanwhile, so that nothing is under
 * way between two calls.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_WRITE_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_WRITE_H

#include "firmware/gc/gc.h"
#include "firmware/run/fw.h"

static inline struct append* append_of(struct env* e)
{
    return &fw_of(e->hal)->append;
}

/* Where the units of one write unit come from, and go. */
struct source {
    uint64_t buffer;      /* contiguous data; 0 = at the addresses of append.list */
    const uint64_t* from; /* addresses of collected units; NULL = the host's */
    uint32_t bin;         /* of lanes, INDEX_NONE = to the next write unit of the stream */
    uint32_t lane;        /* of a plane that is collected by itself, INDEX_NONE = no such */
};

void precondition_describe(struct env* e, const struct write_unit* w, struct flash_desc* d,
                           uint8_t op);
/* true = what comes is what a load writes, to a drive whose collection keeps step with it. */
bool precondition_is_load(struct env* e);
/* Programs up to count units, whose numbers are in append.numbers. Those of a plane that fails are
 * programmed again. Returns how many went, 0 = no space. */
uint32_t precondition_program(struct env* e, uint32_t stream, uint32_t count,
                              const struct source* first);
/* Maps, merges and recovery work until nothing of theirs is left to do. */
void precondition_settle(struct env* e);
/* Of one write unit: count of its units are written, or collected. */
void precondition_account(struct env* e, const struct write_unit* w, uint32_t count,
                          bool collected);

int append_init(struct env* e, struct append* a);

#endif
