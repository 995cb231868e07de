/* SPDX-License-Identifier: Apache-2.0
 *
 * write.shallow.policy: which host writes are shallow, with write.mode: shallow.
 */
#ifndef SSDVP_REGS_CHOICES_SHALLOW_POLICY_H
#define SSDVP_REGS_CHOICES_SHALLOW_POLICY_H

#define SHALLOW_POLICIES(ROW)                                                                      \
    ROW(ALL, all, "all of them")                                                                   \
    ROW(SMALL_REQUESTS, small_requests, "those of short commands")                                 \
    ROW(PREDICTED, predicted,                                                                      \
        "those to regions whose data are expected to die within the retention")                    \
    ROW(NONE, none, "none of them")

#define SHALLOW_POLICY_ID(ID, ...) SHALLOW_##ID,
enum shallow_policy_id { SHALLOW_POLICIES(SHALLOW_POLICY_ID) };
#undef SHALLOW_POLICY_ID

#endif
