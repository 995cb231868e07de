/* SPDX-License-Identifier: Apache-2.0
 *
 * How preconditioning writes: channels execute at the doorbell meanwhile, so that nothing is under
 * way between two calls.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_WRITE_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_WRITE_H

#include "firmware/gc/gc.h"
#include "firmware/lib/random.h"
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

/* ---- By counts ---- */

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
    return append_of(e)->counted != 0;
}

/* One write unit of a stream: up to count units, from a victim or, INDEX_NONE, of the host. Returns
 * how many went, 0 = there is no space. */
uint32_t precondition_count(struct env* e, uint32_t stream, uint32_t count, uint32_t victim);
/* Moves what is valid in a victim. -1 = there is no space. */
int precondition_counts_move(struct env* e, uint32_t victim);

#endif
