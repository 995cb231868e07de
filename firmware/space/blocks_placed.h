/* SPDX-License-Identifier: Apache-2.0
 *
 * Which places of an open or full superblock have been given to whoever writes it: planes of a
 * page, and units of all.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BLOCKS_PLACED_H
#define SSDVP_FIRMWARE_SPACE_BLOCKS_PLACED_H

#include "firmware/space/blocks.h"

uint32_t blocks_placed_planes(struct env* e, uint32_t block, uint32_t lun, uint32_t page);
uint32_t blocks_placed_units(struct env* e, uint32_t block);

#endif
