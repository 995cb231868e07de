/* SPDX-License-Identifier: Apache-2.0
 *
 * Power-up after a loss of power: what the scan of the spare words found becomes the block map.
 * The image tells what was so at the base; what was programmed since is applied in order, each
 * program by what its spare word calls it. What happened without a program follows from what came
 * next: a second block that is followed by another one, or by a program of a home in it, has become
 * the home. Blocks that were erased since the base are forgotten first, for what counted in them
 * had been programmed elsewhere, or trimmed, before.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_FOUND_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_FOUND_H

#include <stdbool.h>

#include "firmware/lib/env.h"

struct spare_unit;

/* One page as the scan finds it: erased, of a sequence, or unreadable (0). */
enum found_page { FOUND_ERASED = 0, FOUND_UNREADABLE = 1, FOUND_OLDER = 2, FOUND_NEWER = 3 };
void found_page(struct env* e, uint32_t block, uint32_t page, enum found_page what);
/* All pages of the block have been looked at; or none, for nothing can have changed in it. */
void found_block(struct env* e, uint32_t block, bool looked);
/* A program behind the base, in order. */
void found_program(struct env* e, const struct spare_unit* u, uint64_t address);
/* All have been applied, and all trims. */
void found_end(struct env* e);
/* true = the kind is one of ours; the block has a page that may still be programmed. */
bool found_kind(uint32_t kind);
bool found_open(const struct env* e, uint32_t block);

#endif
