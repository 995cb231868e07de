/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay: programs of the window and trims of the journal, in their order, for all who apply them
 * to something: to maps in memory (replay.c), in frames (paged.h), to entries that are cached
 * without their pages (kept.h), to logical blocks (map/layout.h).
 */
#ifndef SSDVP_FIRMWARE_DURABLE_REPLAY_H
#define SSDVP_FIRMWARE_DURABLE_REPLAY_H

#include <stdbool.h>

#include "firmware/durable/recovery.h"
#include "firmware/space/spare.h"

/* Applies all that the scan found. -1 = the drive may not serve, or power goes. */
int replay_all(struct env* e);

/* The table is empty, for the programs behind `from`. */
void replay_window(struct env* e, uint64_t from);

/* One write unit in the replay table: the address of its first unit's place + 1, 0 = none, then a
 * word per unit of the whole group in plane order. */
static inline uint64_t* replay_entry(struct env* e, uint64_t n)
{
    return (uint64_t*)env_dram(e, e->recovery->replay) + n * (1u + e->geo->group);
}

/* A walk over the journal's records. */
struct trims {
    uint64_t unit;
    uint32_t record;
};

/* Called for each unit of an entry, in order; returns 0 when it needs a page that is being
 * fetched. */
typedef bool (*unit_action)(struct env* e, const struct spare_unit* u, uint64_t address);
void replay_units(struct env* e, uint64_t n, unit_action action, bool* missing);
/* All of the window and all trims, in order, as many programs at a time as the table holds; scan
 * fills it with them. -1 = the drive may not serve, or power goes. */
int replay_in_order(struct env* e, struct trims* trims, int (*scan)(struct env* e),
                    unit_action action);
/* Waits until a page is there or on its way. false = power goes. */
bool replay_ask(struct env* e, uint32_t level, uint64_t page);

struct trim_record;
const struct trim_record* replay_trim(struct env* e, struct trims* t); /* the next one, NULL */
void replay_trims(struct env* e, struct trims* t, uint64_t before);    /* those before a program */

#endif
