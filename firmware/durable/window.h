/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of the window and trims of the journal, in their order, for all who apply them to
 * something: to maps in memory (replay.h), in frames (paged.h), to logical blocks (map/layout.h).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_WINDOW_H
#define SSDVP_FIRMWARE_DURABLE_WINDOW_H

#include <stdbool.h>

#include "firmware/durable/state.h"
#include "firmware/space/spare.h"

/* The table is empty, for the programs behind `from`. */
void window_begin(struct env* e, uint64_t from);

/* One write unit in the replay table: the address of its first unit's place + 1, 0 = none, then a
 * word per unit of the whole group in plane order. */
static inline uint64_t* window_entry(struct env* e, uint64_t n)
{
    return (uint64_t*)env_dram(e, e->recovery->replay) + n * (1u + e->geo->group);
}

/* A walk over the journal's records. */
struct trims {
    uint64_t unit;
    uint32_t record;
};

/* Fills the table; not 0 = it could not. */
typedef int (*window_scan)(struct env* e);

/* Called for each unit of an entry, in order; returns 0 when it needs a page that is being
 * fetched. */
typedef bool (*unit_action)(struct env* e, const struct spare_unit* u, uint64_t address);
/* Inline, for power-up calls it with an action of the caller's for each unit of the window. */
static inline void window_units(struct env* e, uint64_t n, unit_action action, bool* missing)
{
    const struct geometry* g = e->geo;
    const uint64_t* entry = window_entry(e, n);
    uint64_t page = entry[0] - 1;
    uint32_t unit = 0; /* of the page */
    for (uint32_t k = 0; k < g->group; ++k) {
        const struct spare_unit u = spare_unpack(entry[1 + k]);
        if (u.kind != SPARE_PAD && !action(e, &u, page | unit)) {
            *missing = true;
        }
        if (++unit == g->page_units) {
            unit = 0;
            page += UINT64_C(1) << g->unit_bits; /* the next plane's */
        }
    }
}

/* All of the window and all trims, in order, as many programs at a time as the table holds; scan
 * fills it with them. -1 = the drive may not serve, or power goes. */
int window_apply(struct env* e, struct trims* trims, window_scan scan, unit_action action);
struct trim_record;
const struct trim_record* window_trim(struct env* e, struct trims* t); /* the next one, NULL */
/* true = it is sound, and the maps on the flash do not know it. */
bool trim_is_news(const struct env* e, const struct trim_record* r);
void window_trims(struct env* e, struct trims* t, uint64_t before); /* those before a program */

#endif
