/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared block is emptied: all its logical blocks are folded (fold.h), then it is dropped.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_EMPTY_H
#define SSDVP_FIRMWARE_BLOCKS_EMPTY_H

#include "firmware/blocks/blockmap.h"

/* One at a time: while another is at work this does nothing. */
void fold_empty(struct env* e, uint32_t slot);
void empties_step(struct env* e);

#endif
