/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads that wait for a page of the map. Those of the list of all that wait (reads_waiting) are
 * asked about again in every round, which takes the core longer the more there are. These are not:
 * - a page that comes brings back those that wait for it;
 * - those whose page cannot be asked for yet ask in order of arrival, when it can be; as soon as
 * one of them has its page read, all that want that page come along.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_PARKED_READS_H
#define SSDVP_FIRMWARE_HOST_CORE_PARKED_READS_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "firmware/lib/list.h"

struct parked_reads {
    uint64_t buckets;   /* struct fifo each, by page: all that are parked */
    uint64_t ask_links; /* struct link per slot */
    struct chain asks;  /* a page of theirs has still to be asked for */
    uint32_t count;
    uint32_t asking;
    uint32_t joined; /* have come to reads_waiting since they were taken along */
    uint32_t reserved;
};

int hil_park_init(struct env* e);
/* None is parked any more. */
void hil_park_clear(struct env* e);
/* A read that was refused waits: parked, or in reads_waiting if it does not wait for a page. */
void hil_park(struct env* e, uint32_t slot);
/* The first of those that ask comes to the begin of reads_waiting. false = nobody may ask now, or
 * asks; but nobody else would bring them back while nothing is under way. */
bool hil_park_ask(struct env* e);
/* How many have come to reads_waiting since the last call because their page is on its way. */
uint32_t hil_park_joined(struct env* e);
/* Takes a read out. false = it was not parked. */
bool hil_unpark(struct env* e, uint32_t slot);
/* A page of level 1 has come. */
void hil_page_came(struct env* e, uint64_t page);

#endif
