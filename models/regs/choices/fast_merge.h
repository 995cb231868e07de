/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.fast.sequential_merge: how fast merges a sequential log block that is in order and not full.
 */
#ifndef SSDVP_REGS_CHOICES_FAST_MERGE_H
#define SSDVP_REGS_CHOICES_FAST_MERGE_H

#define FAST_MERGES(ROW)                                                                           \
    ROW(FULL, full, "all of its logical block is merged into a third block")                       \
    ROW(PARTIAL, partial, "it is completed with what counts of the data block")                    \
    ROW(COLLECTING, collecting, "it is completed, with newer pages of random log blocks too")

#define FAST_MERGE_ID(ID, ...) FAST_MERGE_##ID,
enum fast_merge_id { FAST_MERGES(FAST_MERGE_ID) };
#undef FAST_MERGE_ID

#endif
