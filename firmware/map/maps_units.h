/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of a scheme (ftl.h) on a unit of the D-log whose entry lies in a resident page of M1.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_UNITS_H
#define SSDVP_FIRMWARE_MAP_MAPS_UNITS_H

#include <stdbool.h>

#include "firmware/map/maps.h"

#define MAPS_ENTRIES_MOST (32768 / sizeof(uint32_t)) /* of a page, which is a map unit */

/* Entries of level 1. */
static inline uint64_t maps_entries(const struct env* e)
{
    return (e->geo->user_units + e->maps->span - 1) / e->maps->span;
}

/* true = the unit's entry is in memory. */
static inline bool maps_has(struct env* e, uint64_t unit)
{
    return (*maps_flags(e, e->maps, 1, unit >> e->maps->entry_shift) & MAP_RESIDENT) != 0;
}

/* true = each page of a unit map has its place in memory: once there it stays. */
static inline bool maps_all_here(const struct maps* m)
{
    return m->level[1].frame == 0 && m->segment == 0 && m->raw == 0 && m->span == 1;
}

/* false = nobody can have a page of level 1 read now: reads, or frames, are all in use. */
static inline bool maps_may_ask(const struct env* e)
{
    return flash_may_take(e, OWNER_MAP_READ) &&
           (!maps_passing(e->maps) || e->maps->frames.free.count != 0);
}

/* Of a unit that a look-up could not tell: its page + 1 if there is nothing to ask for before that
 * page has come, or, where it is not on its way, before maps_may_ask(). 0 = there may be. */
uint64_t maps_awaited(struct env* e, uint64_t unit);

/* A place that is valid, but that the unit of its spare word does not lie at: the page that said so
 * could not be read again. It is nobody's any more. */
void maps_disown(struct env* e, uint64_t address);
void maps_depart(struct env* e, uint64_t entry); /* the entry is about to be replaced */
void maps_commit(struct env* e, uint64_t unit, uint64_t address);
void maps_lose(struct env* e, uint64_t unit);
bool maps_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to);
bool maps_trim(struct env* e, uint64_t unit);

/* Of ftl_ops (maps_run.c). never_written: the page has no place and is not in memory, as far as can
 * be told without a read. */
uint64_t maps_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t maps_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);
/* Power-up: entries of resident pages are 0 from now on; nothing is counted. */
void maps_empty(struct env* e, uint64_t unit, uint64_t end);
bool maps_never_written(struct env* e, uint64_t page);
/* No unit is mapped any more, and the flash has no map (maps_clear.c). Nothing is under way that
 * uses it. */
void maps_clear(struct env* e);

/* The unit at an address where the map is framed, FTL_UNKNOWN = ask again (maps_search.c).
 * searched: a page is in its frame. */
void maps_search_init(struct env* e);
void maps_searched(struct env* e, uint32_t level, uint64_t page);
uint64_t maps_search(struct env* e, uint64_t address);

#endif
