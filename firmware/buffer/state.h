/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: what it consists of. Nobody but the buffer looks at the fields; others ask cache.h.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_STATE_H
#define SSDVP_FIRMWARE_BUFFER_STATE_H

#include <stdbool.h>

#include "firmware/lib/geometry.h"
#include "firmware/lib/list.h"

enum slot_state {
    SLOT_FREE = 0,
    SLOT_DIRTY = 1,
    SLOT_PROGRAMMING = 2,
    SLOT_GONE = 3,
    SLOT_CLEAN = 4,  /* as on the flash */
    SLOT_READING = 5 /* the flash fills it for a command of the host, which pins it */
};

#define SLOT_DISCARD 0x01u /* trimmed while programming: do not map */
#define SLOT_URGENT 0x02u  /* a command waits for the program: in the urgent chain */
#define SLOT_FILLING 0x04u /* missing sectors are being read from flash */
#define SLOT_HASHED 0x08u
#define SLOT_LOST 0x10u /* what it lacks can be had from nowhere */
/* Of the policy that keeps: */
#define SLOT_OLD 0x20u    /* not among the most recently used ones, which may stay dirty */
#define SLOT_VICTIM 0x40u /* in the chain of victims */
#define SLOT_DUE 0x80u    /* counted in due */

enum cache_wait {
    CACHE_WAIT_NONE = 0,
    CACHE_WAIT_PROGRAM = 1,
    CACHE_WAIT_GC = 2,
    CACHE_WAIT_MAP = 3 /* what fills the buffer waits for its pages of the map */
};

/* Exact residents (residents.h). */

/* Of a slot, where residents are exact. */
#define MEMBER_LEAVING 0x1u /* no resident any more; dirty and not urgent: in `leaving` */
#define MEMBER_PAD 0x2u     /* read from the flash to be programmed with its neighbours */

struct cache_member {
    uint32_t group; /* fab, bplru */
    uint32_t flags;
};

struct cache_slot {
    uint64_t valid;    /* one bit per sector */
    uint64_t landing;  /* sectors that data from the host are under way to */
    uint64_t sequence; /* when it became dirty */
    uint64_t unit;
    uint32_t hash_next; /* slot + 1, 0 = end */
    uint32_t older;     /* slot of the same unit being programmed, INDEX_NONE */
    uint32_t waiters;   /* first wait node, INDEX_NONE */
    uint16_t incoming;  /* moves from the host under way */
    uint16_t pins;      /* moves to the host under way */
    uint8_t state;      /* enum slot_state */
    uint8_t flags;
    uint8_t picked;   /* enum slot_picked, 0 = none of it */
    uint8_t streams;  /* how long the command of its newest data was (merged.h) */
    uint32_t blocked; /* time at which a merge kept it from the flash first, ns; 0 = none */
    struct cache_member member;
};

#define CACHE_STREAMS 0x1u      /* slot.streams: long */
#define CACHE_SMALL 0x2u        /* short (space/retention.h) */
#define CACHE_DIRECTED_SHIFT 3u /* bits 7:3: the host's stream by directive, 0 = none */

/* Dirty slots whose part of the map is not in memory (parked.h). */
enum slot_picked {
    SLOT_PICKED = 1, /* while a write unit is being gathered */
    SLOT_ASKS = 2,   /* parked: its page has still to be asked for */
    SLOT_WAITS = 3   /* parked: its page is on its way */
};

struct cache_parked {
    uint64_t heads;    /* uint32_t per bucket of pages: slot + 1, 0 = none; 0 = nothing is parked */
    uint64_t next;     /* uint32_t per slot: slot + 1 */
    struct chain asks; /* in lru_links: the slots in SLOT_ASKS */
    uint32_t count;
    uint32_t lacks; /* units that a write unit lacked when it was gathered last, 0 = none */
    uint32_t back;  /* slots that have come back since */
    uint32_t reserved;
    uint64_t tried; /* cache.sequence then, 0 = others stand there that nobody has tried */
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

#define WANTS_READ 0x1u
#define WANTS_WRITE 0x2u
#define WANTS_LANDING 0x4u /* that write: what is on its way into the slot of its unit */

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
    struct chain leaving;
    struct cache_window window;
    struct cache_groups groups;
};

