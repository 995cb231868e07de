/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad blocks, and those that belong to no superblock for other reasons: what is good of each.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BAD_H
#define SSDVP_FIRMWARE_SPACE_BAD_H

#include "firmware/space/state.h"

uint32_t blocks_good_planes(struct env* e, uint32_t block, uint32_t lun);
void blocks_mark_bad(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);
/* A block leaves its superblock for good; which planes of a place did. */
void blocks_hide(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);
uint32_t blocks_hidden(const struct env* e, uint32_t block, uint32_t lun);

/* true = the flash does not tell of all bad blocks; a record that does is being written. */
static inline bool blocks_bad_changed(const struct env* e)
{
    return e->blocks->bad_changed != 0;
}
static inline void blocks_bad_saved(struct env* e)
{
    e->blocks->bad_changed = 0;
}

#endif
