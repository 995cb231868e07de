/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of preconditioning share. Channels execute at the doorbell meanwhile, so that
 * nothing is under way between two calls.
 */
#ifndef SSDVP_FIRMWARE_BOOT_PRECONDITION_H
#define SSDVP_FIRMWARE_BOOT_PRECONDITION_H

#include "firmware/boot/fw.h"

static inline struct append* append_of(struct env* e)
{
    return &fw_of(e->hal)->append;
}

/* Where the units of one write unit come from, and go. */
struct source {
    uint64_t buffer;      /* contiguous data; 0 = at the addresses of append.list */
    const uint64_t* from; /* addresses of collected units; NULL = the host's */
    uint32_t bin;         /* of lanes, INDEX_NONE = to the next write unit of the stream */
};

void precondition_describe(struct env* e, const struct write_unit* w, struct flash_desc* d,
                           uint8_t op);
/* Programs up to count units, whose numbers are in append.numbers. Those of a plane that fails are
 * programmed again. Returns how many went, 0 = no space. */
uint32_t precondition_program(struct env* e, uint32_t stream, uint32_t count,
                              const struct source* first);
/* Units of the host's next write unit, with room made for them; 0 = no space. */
uint32_t precondition_next_units(struct env* e);

/* Maps, merges and recovery work until nothing of theirs is left to do. */
void precondition_settle(struct env* e);
/* Every block that waits for it is erased. */
void precondition_erase(struct env* e);
/* Collects superblocks until the high mark. -1 = nothing can be freed. */
int precondition_collect(struct env* e);

/* Block and hybrid mapping (precondition_placed.c): units to where the scheme says; merges end.
 * Returns an enum flash_status. */
int precondition_to_places(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer);
int precondition_placed_end(struct env* e);

/* Lanes (precondition_lanes.c): units wait for others of their bin; what waits goes as it is. */
int precondition_to_lanes(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer);
int precondition_lanes_end(struct env* e);
/* The same for units that collection found, in its buffers behind those of the bins. 0 = done. */
int precondition_lanes_collected(struct env* e, const struct gc_unit* unit, uint64_t data);
int precondition_lanes_flush(struct env* e);

#endif
