/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/ops/read_pool.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"

static struct link* links_of(const struct env* e, const struct read_pool* p)
{
    return (struct link*)env_dram(e, p->links);
}

static uint8_t* free_of(const struct env* e, const struct read_pool* p, uint32_t group)
{
    return (uint8_t*)env_dram(e, p->free) + group;
}

static struct chain* chain_of(struct read_pool* p, uint32_t free)
{
    return free == ones(p->each) ? &p->whole : &p->broken;
}

/* What is free of a group changes, and with it the chain that it is in. */
static void set_free(struct env* e, struct read_pool* p, uint32_t group, uint32_t free)
{
    uint8_t* known = free_of(e, p, group);
    const uint32_t before = *known;
    struct chain* from = chain_of(p, before);
    struct chain* to = chain_of(p, free);
    *known = (uint8_t)free;
    if (before != 0 && (free == 0 || from != to)) {
        chain_remove(from, links_of(e, p), group);
    }
    if (free != 0 && (before == 0 || from != to)) { /* the newest leaves first, while it is warm */
        chain_prepend(to, links_of(e, p), group);
    }
}

void read_pool_init(struct env* e, struct read_pool* p, uint32_t reads, uint32_t each)
{
    const uint32_t groups = (reads + each - 1) / each;
    FW_ASSERT(e, each != 0 && each <= 8);
    chain_init(&p->whole);
    chain_init(&p->broken);
    p->each = each;
    p->count = reads;
    p->free = dram_take(e, groups);
    p->links = dram_take(e, (uint64_t)groups * sizeof(struct link));
    if (e->arenas->absent != 0) {
        return;
    }
    for (uint32_t group = groups; group-- != 0;) {
        const uint32_t left = reads - group * each;
        set_free(e, p, group, (uint32_t)ones(left < each ? left : each));
    }
}

uint32_t read_pool_take(struct env* e, struct read_pool* p, uint32_t reads)
{
    const bool one = reads == 1 && p->broken.first != INDEX_NONE;
    const uint32_t group = one ? p->broken.first : p->whole.first;
    FW_ASSERT(e, reads != 0 && reads <= p->each);
    if (group == INDEX_NONE) {
        return INDEX_NONE;
    }
    const uint32_t free = *free_of(e, p, group);
    const uint32_t first = lowest_bit(free);
    set_free(e, p, group, free & ~((uint32_t)ones(reads) << first));
    p->count -= reads;
    return group * p->each + first;
}

void read_pool_free(struct env* e, struct read_pool* p, uint32_t first, uint32_t reads)
{
    const uint32_t group = first / p->each;
    const uint32_t mask = (uint32_t)ones(reads) << (first - group * p->each);
    const uint32_t free = *free_of(e, p, group);
    FW_ASSERT(e, (free & mask) == 0);
    FW_ASSERT(e, first - group * p->each + reads <= p->each);
    set_free(e, p, group, free | mask);
    p->count += reads;
}
