/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.fast.non_sequential: what fast does with a write that does not continue the sequential log
 * block of its logical block.
 */
#ifndef SSDVP_REGS_CHOICES_FAST_OTHER_H
#define SSDVP_REGS_CHOICES_FAST_OTHER_H

#define FAST_OTHERS(ROW)                                                                           \
    ROW(ABSORB, absorb, "it goes into the block that the two are merged to")                       \
    ROW(NEW_SEQUENTIAL, new_sequential, "it begins a fresh sequential log block")                  \
    ROW(TO_RANDOM, to_random, "it goes to a random log block")

#define FAST_OTHER_ID(ID, ...) FAST_OTHER_##ID,
enum fast_other_id { FAST_OTHERS(FAST_OTHER_ID) };
#undef FAST_OTHER_ID

#endif
