/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each part of the firmware's state lies in this run. Boot builds an env on the stack at
 * each entry of the image; it is never stored, so the state itself holds no host pointer and
 * can be opened in another process.
 */
#ifndef SSDVP_FIRMWARE_LIB_ENV_H
#define SSDVP_FIRMWARE_LIB_ENV_H

#include <stdbool.h>

#include "firmware/hal/hal.h"
#include "models/regs/parts/table.h"

struct telemetry;
struct geometry;
struct smart;
struct arenas;
struct front_end;
struct channels;
struct flash;
struct blocks;
struct ftl;
struct cache;
struct gc;
struct hil;
struct maps;
struct recovery;
struct segments;
struct hybrid;
struct blockmap;
struct retention;
struct slc;
struct slc_policy;
struct cores;
struct run;
struct space_asks;
struct maps_asks;
struct gc_asks;
struct command_table;

/* What the platform told at reset, part by part: a header of models/regs/parts says what. Whoever
 * acts on an option reads it here; nobody copies it. */
#define BOOT_DECLARE(id) struct boot_##id;
BOOT_PARTS(BOOT_DECLARE)
#undef BOOT_DECLARE
#define BOOT_POINTER(id) const struct boot_##id* id;
struct told {
    BOOT_PARTS(BOOT_POINTER)
};
#undef BOOT_POINTER

struct env {
    struct hal* hal;
    uintptr_t sram; /* of each window: a controller address in it, plus that, is where it lies */
    uintptr_t dram;
    struct telemetry* telemetry;
    struct geometry* geo;
    struct smart* smart;
    struct arenas* arenas;
    struct front_end* front_end;
    struct channels* channels;
    struct flash* flash;
    struct blocks* blocks;
    struct ftl* ftl;
    struct cache* cache;
    struct gc* gc;
    struct hil* hil;
    struct maps* maps;
    struct recovery* recovery;
    struct segments* segments;
    struct hybrid* hybrid;
    struct blockmap* blockmap;
    struct retention* retention;
    struct slc* slc;
    struct slc_policy* slc_policy;
    struct cores* cores;
    struct run* run;
    struct told told;
    /* What a part asks of those above it. */
    const struct space_asks* space_asks;
    const struct maps_asks* maps_asks;
    const struct gc_asks* gc_asks;
    const struct command_table* commands; /* host/core/command.h */
    /* The env of another partition of a divided drive, to look at what it counts; `hal` is for its
     * use. */
    void (*of_partition)(const struct env* e, uint32_t index, struct hal* hal, struct env* to);
    uint32_t host_remote; /* 1 = another core has the role; never while the drive boots */
    uint32_t flash_remote;
};

#define INDEX_NONE 0xFFFFFFFFu

/* The windows of this run. */
static inline void env_windows(struct env* e, const uint8_t* sram, const uint8_t* dram)
{
    e->sram = (uintptr_t)sram - (uintptr_t)MAP_SRAM_BASE;
    e->dram = (uintptr_t)dram - (uintptr_t)MAP_DRAM_BASE;
}

/* Controller address in DRAM -> pointer of this run. */
static inline void* env_dram(const struct env* e, uint64_t address)
{
    return (void*)(e->dram + (uintptr_t)address);
}

static inline void* env_sram(const struct env* e, uint64_t address)
{
    return (void*)(e->sram + (uintptr_t)address);
}

/* Entry of a table. Its address is one number, of which compilers offset all fields: as an element
 * of an array they compute it anew for each. */
static inline void* env_dram_entry(const struct env* e, uint64_t table, uint64_t index, size_t size)
{
    return (void*)(e->dram + (uintptr_t)table + (uintptr_t)index * size);
}

static inline void* env_sram_entry(const struct env* e, uint64_t table, uint64_t index, size_t size)
{
    return (void*)(e->sram + (uintptr_t)table + (uintptr_t)index * size);
}

/* An entry of a table in DRAM is read (write: changed) now: the data cache hears of it, where the
 * platform has a model of one. For what a look-up touches, not for copies of buffers. */
static inline void env_touch(const struct env* e, const void* entry, size_t bytes, bool write)
{
    hal_touch(e->hal, (uintptr_t)entry - e->dram, (uint32_t)bytes, write);
}

#define FW_ASSERT(e, condition) HAL_ASSERT((e)->hal, condition)

#endif
