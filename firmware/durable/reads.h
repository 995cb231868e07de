/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of power-up, of pages and their spare words.
 */
#ifndef SSDVP_FIRMWARE_DURABLE_READS_H
#define SSDVP_FIRMWARE_DURABLE_READS_H

#include <stdbool.h>

#include "firmware/ops/flash.h"

/* What they are for. */
enum boot_waits {
    WAITS_ONE = 0,
    WAITS_PAGE_0 = 1,
    WAITS_PAGES = 2,
    WAITS_SEGMENTS = 3,
    WAITS_LAYOUT = 4 /* ftl_layout.read */
};

/* Rings what was submitted and waits until something has ended. false = power goes. */
bool boot_poll(struct env* e);
void boot_drain(struct env* e); /* ... until all has, or power goes */
/* Reads one page, its data to a buffer if there is one: the spare words, NULL = unreadable. */
const uint64_t* boot_read(struct env* e, const struct place* p, uint64_t buffer);
/* A read of spare words, still to be submitted; INDEX_NONE = too many are under way. */
uint32_t boot_take_read(struct env* e, const struct place* p, uint32_t planes);

#endif
