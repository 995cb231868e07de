/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.slc_cache.policy: when data leave the SLC cache. A row has an identifier for each language,
 * and what `ssdvp show --policies` says of the policy. A policy is the firmware's slc_<id> in
 * firmware/slc/<id>.c.
 */
#ifndef SSDVP_REGS_CHOICES_SLC_POLICY_H
#define SSDVP_REGS_CHOICES_SLC_POLICY_H

#define SLC_POLICIES(ROW)                                                                          \
    ROW(IDLE, idle, "while the drive is idle; until then what does not fit passes the cache by")   \
    ROW(WATERMARK, watermark,                                                                      \
        "likewise, and beside writes of the host while less than ftl.slc_cache.low is free")       \
    ROW(FULL, full,                                                                                \
        "once the cache is full, idle or not, until ftl.slc_cache.low is free; so data stay long")

#define SLC_POLICY_ID(ID, ...) SLC_POLICY_##ID,
enum slc_policy_id { SLC_POLICIES(SLC_POLICY_ID) };
#undef SLC_POLICY_ID

#endif
