/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning, what its files share: see precondition.c.
 */
#ifndef SSDVP_FIRMWARE_BOOT_PRECONDITION_H
#define SSDVP_FIRMWARE_BOOT_PRECONDITION_H

#include "firmware/boot/fw.h"

struct append* append_of(struct env* e);
/* Descriptor of one operation on a write unit, all planes of it. */
void append_describe(struct env* e, const struct write_unit* w, struct flash_desc* d, uint8_t op);
/* Lets maps and recovery work until nothing of theirs is left to do. */
void append_settle(struct env* e);
/* Erases what is due. */
void append_erase(struct env* e);

/* precondition_placed.c: where the scheme says which page a unit goes to (blockmap/blockmap.h).
 * Returns a flash status. */
int append_placed(struct env* e, const uint64_t* units, uint32_t count, uint64_t buffer);
/* No merge is under way any more. */
void append_placed_end(struct env* e);

#endif
