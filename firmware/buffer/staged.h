/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: policies with exact residents: rw_cflru, fab, bplru, and rw_lru with a limit
 * of dirty units. So many units are resident. When another one comes the policy chooses who goes:
 * what is dirty waits in `leaving`, still found and written to, until it is programmed. Slots
 * beside the residents hold these, and what comes meanwhile.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_STAGED_H
#define SSDVP_FIRMWARE_BUFFER_STAGED_H

#include <stdbool.h>

#include "firmware/lib/list.h"

/* Of a slot, where residents are exact. */
#define MEMBER_LEAVING 0x1u /* no resident any more; dirty and not urgent: in `leaving` */
#define MEMBER_PAD 0x2u     /* read from the flash to be programmed with its neighbours */

struct cache_member {
    uint32_t group; /* fab, bplru */
    uint32_t flags;
};

struct cache_window { /* rw_cflru: the residents that were not used for the longest time */
    uint32_t units;
    uint32_t step;   /* that it is changed by */
    uint32_t period; /* accesses between two changes */
    uint32_t seen;
    uint32_t shrinks; /* 1 = the next change is down */
    uint64_t cost;    /* of this period, in 1/16 of a read ... */
    uint64_t before;  /* ... and of the one before */
};

#define CACHE_BLOCKS 8

struct cache_block { /* bplru: a logical block that is leaving */
    uint64_t number; /* UINT64_MAX = none is */
    uint32_t at;     /* its next unit to go */
    uint32_t pads;   /* that are in the buffer */
};

struct cache_groups { /* fab, bplru: logical blocks that have residents */
    uint64_t table;   /* struct cache_group, as many as slots */
    uint64_t links;   /* struct link per group: order of use */
    uint64_t free_links;
    uint64_t buckets;  /* uint32_t, group + 1 */
    uint64_t by_count; /* fab: struct chain of the groups with so many residents */
    struct fifo free;
    struct chain order; /* bplru: first = leaves first */
    uint32_t fresh;     /* groups from this one on were never used */
    uint32_t bucket_bits;
    uint32_t most;    /* fab: of residents that a group may have */
    uint32_t padding; /* bplru: 1 = the slot that is being taken is a pad */
    uint32_t leaves;  /* ... blocks that leave side by side with pads, ... */
    uint32_t pads;    /* ... so many pads of each at a time, or more while no write unit is full */
    struct cache_block block[CACHE_BLOCKS];
};

struct cache_staged {
    uint32_t on;
    uint32_t most; /* residents */
    uint32_t residents;
    uint32_t leaving_count;
    uint64_t members; /* struct cache_member per slot */
    struct chain leaving;
    struct cache_window window;
    struct cache_groups groups;
};

/* Background flush (options.idle_ns): whether it is time. Returns when it will be, 0 = it is,
 * nothing is dirty, or the host has commands here. Never where that is not wanted. */
uint64_t cache_rest(struct env* e, uint64_t now_ns);
bool cache_rests(const struct env* e);

/* As cache_read_begin, for a unit that is read ahead. */
uint32_t cache_ahead_begin(struct env* e, uint64_t unit);

#endif
