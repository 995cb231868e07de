/* SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks at power-up, as recovery finds them.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BLOCKS_BOOT_H
#define SSDVP_FIRMWARE_SPACE_BLOCKS_BOOT_H

#include <stdbool.h>

#include "firmware/space/blocks.h"

/* A block leaves its superblock for good; which planes of a place did. */
void blocks_hide(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);
uint32_t blocks_hidden(const struct env* e, uint32_t block, uint32_t lun);
/* An interrupted erase begins again. */
void blocks_erase_again(struct env* e, uint32_t block);
/* The scan found where the pages of a superblock end (uint16_t per LUN and plane): writing goes on
 * there. */
void blocks_resume(struct env* e, uint32_t block, const uint16_t* ends);
/* Counts free superblocks when states were set. */
void blocks_count_free(struct env* e);
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
