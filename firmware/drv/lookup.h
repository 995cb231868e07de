/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the front end's look-up engine, which reads the map, the flash and the marks of the
 * buffer by itself (docs/models/lookup.md). The ftl role has it.
 */
#ifndef SSDVP_FIRMWARE_DRV_LOOKUP_H
#define SSDVP_FIRMWARE_DRV_LOOKUP_H

#include <stdbool.h>

#include "firmware/drv/front_end.h"
#include "firmware/lib/bits.h"

#define LOOKUP_BLOCKS 16u /* superblocks that a fence stands for at most */

struct lookup {
    uint64_t marks;   /* a bit per unit: the buffer has it */
    uint32_t enabled; /* as last written */
    uint32_t mode;    /* enum flash_program_mode of what it reads */
    uint32_t reads;   /* registers as last read */
    uint32_t sectors;
    uint32_t held;   /* 1 = each superblock counts the engine as a reader */
    uint32_t fenced; /* superblocks that wait for the fence, 0 = there is none */
    uint32_t block[LOOKUP_BLOCKS];
};

struct lookup_map { /* where the map lies, and what its entries mean */
    uint64_t entries;
    uint64_t states; /* a byte per page of the map */
    uint64_t units;
    uint32_t unit_shift;
    uint32_t page_shift;  /* log2 of the units of a page of the map */
    uint32_t entry_shift; /* log2 of the bytes of an entry */
    uint32_t plane_shift; /* of addresses */
    uint32_t lun_shift;
    uint32_t row_shift;
    uint32_t pages; /* of a block */
    uint32_t mode;
};

static inline bool lookup_is_there(const struct env* e)
{
    return e->front_end->lookup != 0;
}

static inline struct lookup* lookup_of(const struct env* e)
{
    return (struct lookup*)env_sram(e, e->front_end->lookup);
}

/* 0 = done, -1 = memory. The engine reads nothing until it is enabled. */
int lookup_init(struct env* e, const struct lookup_map* map);
void lookup_enable(struct env* e, bool on);
/* Look-ups from before this call: whether flash reads of them are under way. */
void lookup_fence(struct env* e);
bool lookup_fenced(struct env* e);
/* What the engine has read since the last call goes to the counts of the host's reads. */
void lookup_count(struct env* e);

/* The buffer has newer data of the unit than the map tells, or no more: the map is right by then.
 */
static inline void lookup_mark(struct env* e, uint64_t unit)
{
    bitmap_set((uint64_t*)env_dram(e, lookup_of(e)->marks), unit);
}

static inline void lookup_unmark(struct env* e, uint64_t unit)
{
    __atomic_thread_fence(__ATOMIC_RELEASE); /* the map before the mark */
    bitmap_clear((uint64_t*)env_dram(e, lookup_of(e)->marks), unit);
}

#endif
