/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/shy_map.h"

#define ftl_page_map whole_page_map
#include "firmware/schemes/page_map.c"
#undef ftl_page_map

#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/ops/flash.h"

enum { UNITS = 1 << 16 };

static struct {
    uint32_t percent;
    uint32_t random;
    uint64_t refusals;
    uint64_t held;
    uint16_t pins[UNITS];
} shy;

void shy_begin(uint32_t percent, uint32_t seed)
{
    mem_zero(&shy, sizeof shy);
    shy.percent = percent;
    shy.random = seed;
}

uint64_t shy_refusals(void)
{
    return shy.refusals;
}

uint64_t shy_pins(void)
{
    return shy.held;
}

/* Only while something is under way that will wake the firmware again, as a fetch would be. */
static bool refuses(struct env* e)
{
    run_later(e, DUE_STEPS); /* whoever asks may be refused, and asks again in the next round */
    shy.random = shy.random * 1664525u + 1013904223u;
    if (e->flash->in_flight == e->flash->bystanders || (shy.random >> 16) % 100 >= shy.percent) {
        return false;
    }
    ++shy.refusals;
    return true;
}

static uint64_t shy_lookup(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < UNITS);
    return shy.pins[unit] == 0 && refuses(e) ? FTL_UNKNOWN : map_lookup(e, unit);
}

static bool shy_pin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < UNITS && unit < e->geo->user_units);
    if (shy.pins[unit] == 0 && refuses(e)) {
        return false;
    }
    ++shy.pins[unit];
    ++shy.held;
    return true;
}

static enum ftl_asked shy_ask(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < UNITS);
    return shy.pins[unit] == 0 && refuses(e) ? FTL_LATER : FTL_HERE;
}

static void shy_unpin(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < UNITS && shy.pins[unit] != 0);
    --shy.pins[unit];
    --shy.held;
}

static void shy_commit(struct env* e, uint64_t unit, uint64_t address)
{
    FW_ASSERT(e, shy.pins[unit] != 0);
    maps_commit(e, unit, address);
}

static void shy_lose(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, shy.pins[unit] != 0);
    maps_lose(e, unit);
}

static uint64_t shy_owner(struct env* e, uint64_t address)
{
    return refuses(e) ? FTL_UNKNOWN : map_owner(e, address);
}

static bool shy_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    FW_ASSERT(e, shy.pins[unit] != 0);
    return maps_move(e, unit, from, to);
}

static bool shy_trim(struct env* e, uint64_t unit)
{
    FW_ASSERT(e, shy.pins[unit] != 0);
    return maps_trim(e, unit);
}

const struct ftl_ops ftl_page_map = {
    .layout = &ftl_pages,
    .init = map_init,
    .lookup = shy_lookup,
    .pin = shy_pin,
    .unpin = shy_unpin,
    .ask = shy_ask,
    .commit = shy_commit,
    .lose = shy_lose,
    .owner = shy_owner,
    .move = shy_move,
    .trim = shy_trim,
    .prefetch = maps_prefetch,
};
