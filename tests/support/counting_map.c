/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/counting_map.h"

#define ftl_page_map whole_page_map
#include "firmware/schemes/page_map.c"
#undef ftl_page_map

static struct {
    uint64_t pins;
    uint64_t lookups;
    uint64_t runs;
} counted;

void counting_begin(void)
{
    counted.pins = counted.lookups = counted.runs = 0;
}

uint64_t counted_pins(void)
{
    return counted.pins;
}

uint64_t counted_lookups(void)
{
    return counted.lookups;
}

uint64_t counted_runs(void)
{
    return counted.runs;
}

static bool counting_pin(struct env* e, uint64_t unit)
{
    ++counted.pins;
    return map_pin(e, unit);
}

static enum ftl_asked counting_ask(struct env* e, uint64_t unit)
{
    ++counted.pins;
    return map_ask(e, unit);
}

static uint64_t counting_lookup(struct env* e, uint64_t unit)
{
    ++counted.lookups;
    return map_lookup(e, unit);
}

static uint64_t counting_holes(struct env* e, uint64_t unit, uint64_t end)
{
    ++counted.runs;
    return maps_holes(e, unit, end);
}

static uint64_t counting_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped)
{
    ++counted.runs;
    return maps_trim_run(e, unit, end, mapped);
}

const struct ftl_ops ftl_page_map = {
    .layout = &ftl_pages,
    .init = map_init,
    .lookup = counting_lookup,
    .pin = counting_pin,
    .unpin = map_unpin,
    .ask = counting_ask,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = map_owner,
    .move = maps_move,
    .trim = maps_trim,
    .holes = counting_holes,
    .trim_run = counting_trim_run,
    .prefetch = maps_prefetch,
};
