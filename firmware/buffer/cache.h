/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: slots of one map unit in DRAM between the host and the flash.
 *
 * A policy decides how many slots stay dirty, which leaves first, whether a write completes in the
 * buffer (write back) or on the flash (write through), and whether units stay that are on the flash
 * too (keeps). Everything else is common to all: lookup, partly valid units, data in flight from
 * and to the host, programming, flush.
 *
 * Life of a slot: free -> dirty (newest data of its unit, found by lookup) -> programming ->
 * free. A write to a unit being programmed opens a second slot, which is not programmed before
 * the first one has ended, so that the map never goes back in time.
 *
 * With a policy that keeps: programming -> clean -> free or, written to, dirty; and free -> reading
 * (flash to slot, without a copy) -> clean. What is written while its unit is being read takes
 * another slot, for the flash would overwrite it: the first one then serves its reader only. A
 * clean slot is never the only copy, and may go at any time.
 *
 * Policies with exact residents (staged.h) choose a unit when another one comes, and let it go: a
 * clean one at once, a dirty one as soon as it has been programmed.
 *
 * A slot whose missing sectors are unreadable knows what it has while it is buffered; later writes
 * may complete it. If they do not, the unit is programmed as a lost one, all of it.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_CACHE_H
#define SSDVP_FIRMWARE_BUFFER_CACHE_H

#include "firmware/buffer/parked.h"
#include "firmware/buffer/staged.h"
#include "firmware/ops/flash.h"
#include "models/regs/parts/cache.h"

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

enum cache_wait { CACHE_WAIT_NONE = 0, CACHE_WAIT_PROGRAM = 1, CACHE_WAIT_GC = 2 };

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
    uint32_t blocked;    /* enum cache_wait: why nothing more can be programmed ... */
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
    uint32_t wanted;      /* 1 = somebody waits for a slot, or for what is on its way into one */
    uint32_t hungry;      /* 1 = eviction is due and waits for data to land or to be filled in */
    /* Of a policy that keeps: */
    uint32_t keeps;
    uint32_t due;         /* old slots that are dirty */
    uint64_t use_links;   /* struct link: recent, or victims */
    struct chain recent;  /* the most recently used units, `high` of them at most; first = least */
    struct chain victims; /* old clean units that nothing refers to; the first leaves first */
    uint32_t recent_count;
    uint32_t victim_count;
    uint32_t reserved; /* slots that writes leave to reads: one for each that a write takes ... */
    uint32_t reserve;  /* ... and at most */
    struct boot_cache options;
    struct cache_staged staged;
    struct cache_parked parked;
    uint32_t rests; /* 1 = the host has asked for nothing for options.idle_ns */
    uint64_t
        ahead; /* uint8_t per slot: 1 = read ahead, and nobody has read it; 0 = no such table */
};

struct cache_setup {
    uint32_t policy;
    uint32_t commands;  /* command contexts that may wait */
    uint32_t max_units; /* units of the largest write */
    uint64_t capacity;  /* bytes */
    struct boot_cache options;
};

int cache_init(struct env* e, const struct cache_setup* setup);

static inline struct cache_slot* cache_slot_of(struct env* e, struct cache* c, uint32_t slot)
{
    return (struct cache_slot*)env_dram(e, c->table) + slot;
}

static inline uint64_t cache_data(const struct env* e, const struct cache* c, uint32_t slot)
{
    return c->data + ((uint64_t)slot << e->geo->unit_shift);
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

/* The slot with the newest data of a unit, INDEX_NONE when it has none. */
uint32_t cache_find(struct env* e, uint64_t unit);

/* For collection (gc/asks.h). */
bool cache_programs_unit(struct env* e, uint64_t unit);
bool cache_at_rest(const struct env* e);

/* Read side. readable: every sector of mask is there. fill: start reading what is missing. */
bool cache_readable(struct env* e, uint32_t slot, uint64_t mask);
void cache_fill(struct env* e, uint32_t slot);
bool cache_lost(struct env* e, uint32_t slot,
                uint64_t mask); /* a sector of mask is gone for good */
void cache_pin(struct env* e, uint32_t slot);
void cache_unpin(struct env* e, uint32_t slot);

/* Read side of a policy that keeps (clean.c). room: as many slots can be had, reserved ones too if
 * a write waits. begin: a slot that the flash is to fill, pinned; end: it has, or failed. */
bool cache_room(const struct env* e, uint32_t slots, bool write_waits);
uint32_t cache_read_begin(struct env* e, uint64_t unit);
void cache_read_end(struct env* e, uint32_t slot, uint64_t mask, int failed);

/* Write side: the slot that takes these sectors, INDEX_NONE = none free, cache.blocked says why.
 * Then either expect data from the host (land when they are there) or zero them at once. */
uint32_t cache_write(struct env* e, uint64_t unit, uint64_t mask);
/* arrival: command * nodes_each + number of the unit in the command, which names the move. */
void cache_expect(struct env* e, uint32_t slot, uint64_t mask, uint32_t arrival);
void cache_land(struct env* e, uint32_t arrival, int failed);
void cache_zero(struct env* e, uint32_t slot, uint64_t mask);

/* true = a flush or a command waits for the unit's program: it may not be trimmed away before, for
 * the trim is on the flash later than what was promised. */
bool cache_promised(struct env* e, uint64_t unit);
bool cache_trim(struct env* e, uint64_t unit); /* drops buffered data; true = there were some */

/* Flush: a ticket for everything dirty now, and whether all of it is programmed. */
uint64_t cache_flush(struct env* e);
bool cache_flushed(struct env* e, uint64_t ticket);
void cache_step(struct env* e); /* evicts what is due */
/* Whoever waits for a slot, or for what is on its way into one, is woken then. */
static inline void cache_want(struct env* e)
{
    e->cache->wanted = 1;
}
void cache_wake(struct env* e); /* something may have become due that was not */
void cache_program_done(struct env* e, const struct flash_result* result);
void cache_fill_done(struct env* e, const struct flash_result* result);

#endif
