/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/parked_reads.h"

#include "firmware/host/core/hil.h"
#include "firmware/lib/arena.h"
#include "firmware/map/maps_units.h"

enum { PARK_BUCKETS = 64 }; /* about as many pages as are on their way */

/* command.io.map_page of a read that is parked has one of these too. */
#define PARK_WAITS (UINT64_C(1) << 63)
#define PARK_ASKS (UINT64_C(1) << 62)
#define PARKED (PARK_WAITS | PARK_ASKS)

static struct fifo* bucket_of(struct env* e, uint64_t page)
{
    FW_ASSERT(e, e->hil->parked.buckets != 0);
    return env_dram_entry(e, e->hil->parked.buckets, page % PARK_BUCKETS, sizeof(struct fifo));
}

static struct link* ask_links_of(struct env* e)
{
    return (struct link*)env_dram(e, e->hil->parked.ask_links);
}

static uint64_t* page_of(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, command_of(e, slot)->state == COMMAND_READ);
    return &command_of(e, slot)->io.map_page;
}

int hil_park_init(struct env* e)
{
    struct parked_reads* p = &e->hil->parked;
    p->buckets = dram_take(e, PARK_BUCKETS * sizeof(struct fifo));
    p->ask_links = dram_take(e, (uint64_t)front_end_slots(e) * sizeof(struct link));
    if (e->arenas->absent == 0) {
        hil_park_clear(e);
    }
    return arenas_result(e);
}

void hil_park_clear(struct env* e)
{
    struct parked_reads* p = &e->hil->parked;
    for (uint32_t n = 0; n < PARK_BUCKETS; ++n) {
        fifo_init(bucket_of(e, n));
    }
    chain_init(&p->asks);
    p->count = 0;
    p->asking = 0;
    p->joined = 0;
}

/* It is in its bucket no more. */
static void unmark(struct env* e, uint32_t slot)
{
    struct parked_reads* p = &e->hil->parked;
    uint64_t* page = page_of(e, slot);
    if ((*page & PARK_ASKS) != 0) {
        chain_remove(&p->asks, ask_links_of(e), slot);
        --p->asking;
    }
    *page &= ~PARKED;
    FW_ASSERT(e, p->count > p->asking);
    --p->count;
}

/* Reads of a page that are parked so go on in reads_waiting, in their order; how many. */
static uint32_t bring_back(struct env* e, uint64_t page, uint64_t parked)
{
    struct fifo* bucket = bucket_of(e, page);
    uint32_t* links = hil_wait_links(e);
    uint32_t found = 0;
    for (uint32_t n = bucket->count; n != 0; --n) {
        const uint32_t slot = fifo_pop(bucket, links);
        const uint64_t wants = *page_of(e, slot);
        const bool back = (wants & ~PARKED) == page + 1 && (wants & parked) != 0;
        if (back) {
            unmark(e, slot);
        }
        fifo_push(back ? &e->hil->reads_waiting : bucket, links, slot);
        found += back ? 1u : 0u;
    }
    FW_ASSERT(e, e->hil->parked.count >= e->hil->parked.asking);
    return found;
}

void hil_park(struct env* e, uint32_t slot)
{
    struct parked_reads* p = &e->hil->parked;
    uint64_t* wanted = page_of(e, slot);
    const uint64_t page = *wanted - 1;
    if (*wanted == 0) {
        fifo_push(&e->hil->reads_waiting, hil_wait_links(e), slot);
        return;
    }
    ++p->count;
    if (!maps_loading(e, 1, page)) {
        *wanted |= PARK_ASKS;
        chain_append(&p->asks, ask_links_of(e), slot);
        ++p->asking;
    } else {
        *wanted |= PARK_WAITS;
        p->joined += p->asking != 0 ? bring_back(e, page, PARK_ASKS) : 0;
    }
    fifo_push(bucket_of(e, page), hil_wait_links(e), slot);
}

bool hil_park_ask(struct env* e)
{
    const uint32_t slot = e->hil->parked.asks.first;
    if (slot == INDEX_NONE || (!maps_may_ask(e) && flash_in_flight(e) != 0)) {
        return false;
    }
    const bool parked = hil_unpark(e, slot);
    FW_ASSERT(e, parked);
    fifo_push_front(&e->hil->reads_waiting, hil_wait_links(e), slot);
    return parked;
}

uint32_t hil_park_joined(struct env* e)
{
    const uint32_t joined = e->hil->parked.joined;
    FW_ASSERT(e, joined <= e->hil->reads_waiting.count);
    e->hil->parked.joined = 0;
    return joined;
}

bool hil_unpark(struct env* e, uint32_t slot)
{
    const uint64_t wanted = *page_of(e, slot);
    if ((wanted & PARKED) == 0) {
        return false;
    }
    const bool found = fifo_remove(bucket_of(e, (wanted & ~PARKED) - 1), hil_wait_links(e), slot);
    FW_ASSERT(e, found);
    unmark(e, slot);
    return found;
}

void hil_page_came(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page < maps_pages(e, 1));
    if (e->hil->parked.count != 0) {
        (void)bring_back(e, page, PARKED);
    }
}
