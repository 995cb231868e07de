/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts: write units that nothing is programmed of yet.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_COUNTS_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_COUNTS_H

#include "firmware/lib/random.h"
#include "firmware/run/precondition_write.h"

/* It lies where collection has its buffers, which hold no units meanwhile. */
struct counts {
    uint64_t fill;       /* units to be written once, and how many have been */
    uint64_t written;    /* ... */
    uint64_t overwrites; /* left */
    uint64_t end;        /* sequence of the last write unit that was counted */
    struct random_source random;
    struct shuffle shuffle; /* number of a valid place, the oldest first -> logical unit */
    uint64_t dealt;         /* places that have their unit */
    uint64_t last;          /* superblock.newest of the one that is dealt, or was */
    uint32_t block;         /* that is dealt, INDEX_NONE = none yet */
    uint32_t places;        /* of it, that have no unit yet ... */
    uint32_t valid;         /* ... and how many of those are valid */
    uint32_t page;          /* next page group of it: page, LUN and planes done */
    uint32_t lun;
    uint32_t planes;
    uint32_t room;
    struct write_unit asked; /* units = 0: none */
    uint32_t* table;         /* the unit of each place; NULL: overwrites are uniform */
    bool paced;              /* collection waits for as long as it does under load */
    uint32_t found;          /* valid units of the last victim */
};

static inline struct counts* counts_of(struct env* e)
{
    return env_dram(e, gc_buffer_data(e, 0));
}

/* true = superblocks have counts, and their places no units yet. */
static inline bool counts_on(struct env* e)
{
    return append_of(e)->phase == APPEND_COUNTS;
}

/* One write unit of a stream: up to count units, from a victim or, INDEX_NONE, of the host. Returns
 * how many went, 0 = there is no space. */
uint32_t precondition_count(struct env* e, uint32_t stream, uint32_t count, uint32_t victim);
/* The next write unit of a stream gets the first `count` of append.numbers, which are given one by
 * one. from: where they lay, NULL = the host writes them. Returns how many went, 0 = there is no
 * space. */
uint32_t precondition_count_given(struct env* e, uint32_t stream, uint32_t count,
                                  const uint64_t* from);
/* Moves what is valid in a victim. -1 = there is no space. */
int precondition_counts_move(struct env* e, uint32_t victim);
/* Preconditioning is to collect a victim, whatever it fills the drive by; collects: it is at it. */
bool precondition_lacks_room(struct env* e, bool collects);

#define COUNTS_NOTHING UINT32_MAX /* in the table: padding */

#endif
