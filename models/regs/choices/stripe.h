/* SPDX-License-Identifier: Apache-2.0
 *
 * ftl.stripe: what a superblock is.
 */
#ifndef SSDVP_REGS_CHOICES_STRIPE_H
#define SSDVP_REGS_CHOICES_STRIPE_H

#define STRIPES(ROW)                                                                               \
    ROW(DRIVE, drive, "the blocks of one number in all planes of all LUNs")                        \
    ROW(BLOCK, block, "one block; neighbours lie on different channels")                           \
    ROW(PLANE, plane, "one block; each plane has free blocks and a collection of its own")

#define STRIPE_ID(ID, ...) STRIPE_##ID,
enum stripe_id { STRIPES(STRIPE_ID) };
#undef STRIPE_ID

#endif
