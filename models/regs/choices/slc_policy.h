/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.slc_cache.policy: when data leave the SLC cache. A row has an identifier for each language,
 * flags, and what `ssdvp show --policies` says of the policy. A policy is the firmware's slc_<id>
 * in firmware/slc/<id>.c.
 */
#ifndef SSDVP_REGS_CHOICES_SLC_POLICY_H
#define SSDVP_REGS_CHOICES_SLC_POLICY_H

/* Which options a policy heeds. */
#define SLC_HAS_GOAL 1u /* ftl.slc_cache.goal, in idle time */
#define SLC_DRAINS 2u   /* low and drain, beside writes of the host */
#define SLC_TAPERS 4u   /* taper */

#define SLC_POLICIES(ROW)                                                                          \
    ROW(IDLE, idle, SLC_HAS_GOAL,                                                                  \
        "while the drive is idle; until then what does not fit passes the cache by")               \
    ROW(WATERMARK, watermark, SLC_HAS_GOAL | SLC_DRAINS,                                           \
        "likewise, and beside writes of the host while less than ftl.slc_cache.low is free")       \
    ROW(FULL, full, SLC_DRAINS,                                                                    \
        "once the cache is full, idle or not, until ftl.slc_cache.low is free; so data stay long") \
    ROW(TAPER, taper, SLC_HAS_GOAL | SLC_TAPERS,                                                   \
        "as idle; with less than ftl.slc_cache.taper free, a part of the writes passes it by")

#define SLC_POLICY_ID(ID, ...) SLC_POLICY_##ID,
enum slc_policy_id { SLC_POLICIES(SLC_POLICY_ID) };
#undef SLC_POLICY_ID

#endif
