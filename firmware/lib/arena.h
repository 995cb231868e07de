/* SPDX-License-Identifier: Apache-2.0
 *
 * Arena: hands out SRAM and DRAM once, at boot, against a budget. Nothing is ever given back, so
 * what a scheme costs in memory is what it took here.
 */
#ifndef SSDVP_FIRMWARE_LIB_ARENA_H
#define SSDVP_FIRMWARE_LIB_ARENA_H

#include <stdint.h>

#include "firmware/lib/env.h"

#define ARENA_FULL 0u /* no address of ours is 0 */

struct arena {
    uint64_t base; /* controller addresses */
    uint64_t next;
    uint64_t end;
};

struct arenas {
    struct arena sram;
    struct arena dram;
    struct arena map; /* on-chip memory in DRAM's window; without addresses: the map is in DRAM */
    uint32_t absent;  /* enum arena_absent; else what was handed out is there, to be written */
};

enum arena_absent {
    ARENA_LACKS = 1, /* some request did not fit */
    ARENA_COUNTS     /* there is no memory at all: requests are counted (struct firmware_plan) */
};

void arenas_init(struct env* e, uint64_t sram_size, uint64_t sram_free, uint64_t dram_size);
/* Nothing is taken yet: all of it lies so many bytes behind. */
void arenas_move(struct env* e, uint64_t sram, uint64_t dram);
void arenas_count(struct env* e, uint64_t sram_free);
/* The last `bank` bytes of DRAM's window are on-chip memory, which the map lies in. To be counted,
 * it has no size yet. */
void arenas_map_apart(struct env* e, uint64_t bank);

/* Of an init that has taken its memory. Where that is absent it ends with this. */
static inline int arenas_result(const struct env* e)
{
    return e->arenas->absent == ARENA_LACKS ? -1 : 0;
}

/* Controller address of bytes, aligned to 64, zero as the memory was; ARENA_FULL when the budget
 * is used up, which also sets absent. */
uint64_t sram_take(struct env* e, uint64_t bytes);
uint64_t dram_take(struct env* e, uint64_t bytes);

/* DRAM starting on a 4 KiB page: tables that stay untouched until used, and buffers. */
uint64_t dram_take_pages(struct env* e, uint64_t bytes);

/* The same for tables and buffers of the map, which may have memory of their own. */
uint64_t map_take(struct env* e, uint64_t bytes);
uint64_t map_take_pages(struct env* e, uint64_t bytes);
bool map_has_own(const struct env* e); /* true = they have */

uint64_t arenas_used(const struct env* e);

#endif
