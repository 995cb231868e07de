/* SPDX-License-Identifier: Apache-2.0
 *
 * gc.policy: the superblock that collection takes next. A row has an identifier for each language,
 * and what `ssdvp show --policies` says of the policy. A policy is the firmware's gc_<id> in
 * firmware/gc/<id>.c.
 */
#ifndef SSDVP_REGS_CHOICES_GC_POLICY_H
#define SSDVP_REGS_CHOICES_GC_POLICY_H

#define GC_POLICIES(ROW)                                                                           \
    ROW(GREEDY, greedy, "the superblock with the most garbage")                                    \
    ROW(COST_BENEFIT, cost_benefit,                                                                \
        "the one with the best ratio of garbage times age to what stays valid")

#define GC_POLICY_ID(ID, ...) GC_POLICY_##ID,
enum gc_policy_id { GC_POLICIES(GC_POLICY_ID) };
#undef GC_POLICY_ID

#endif
