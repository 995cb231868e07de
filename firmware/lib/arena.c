/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/arena.h"

#define MEMORY_MOST (UINT64_C(1) << 60)

void arenas_init(struct env* e, uint64_t sram_size, uint64_t sram_free, uint64_t dram_size)
{
    struct arenas* a = e->arenas;
    FW_ASSERT(e, sram_free <= sram_size);
    FW_ASSERT(e, (sram_free & 63u) == 0);
    a->sram.base = MAP_SRAM_BASE + sram_free;
    a->sram.next = a->sram.base;
    a->sram.end = MAP_SRAM_BASE + sram_size;
    a->dram.base = MAP_DRAM_BASE;
    a->dram.next = a->dram.base;
    a->dram.end = MAP_DRAM_BASE + dram_size;
    a->map = (struct arena){0, 0, 0};
    a->absent = 0;
}

static void move(struct arena* a, uint64_t bytes)
{
    a->base += bytes;
    a->next += bytes;
    a->end += bytes;
}

void arenas_move(struct env* e, uint64_t sram, uint64_t dram)
{
    struct arenas* a = e->arenas;
    FW_ASSERT(e, a->dram.next == a->dram.base && a->map.end == 0);
    move(&a->sram, sram);
    move(&a->dram, dram);
}

void arenas_count(struct env* e, uint64_t sram_free)
{
    arenas_init(e, MEMORY_MOST, sram_free, MEMORY_MOST);
    e->arenas->absent = ARENA_COUNTS;
}

void arenas_map_apart(struct env* e, uint64_t bank)
{
    struct arenas* a = e->arenas;
    FW_ASSERT(e, a->map.end == 0 && bank <= a->dram.end - a->dram.next);
    if (a->absent == ARENA_COUNTS) {
        a->map = a->dram;
        return;
    }
    a->map.end = a->dram.end;
    a->dram.end -= bank;
    a->map.base = a->dram.end;
    a->map.next = a->map.base;
}

static uint64_t take(struct env* e, struct arena* a, uint64_t bytes, uint64_t alignment)
{
    const uint64_t start = (a->next + alignment - 1) & ~(alignment - 1);
    FW_ASSERT(e, (alignment & (alignment - 1)) == 0);
    if (start > a->end || bytes > a->end - start) {
        e->arenas->absent = ARENA_LACKS;
        hal_log(e->hal, HAL_LOG_ERROR, "memory budget: wanted, left", bytes, a->end - a->next);
        return ARENA_FULL;
    }
    a->next = start + bytes;
    return start;
}

uint64_t sram_take(struct env* e, uint64_t bytes)
{
    return take(e, &e->arenas->sram, bytes, 64);
}

uint64_t dram_take(struct env* e, uint64_t bytes)
{
    return take(e, &e->arenas->dram, bytes, 64);
}

uint64_t dram_take_pages(struct env* e, uint64_t bytes)
{
    return take(e, &e->arenas->dram, bytes, 4096);
}

bool map_has_own(const struct env* e)
{
    return e->arenas->map.end != 0;
}

static struct arena* of_map(const struct env* e)
{
    return map_has_own(e) ? &e->arenas->map : &e->arenas->dram;
}

uint64_t map_take(struct env* e, uint64_t bytes)
{
    return take(e, of_map(e), bytes, 64);
}

uint64_t map_take_pages(struct env* e, uint64_t bytes)
{
    return take(e, of_map(e), bytes, 4096);
}

uint64_t arenas_used(const struct env* e)
{
    const struct arenas* a = e->arenas;
    return (a->sram.next - a->sram.base) + (a->dram.next - a->dram.base) +
           (a->map.next - a->map.base);
}