struct cache {
    uint32_t policy;
    uint32_t slots;
    uint32_t high; /* dirty slots above which units are evicted */
    uint32_t write_through;
    uint64_t table;   /* struct cache_slot */
    uint64_t data;    /* slots units */
    uint64_t buckets; /* uint32_t, slot + 1 */
    uint32_t bucket_bits;
    uint32_t dirty; /* slots in SLOT_DIRTY */
    uint32_t programming;
    uint32_t blocked;    /* enum cache_wait, but the last: why nothing more can be programmed ... */
    uint32_t held;       /* ... and why no more could be in the round before */
    uint32_t awaited;    /* programs that commands wait for */
    uint64_t lru_links;  /* struct link: order of eviction, or the urgent chain */
    uint64_t age_links;  /* struct link: order of becoming dirty; until programmed */
    uint64_t free_links; /* uint32_t */
    struct chain lru;    /* first = least recently used */
    struct chain urgent;
    struct chain age;
    struct fifo free;        /* that were in use before ... */
    uint32_t fresh;          /* ... and slots from this one on, whose memory nobody has touched */
    uint64_t sequence;       /* last one given out */
    uint64_t flush_sequence; /* everything up to here is to be programmed */
    uint64_t nodes;          /* wait nodes: uint32_t next, nodes_each per command */
    uint64_t pending;        /* uint32_t per command: programs it waits for */
    uint64_t arrivals;       /* struct cache_arrival, nodes_each per command */
    uint64_t done_links;     /* uint32_t per command */
    struct fifo done;        /* commands whose programs have all ended */
    uint32_t nodes_each;
    uint32_t commands;
    uint64_t short_since; /* map misses when a write unit came up short of pins; 0 = none */
    uint32_t wanted;      /* who waits for a slot, or for what is on its way into one: WANTS_* */
    uint32_t hungry;      /* 1 = eviction is due and waits for data to land or to be filled in */
    uint32_t arriving;    /* dirty slots with data of the host under way to them */
    uint32_t awaits; /* so many others make a write unit, which is all that is due now; 0 = no */
    uint32_t plain;  /* 1 = nothing is due but what is dirty above `high` (evict.c) */
    /* Of a policy that keeps: */
    uint32_t keeps;
    uint32_t keeps_whole; /* a unit of which a part is read or written is completed */
    uint32_t due;         /* old slots that are dirty */
    uint64_t use_links;   /* struct link: recent, or victims */
    struct chain recent;  /* the most recently used units, `high` of them at most; first = least */
    struct chain victims; /* old clean units that nothing refers to; the first leaves first */
    uint32_t recent_count;
    uint32_t victim_count;
    uint32_t reserved; /* slots that writes leave to reads: one for each that a write takes ... */
    uint32_t reserve;  /* ... and at most */
    struct cache_staged staged;
    struct cache_parked parked;
    uint32_t rests;       /* 1 = the host has asked for nothing for cache.idle_ns */
    uint32_t ahead_units; /* that are read ahead of a sequential stream now */
    uint64_t ahead; /* uint8_t per slot: 1 = read ahead, and nobody has read it; 0 = no table */
};

static inline struct cache_slot* cache_slot_of(struct env* e, struct cache* c, uint32_t slot)
{
    return (struct cache_slot*)env_dram_entry(e, c->table, slot, sizeof(struct cache_slot));
}

static inline uint64_t cache_data(const struct env* e, uint32_t slot)
{
    return e->cache->data + ((uint64_t)slot << e->geo->unit_shift);
}

static inline uint32_t cache_free_slots(const struct cache* c)
{
    return c->free.count + (c->slots - c->fresh);
}

/* The slot that an address of its data lies in. */
static inline uint32_t cache_slot_at(const struct env* e, uint64_t address)
{
    return (uint32_t)((address - e->cache->data) >> e->geo->unit_shift);
}

#endif
