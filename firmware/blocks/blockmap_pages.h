/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of blocks that are mapped as blocks: which are taken, what they hold, and which copy of a
 * unit counts.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_PAGES_H
#define SSDVP_FIRMWARE_BLOCKS_BLOCKMAP_PAGES_H

#include <stdbool.h>

#include "firmware/blocks/blockmap_state.h"

bool page_taken(const struct env* e, uint32_t block, uint32_t page);
bool page_valid(const struct env* e, uint32_t block, uint32_t page);
/* A page that is taken has that unit, which may be valid there; it is going to be programmed. */
void page_name(struct env* e, uint32_t block, uint32_t page, uint64_t unit);
void page_take(struct env* e, uint32_t block, uint32_t page, uint64_t unit);
/* First page in [from, end) that may be programmed, INDEX_NONE = none; a block that failed has
 * none. The same of the pages behind a home's logical block. */
uint32_t page_free(struct env* e, uint32_t block, uint32_t from, uint32_t end);
uint32_t spare_free(struct env* e, uint32_t block);
/* The unit that was programmed to a page, or is being, FTL_NONE. */
uint64_t page_unit(struct env* e, uint32_t block, uint32_t page);
uint32_t pages_in_order(struct env* e, uint32_t block); /* from 0 on, at their own offsets */
/* Power-up: what is said of the page counts. */
void page_restore(struct env* e, uint32_t block, uint32_t page, uint32_t lost);

uint64_t unit_find(struct env* e, uint64_t unit); /* the newest data, FTL_NONE */
/* The unit's newest data are in the page, lost or not; what was before is garbage. */
void unit_settle(struct env* e, uint64_t unit, uint64_t address, uint32_t lost);
/* The unit is nowhere any more. true = it was somewhere. */
bool unit_leave(struct env* e, uint64_t unit);
/* Units from this one on, of its logical block, that lie side by side, none lost; they leave. */
uint32_t units_in_order(struct env* e, uint64_t unit, uint32_t most);
void units_leave(struct env* e, uint64_t unit, uint32_t count);

struct page_namer { /* role of a block, and what that calls its owner */
    uint32_t role;
    uint32_t owner;
};
/* A block of a role becomes one of another role (block_turn): what its pages are called leaves the
 * hash; and they are called by the new role what they were by the old one. */
void pages_unhash(struct env* e, uint32_t block);
void pages_rename(struct env* e, uint32_t block, const struct page_namer* was);

/* Where no index tells which page holds the newest copy of a unit the used pages of a part of its
 * logical block are looked into, the last one first. The block of which pages from *first on are,
 * INDEX_NONE = an index knows all; the next page of it in [first, from), downwards, that is used.
 */
uint32_t searched_block(const struct env* e, uint32_t lblock, uint32_t* first);
uint32_t page_used(const struct env* e, uint32_t block, uint32_t from, uint32_t first);

#endif
