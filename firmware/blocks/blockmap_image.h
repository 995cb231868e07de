/* SPDX-License-Identifier: Apache-2.0
 *
 * The block map on the flash: the pages of level 1 hold an image of it instead of entries. A
 * checkpoint takes the image at a moment at which no program is under way, so that it tells of the
 * programs up to the checkpoint's base, all of them and no others. Two sets of pages take turns:
 * until the record of a checkpoint is written that of the one before counts, whatever has become of
 * the other set.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_IMAGE_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_IMAGE_H

#include <stdbool.h>

#include "firmware/lib/env.h"

void image_plan(struct env* e); /* before the maps are planned */
/* A checkpoint is due: true = it may begin, else none is submitted until it does: no program is
 * under way, and all of them are settled. */
bool image_quiet(struct env* e);
void image_take(struct env* e); /* it begins */
void image_done(struct env* e); /* its record is written */
/* Power-up, when all pages have come in: what they say becomes the state of the drive. */
void image_apply(struct env* e);
/* In front of an anchor record: bytes, to and from there. */
uint64_t image_table_bytes(const struct env* e);
void image_store(struct env* e, void* to);
void image_load(struct env* e, const void* from);

#endif
