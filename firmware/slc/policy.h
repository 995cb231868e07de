/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy of the SLC cache is: when a superblock of it is folded, and what it takes. One file
 * per policy, and one line in models/regs/choices/slc_policy.h. And which units of the host go
 * there.
 */
#ifndef SSDVP_FIRMWARE_SLC_POLICY_H
#define SSDVP_FIRMWARE_SLC_POLICY_H

#include "firmware/slc/room.h"
#include "models/regs/choices/slc_policy.h"

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
