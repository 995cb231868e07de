/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy of collection is. One file per policy, and one line in
 * models/regs/choices/gc_policy.h.
 */
#ifndef SSDVP_FIRMWARE_GC_POLICY_H
#define SSDVP_FIRMWARE_GC_POLICY_H

#include "firmware/gc/state.h"
#include "models/regs/choices/gc_policy.h"

struct gc_policy_ops {
    uint32_t (*victim)(struct env* e); /* a full superblock worth collecting, or INDEX_NONE */
};

#define GC_POLICY_OPS(ID, id, ...) extern const struct gc_policy_ops gc_##id;
GC_POLICIES(GC_POLICY_OPS)
#undef GC_POLICY_OPS

/* Where a policy begins, and how far it is from one superblock to the next: it looks at all of
 * them, or at those of one plane. What lies elsewhere has no gain. */
static inline uint32_t gc_first(const struct env* e)
{
    return e->gc->lane == INDEX_NONE ? 0 : lane_first_block(e->geo, e->gc->lane);
}
static inline uint32_t gc_stride(const struct env* e)
{
    return e->gc->lane == INDEX_NONE ? 1 : part_lanes(e->geo);
}
uint32_t gc_gain(struct env* e, uint32_t block); /* units that collecting it would give back */

const struct gc_policy_ops* gc_policy_of(const struct env* e); /* NULL = unknown */
/* The superblock that the policy would collect, of all or those of a plane, among those of which
 * more than `least` thousandths are garbage; INDEX_NONE. */
uint32_t gc_choose(struct env* e, uint32_t lane, uint32_t least);

#endif
