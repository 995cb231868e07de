/* SPDX-License-Identifier: Apache-2.0
 *
 * First in, first out: the full superblock that was written the longest ago, if it has anything to
 * gain.
 */
#include "firmware/gc/policy.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/state.h"

static uint32_t fifo_victim(struct env* e)
{
    uint32_t oldest = INDEX_NONE;
    uint64_t written = UINT64_MAX;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        const struct superblock* s = superblock_of(e, e->blocks, i);
        ++e->telemetry->gc_looks;
        if (gc_gain(e, i) != 0 && s->newest < written) {
            oldest = i;
            written = s->newest;
        }
    }
    return oldest;
}

const struct gc_policy_ops gc_fifo = {
    .victim = fifo_victim,
};
