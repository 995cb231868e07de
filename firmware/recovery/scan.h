/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of power-up, and what they find, for schemes that look for more than the scan and the
 * replay do by themselves (ftl/layout.h).
 */
#ifndef SSDVP_FIRMWARE_RECOVERY_SCAN_H
#define SSDVP_FIRMWARE_RECOVERY_SCAN_H

#include <stdbool.h>

#include "firmware/flash/spare.h"
#include "firmware/recovery/recovery.h"

/* Rings what was submitted and waits until something has ended. false = power goes. */
bool boot_poll(struct env* e);
/* Reads one page, its data to a buffer if there is one: the spare words, NULL = unreadable. */
const uint64_t* boot_read(struct env* e, const struct place* p, uint64_t buffer);

/* Scan (scan.c). */
enum scan_flag {
    SCAN_NEWER = 0x01, /* a block has pages behind the base */
    SCAN_OLDER = 0x02,
    SCAN_MERGED = 0x04, /* a merge wrote it */
    SCAN_TORN = 0x08,   /* a block has nothing readable, and is not erased */
    SCAN_OPEN = 0x10,   /* pages behind the base may follow older ones */
    SCAN_WHOLE = 0x20,  /* written to its end, and no block of it is erased: recovery_whole */
    SCAN_PROBE = 0x40,  /* a block's first page is unreadable */
    SCAN_FAILED = 0x80  /* a block that failed holds pages */
};
enum scan_waits { /* what its reads are for */
                  WAITS_ONE = 0,
                  WAITS_PAGE_0 = 1,
                  WAITS_PAGES = 2,
                  WAITS_SEGMENTS = 3,
                  WAITS_LAYOUT = 4 /* ftl_layout.read */
};
/* Planes to be read of the n-th place, which it sets but for the page; 0 = none. */
typedef uint32_t (*scan_place)(struct env* e, uint32_t n, struct place* out);
/* The same page of many places, all at once. -1 = power goes. */
int scan_each(struct env* e, uint32_t total, uint32_t page, scan_place place_of);
/* true = pages of it may belong to the window; a merge wrote it, as page 0 says. */
bool scan_wants(struct env* e, uint32_t block);
bool scan_merged(struct env* e, uint32_t block);
/* true = a superblock whose pages are programmed in any order may not be as it was at the base. */
bool scan_may_differ(struct env* e, uint32_t block);
/* What a page that is not erased tells goes into the replay table. false = its words are damaged. A
 * page has this sequence. */
bool scan_words(struct env* e, const struct flash_request* r, uint32_t plane,
                const uint64_t* words);
void scan_sequence(struct env* e, uint32_t block, uint64_t sequence);

/* One write unit in the replay table: the address of its first unit's place + 1, 0 = none, then a
 * word per unit of the whole group in plane order. */
static inline uint64_t* replay_entry(struct env* e, uint64_t n)
{
    return (uint64_t*)env_dram(e, e->recovery->replay) + n * (1u + e->geo->group);
}

/* Replay (replay.c). units: calls the action for each unit of an entry, in order; it returns 0
 * when it needs a page that is being fetched. ask: fetches a page, 0 = power goes. trims: those
 * before a program. */
typedef bool (*unit_action)(struct env* e, const struct spare_unit* u, uint64_t address);

/* A walk over the journal's records. */
struct trims {
    uint64_t unit;
    uint32_t record;
};

void replay_units(struct env* e, uint64_t n, unit_action action, bool* missing);
bool replay_ask(struct env* e, uint32_t level, uint64_t page);
void replay_trims(struct env* e, struct trims* t, uint64_t before);

#endif
