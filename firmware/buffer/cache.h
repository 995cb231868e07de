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
 * Policies with exact residents (residents.h) choose a unit when another one comes, and let it go:
 * a clean one at once, a dirty one as soon as it has been programmed.
 *
 * A slot whose missing sectors are unreadable knows what it has while it is buffered; later writes
 * may complete it. If they do not, the unit is programmed as a lost one, all of it.
 *
 * Files, each calling only those before it: policy (and through its table the policies), slots,
 * waiters, fill, residents, groups, parked, program, gather, cache, merged, placed, evict.
 */
#ifndef SSDVP_FIRMWARE_BUFFER_CACHE_H
#define SSDVP_FIRMWARE_BUFFER_CACHE_H

#include "firmware/buffer/slots.h"
#include "firmware/space/retention.h"

/* commands: contexts that may wait; max_units: of the largest write. */
int cache_init(struct env* e, uint32_t commands, uint32_t max_units);

/* ---- What it does, and has ---- */

/* A write completes on the flash, not in the buffer. */
static inline bool cache_writes_through(const struct env* e)
{
    return e->cache->write_through != 0;
}

/* What is read stays, until others need the room. */
static inline bool cache_keeps(const struct env* e)
{
    return e->cache->keeps != 0;
}

/* A unit of which a part is read or written is completed at once. */
static inline bool cache_keeps_whole(const struct env* e)
{
    return e->cache->keeps_whole != 0;
}

/* Who leaves is chosen when another one comes (residents.h). */
static inline bool cache_is_staged(const struct env* e)
{
    return e->cache->staged.on != 0;
}

/* It programs what is dirty when the host is idle (cache_rest). */
bool cache_rests_ever(const struct env* e);

static inline uint32_t cache_slots(const struct env* e)
{
    return e->cache->slots;
}

/* Units of a read ahead, 0 = none now; whether there may be any; the host lets it read ahead. */
static inline uint32_t cache_ahead_units(const struct env* e)
{
    return e->cache->ahead_units;
}
static inline bool cache_can_look_ahead(const struct env* e)
{
    return e->cache->ahead != 0;
}
void cache_look_ahead(struct env* e, bool on);

/* ---- Who waits, and what for ---- */

/* What a write waits for that finds no slot. */
static inline enum cache_wait cache_waits_for(const struct env* e)
{
    const struct cache* c = e->cache;
    const bool map = c->blocked == CACHE_WAIT_NONE && c->hungry != 0 && c->parked.count != 0;
    return map ? CACHE_WAIT_MAP : (enum cache_wait)c->blocked;
}

/* Something is due, and lacks data or its part of the map. */
static inline bool cache_is_hungry(const struct env* e)
{
    return e->cache->hungry != 0;
}

/* Units that wait for their part of the map; programs that commands wait for. */
static inline uint32_t cache_parked_units(const struct env* e)
{
    return e->cache->parked.count;
}
static inline uint32_t cache_awaited(const struct env* e)
{
    return e->cache->awaited;
}

/* A command has waited for its last program (cache_next_done). */
static inline bool cache_has_done(const struct env* e)
{
    return e->cache->done.count != 0;
}

/* Programs that a command can wait for. */
static inline uint32_t cache_waits_most(const struct env* e)
{
    return e->cache->nodes_each;
}

/* Nothing can be programmed for lack of a block: collection or a merge brings one. */
void cache_lacks_block(struct env* e);

/* ---- Units ---- */

/* The slot with the newest data of a unit if they are not on the flash yet, else INDEX_NONE. */
uint32_t cache_find_volatile(struct env* e, uint64_t unit);
static inline bool cache_is_clean(struct env* e, uint32_t slot)
{
    return cache_slot_of(e, e->cache, slot)->state == SLOT_CLEAN;
}

/* For collection (gc/gc.h). */
bool cache_programs_unit(struct env* e, uint64_t unit);
bool cache_at_rest(const struct env* e);

/* Read side. readable: every sector of mask is there (else fill.h). */
bool cache_readable(struct env* e, uint32_t slot, uint64_t mask);
void cache_pin(struct env* e, uint32_t slot);
void cache_unpin(struct env* e, uint32_t slot);

/* Read side of a policy that keeps. room: as many slots can be had, reserved ones too if
 * a write waits. begin: a slot that the flash is to fill, pinned; end: it has, or failed. */
bool cache_room(const struct env* e, uint32_t slots, bool write_waits);
uint32_t cache_read_begin(struct env* e, uint64_t unit);
/* The same for a unit that is read ahead. */
uint32_t cache_ahead_begin(struct env* e, uint64_t unit);
void cache_read_end(struct env* e, uint32_t slot, uint64_t mask, int failed);

/* Write side: the slot that takes these sectors, INDEX_NONE = none free (cache_waits_for).
 * Then either expect data from the host (land when they are there) or zero them at once (fill.h).
 */
uint32_t cache_write(struct env* e, uint64_t unit, uint64_t mask);
/* What names the move of the n-th unit of a command; data of it are on their way; they have come.
 */
static inline uint32_t cache_arrival(const struct env* e, uint32_t command, uint32_t number)
{
    return command * e->cache->nodes_each + number;
}
void cache_expect(struct env* e, uint32_t slot, uint64_t mask, uint32_t arrival);
/* The data of the next unit of the command come with those of this arrival, or of the last that
 * does: they land together. */
void cache_expect_with(struct env* e, uint32_t arrival);
void cache_land(struct env* e, uint32_t arrival, int failed);
/* What a slot keeps of a command of so many bytes, of the host's stream n by directive
 * (blocks_host_stream), whose data it takes; whether that of a unit's newest data was of
 * ftl.stream_bytes at least. */
static inline uint8_t cache_command(const struct env* e, uint64_t bytes, uint32_t n)
{
    return (uint8_t)((ftl_streams(e, bytes) ? CACHE_STREAMS : 0) |
                     (retention_is_small(e, bytes) ? CACHE_SMALL : 0) | n << CACHE_DIRECTED_SHIFT);
}
static inline void cache_tell_command(struct env* e, uint32_t slot, uint8_t command)
{
    cache_slot_of(e, e->cache, slot)->streams = command;
}
bool cache_streams(struct env* e, uint64_t unit);

/* true = a flush or a command waits for the unit's program: it may not be trimmed away before, for
 * the trim is on the flash later than what was promised. */
bool cache_promised(struct env* e, uint64_t unit);
bool cache_trim(struct env* e, uint64_t unit); /* drops buffered data; true = there were some */

/* Flush: a ticket for everything dirty now (cache_flushed). */
uint64_t cache_flush(struct env* e);
/* Background flush (cache.idle_ns): whether it is time. Returns when it will be, 0 = it is,
 * nothing is dirty, or the host has commands here. Never where that is not wanted. */
uint64_t cache_rest(struct env* e, uint64_t now_ns);
/* Whoever waits for a slot, or for what is on its way into one, is woken then. */
static inline void cache_want(struct env* e)
{
    e->cache->wanted |= WANTS_READ;
}
/* A write found no slot, and nothing has come since that it could take. */
static inline bool cache_is_full(const struct env* e)
{
    return (e->cache->wanted & WANTS_WRITE) != 0;
}
/* That write waits no more. */
static inline void cache_not_full(struct env* e)
{
    e->cache->wanted &= ~(WANTS_WRITE | WANTS_LANDING);
}

#endif
