/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.policy: what the buffer in DRAM keeps, and what leaves it first. A policy is the
 * firmware's cache_<id>.
 */
#ifndef SSDVP_REGS_CHOICES_CACHE_POLICY_H
#define SSDVP_REGS_CHOICES_CACHE_POLICY_H

/* What a policy does. */
#define CACHE_BUFFERS 1u       /* a write is done when the buffer has it */
#define CACHE_KEEPS_READS 2u   /* data that were read stay as well */
#define CACHE_GROUPS 4u        /* units of a logical block leave together */
#define CACHE_PREFERS_CLEAN 8u /* it searches a window for a clean unit */
#define CACHE_PADS 16u         /* a block that leaves can be completed by what it lacks */

#define CACHE_POLICIES(ROW)                                                                        \
    ROW(NONE, none, 0u, "no buffer: a write is done when it is on the flash")                      \
    ROW(WO_LRU, wo_lru, CACHE_BUFFERS, "what was written, until it is on the flash")               \
    ROW(RW_LRU, rw_lru, CACHE_BUFFERS | CACHE_KEEPS_READS,                                         \
        "what was written or read; least recently used leaves first")                              \
    ROW(RW_CFLRU, rw_cflru, CACHE_BUFFERS | CACHE_KEEPS_READS | CACHE_PREFERS_CLEAN,               \
        "the same; clean units of a window leave first")                                           \
    ROW(FAB, fab, CACHE_BUFFERS | CACHE_KEEPS_READS | CACHE_GROUPS,                                \
        "the logical block with the most units leaves first")                                      \
    ROW(BPLRU, bplru, CACHE_BUFFERS | CACHE_GROUPS | CACHE_PADS,                                   \
        "what was written; the logical block that was written the longest ago leaves first")

#define CACHE_POLICY_ID(ID, ...) CACHE_POLICY_##ID,
enum cache_policy_id { CACHE_POLICIES(CACHE_POLICY_ID) };
#undef CACHE_POLICY_ID

#endif
