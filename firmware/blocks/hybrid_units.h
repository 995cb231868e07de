/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of hybrid mapping: where each of them lies, in the data block of its logical block or in
 * the log.
 */
#ifndef SSDVP_FIRMWARE_BLOCKS_HYBRID_UNITS_H
#define SSDVP_FIRMWARE_BLOCKS_HYBRID_UNITS_H

#include <stdbool.h>

#include "firmware/blocks/hybrid_state.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"

static inline uint16_t* pins_of(const struct env* e, uint64_t lblock)
{
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return (uint16_t*)env_dram(e, e->hybrid->pins) + lblock;
}

/* The unit behind the last one of a logical block. */
static inline uint64_t lblock_end(const struct env* e, uint64_t lblock)
{
    const uint64_t end = (lblock + 1) * e->geo->pages;
    FW_ASSERT(e, lblock < e->hybrid->lblocks);
    return end < e->geo->user_units ? end : e->geo->user_units;
}

/* The entry of the logical block is in memory. */
static inline bool lblock_resident(struct env* e, uint64_t lblock)
{
    return maps_resides(e, 1, maps_page(e, lblock));
}

/* Address of a page of a data block, given the entry of its logical block. */
static inline uint64_t data_page(const struct env* e, uint64_t block, uint64_t unit)
{
    return (block & ~FTL_LOST) + ((unit % e->geo->pages) << e->geo->row_shift);
}

/* Where the data block of a logical block begins, FTL_NONE, FTL_UNKNOWN. */
uint64_t data_block_of(struct env* e, uint64_t lblock);
/* No logical block lies in the data block any more. */
void data_block_leave(struct env* e, uint64_t block);
/* Every unit of the logical block lies in the target from now on. */
void data_block_switch(struct env* e, uint64_t lblock, uint32_t target, const uint8_t* lost);
/* The unit is nowhere; returns what was said of it in the log. */
uint32_t hybrid_leave(struct env* e, uint64_t unit);

#endif
