/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of a scheme (ftl.h) on a unit of the D-log whose entry lies in a resident page of M1.
 */
#ifndef SSDVP_FIRMWARE_MAP_MAPS_UNITS_H
#define SSDVP_FIRMWARE_MAP_MAPS_UNITS_H

#include <stdbool.h>

#include "firmware/map/maps.h"

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

/* Of ftl_ops. never_written: the page has no place and is not in memory, as far as can
 * be told without a read. */
uint64_t maps_holes(struct env* e, uint64_t unit, uint64_t end);
uint64_t maps_trim_run(struct env* e, uint64_t unit, uint64_t end, uint64_t* mapped);
/* Power-up: entries of resident pages are 0 from now on; nothing is counted. */
void maps_empty(struct env* e, uint64_t unit, uint64_t end);
bool maps_never_written(struct env* e, uint64_t page);

#endif
