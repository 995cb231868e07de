/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts, of units that are given one by one.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_GIVEN_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_GIVEN_H

#include "firmware/run/precondition_write.h"

/* Free superblocks below which preconditioning collects, and at which it ends, whatever it fills
 * the drive by. */
uint32_t precondition_low(struct env* e);
uint32_t precondition_high(struct env* e);

/* As `give` of struct firmware_counts. */
int precondition_give(struct env* e, const uint64_t* units, uint32_t count);
/* Moves what is valid in a victim. -1 = there is no space. */
int precondition_given_move(struct env* e, uint32_t victim);
/* What the places of counts.asked hold: append.numbers and `units`. */
void precondition_given_deal(struct env* e, struct counts* c, uint64_t* units);

#endif
