/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the parts of the anchor: the one that writes records (anchor.c) and the one that finds
 * the newest at power-up (anchor_find.c).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_ANCHOR_PARTS_H
#define SSDVP_FIRMWARE_DURABLE_ANCHOR_PARTS_H

#include "firmware/durable/anchor.h"

#define ANCHOR_MAGIC 0x41445353u /* "SSDA" */

struct signature anchor_signature(const struct env* e); /* of this drive */
uint32_t anchor_crc(struct anchor_record* r);
uint32_t anchor_before_crc(const struct env* e); /* of what is in memory */

uint32_t anchor_block_pages(const struct env* e); /* of a block: one per word line in SLC mode */
uint32_t anchor_room(const struct env* e);        /* of a block, or of those that make one */
uint64_t anchor_page(const struct env* e, uint32_t page); /* of the record, in memory */
/* Pages at the beginning of those that no record is in, of a copy. */
uint32_t anchor_shift(const struct env* e, uint32_t copy);
/* Page of a copy's block, or of those that make one. */
struct place anchor_place(const struct env* e, const struct anchor_copy* c, uint32_t turn,
                          uint32_t page);

#endif
