/* SPDX-License-Identifier: Apache-2.0
 *
 * What a policy of collection is. One file per policy, and one line in
 * models/regs/choices/gc_policy.h.
 */
#ifndef SSDVP_FIRMWARE_GC_POLICY_H
#define SSDVP_FIRMWARE_GC_POLICY_H

#include "firmware/gc/gc.h"
#include "models/regs/choices/gc_policy.h"

struct gc_policy_ops {
    uint32_t (*victim)(struct env* e); /* a full superblock worth collecting, or INDEX_NONE */
};

#define GC_POLICY_OPS(ID, id, ...) extern const struct gc_policy_ops gc_##id;
GC_POLICIES(GC_POLICY_OPS)
#undef GC_POLICY_OPS

const struct gc_policy_ops* gc_policy_of(const struct env* e); /* NULL = unknown */

#endif
