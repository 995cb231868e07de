/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: dirty slots whose part of the map is not in memory yet. They leave the order in which
 * slots leave, so that nobody asks for them again and again, and come back to its begin when it has
 * come: a page that stays (page_map), or the entry of the unit (dftl). Schemes that tell nobody
 * what has come (ftl_ops.ask) have none.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_PARKED_H
#define SSDVP_FIRMWARE_BUFFER_PARKED_H

#include "firmware/lib/env.h"
#include <stdbool.h>

/* Memory, after all other tables of the buffer. -1 = the arena is used up. */
int cache_park_take(struct env* e);
/* A slot that could not be programmed now waits for its page, if that is what it lacks. */
void cache_park(struct env* e, uint32_t slot);
/* Asks for what is parked, as much as can be read. true = something was here, and is back. */
bool cache_ask(struct env* e);
/* A write unit lacked so many units, which are parked: until as many have come back it would be
 * gathered in vain. */
void cache_lack(struct env* e, uint32_t units);
bool cache_lacks(struct env* e);
/* Nothing but the map keeps what is due from being programmed. */
bool cache_lacks_map(const struct env* e);
/* A page of level 1 has come. */
void cache_page_came(struct env* e, uint64_t page);

#endif
