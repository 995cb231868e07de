/* SPDX-License-Identifier: Apache-2.0
 *
 * Greedy: the full superblock with the most invalid units.
 */
#include "firmware/gc/policy.h"

static uint32_t greedy_victim(struct env* e)
{
    uint32_t best = INDEX_NONE;
    uint32_t best_gain = 0;
    for (uint32_t i = gc_first(e); i < e->geo->blocks; i += gc_stride(e)) {
        const uint32_t gain = gc_gain(e, i);
        if (gain > best_gain) {
            best = i;
            best_gain = gain;
        }
    }
    return best;
}

const struct gc_policy_ops gc_greedy = {
    .victim = greedy_victim,
};
