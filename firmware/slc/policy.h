/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy of the SLC cache is: when a superblock of it is folded, and what it takes. One file
 * per policy, and one line in models/regs/choices/slc_policy.h. And which units of the host go
 * there.
 */
#ifndef SSDVP_FIRMWARE_SLC_POLICY_H
#define SSDVP_FIRMWARE_SLC_POLICY_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "models/regs/choices/slc_policy.h"

/* ---- Room ----
 *
 * How much of the cache is free, whether the drive is idle enough to make more, and the dynamic
 * part, which is as large as what is free outside allows. `mark`: free superblocks at which
 * collection stops. */

enum { PERMILLE = 1000 };

/* true = less than that share of the cache is free, or will be soon. */
bool slc_below(const struct env* e, uint32_t permille);
/* true = the host's next unit has room in it, or will have soon. */
bool slc_room(struct env* e);
/* true = the host has had no command for the idle time; for so long that nothing stays open. */
bool slc_rests(const struct env* e);
bool slc_sleeps(const struct env* e);
/* Main loop: when the drive is idle, or nothing stays open; 0 = no timer is needed for that. */
uint64_t slc_rest(const struct env* e, uint64_t now_ns);

/* Superblocks turn between the dynamic part and the rest of the drive, as free ones are many or
 * few. true = the rest wants back what has turned. */
void slc_adapt(struct env* e, uint32_t mark);
bool slc_wanted_back(const struct env* e, uint32_t mark);
/* The full one that was filled first, INDEX_NONE: so each takes its turn, and the cache wears
 * evenly. What is open of it is full now, if nothing of it is under way. */
uint32_t slc_oldest(struct env* e, uint32_t mark);
void slc_close(struct env* e);

/* ---- Policy ---- */

struct slc_policy {
    uint32_t pressing; /* 1 = folding goes on until the mark is reached again */
    int32_t owed;      /* of its share of the host's units, in thousandths; below 0 = it had more */
};

struct slc_policy_ops {
    /* true = superblocks are to be folded beside writes of the host, each unit of which drains as
     * much of the cache as ftl.slc_cache.drain says. */
    bool (*presses)(struct env* e);
    /* true = another one is to be folded now that the drive is idle. */
    bool (*rests)(struct env* e);
    /* Thousandths of the host's writes that the cache takes; NULL = all that it has room for. */
    uint32_t (*share)(struct env* e);
};

#define SLC_POLICY_OPS(ID, id, ...) extern const struct slc_policy_ops slc_##id;
SLC_POLICIES(SLC_POLICY_OPS)
#undef SLC_POLICY_OPS

const struct slc_policy_ops* slc_policy_of(const struct env* e); /* NULL = unknown */

/* Stream of the host's next write unit, of which no directive speaks. */
uint32_t slc_route(struct env* e);
/* Units of the host are programmed into a superblock. */
void slc_wrote(struct env* e, uint32_t block, uint32_t units);

#endif
