/* SPDX-License-Identifier: Apache-2.0
 *
 * Map blocks: erase blocks that hold the segments of a map, and pages of them (segments.h).
 */
#ifndef SSDVP_FIRMWARE_MAP_MAP_BLOCK_H
#define SSDVP_FIRMWARE_MAP_MAP_BLOCK_H

#include <stdint.h>

enum map_block_state {
    MAP_BLOCK_GARBAGE = 0, /* to be erased */
    MAP_BLOCK_ERASED = 1,
    MAP_BLOCK_FILLING = 2,
    MAP_BLOCK_HOLDS = 3, /* the newest commit of a segment */
    MAP_BLOCK_BAD = 4
};

struct map_block {
    uint32_t block;
    uint16_t lun;
    uint8_t plane;
    uint8_t state;    /* enum map_block_state */
    uint32_t segment; /* power-up: what its last page says, INDEX_NONE = nothing */
    uint32_t number;  /* of the commit in it, 0 = none */
    uint32_t erases;
};

/* One page of a map block, read past the slots: there is nothing that could leave them. */
enum peek_state { PEEK_NONE = 0, PEEK_READS = 1, PEEK_THERE = 2 };

struct segment_peek {
    uint64_t first;  /* page of level 1 that is the first on it */
    uint64_t failed; /* mask of those on it that are not readable */
    uint32_t state;  /* enum peek_state */
    uint32_t buffer;
};

/* In an anchor record. */
struct saved_map_block {
    uint32_t erases;
    uint32_t number; /* of the commit in it, 0 = none */
};

#endif
