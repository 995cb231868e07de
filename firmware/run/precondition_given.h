/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts, of units that are given one by one.
 */
#ifndef SSDVP_FIRMWARE_RUN_PRECONDITION_GIVEN_H
#define SSDVP_FIRMWARE_RUN_PRECONDITION_GIVEN_H

#include "firmware/run/precondition_counts.h"

/* As `give` of struct firmware_counts. */
int precondition_give(struct env* e, const uint64_t* units, uint32_t count);
/* What the places of counts.asked hold: append.numbers and `units`. */
void precondition_given_deal(struct env* e, struct counts* c, uint64_t* units);

#endif
