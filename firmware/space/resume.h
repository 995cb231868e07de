/* SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks at power-up: what streams go on with, as recovery finds them.
 */
#ifndef SSDVP_FIRMWARE_SPACE_RESUME_H
#define SSDVP_FIRMWARE_SPACE_RESUME_H

#include "firmware/space/state.h"

/* The scan found where the pages of a superblock end (uint16_t per LUN and plane): writing goes on
 * there. */
void blocks_resume(struct env* e, uint32_t block, const uint16_t* ends);
/* true = the page of the address has been written, as far as the scan could tell. */
bool blocks_written(struct env* e, uint64_t address);
/* true = ... and whatever the address of the superblock is. */
bool blocks_all_written(const struct env* e, uint32_t block);

/* Where streams write, in the tables of a record. With word lines of two passes none has anything
 * open there. */
uint64_t streams_bytes(const struct env* e);
void streams_store(struct env* e, uint8_t* to);
void streams_load(struct env* e, const uint8_t* from);

/* true = a block of the anchor may lie there, whatever is bad and however large a record is. */
bool blocks_anchor_reaches(const struct env* e, uint32_t block, uint32_t lun, uint32_t plane);

#endif
