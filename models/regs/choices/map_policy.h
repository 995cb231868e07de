/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.log_set.map_policy and upper_policy: the map page that leaves its buffer first.
 */
#ifndef SSDVP_REGS_CHOICES_MAP_POLICY_H
#define SSDVP_REGS_CHOICES_MAP_POLICY_H

#define MAP_POLICIES(ROW)                                                                          \
    ROW(LRU, lru, "the one that was not used for the longest time")                                \
    ROW(FIFO, fifo, "the one that came first")

#define MAP_POLICY_ID(ID, ...) MAP_POLICY_##ID,
enum map_policy_id { MAP_POLICIES(MAP_POLICY_ID) };
#undef MAP_POLICY_ID

#endif
