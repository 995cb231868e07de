/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches for the newest copy of a unit, where no index tells which page holds it: the used pages
 * of a part of its logical block are looked into, the last one first. A read of the host looks for
 * one unit; a merge comes by each page once, whichever units it copies.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_SEARCH_H
#define SSDVP_FIRMWARE_BLOCKS_SEARCH_H

#include "firmware/blocks/blockmap.h"

/* Which pages tell only on the flash what they hold. */
enum searched { SEARCHED_NONE = 0, SEARCHED_SPARES = 1, SEARCHED_SECOND = 2 };

/* The block of which pages from *first on are searched, INDEX_NONE = an index knows all. */
uint32_t searched_block(const struct env* e, uint32_t lblock, uint32_t* first);
/* The next page of the block in [first, from), downwards, that is used; INDEX_NONE. */
uint32_t page_used(const struct env* e, uint32_t block, uint32_t from, uint32_t first);
/* ftl_ops.scan: the next page below `from` that is looked into for the unit in vain. */
uint32_t blockmap_scan(struct env* e, uint64_t unit, uint32_t from, uint32_t* block);

#endif
