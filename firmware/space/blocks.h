/* SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks: block b of every plane of every LUN together. This part knows which are free, open
 * or full, which blocks are bad, which units are valid, and where the next write unit goes.
 *
 * A write stream fills one superblock. Each LUN has a page pointer in it; the stream visits LUNs
 * in stripe order and takes one multi-plane page group per visit. A batch too short for the
 * whole group takes fewer planes; the stream comes back for the rest on its next visit, so that
 * pages of a block are always programmed in order.
 */
#ifndef SSDVP_FIRMWARE_SPACE_BLOCKS_H
#define SSDVP_FIRMWARE_SPACE_BLOCKS_H

#include "firmware/lib/bits.h"
#include "firmware/space/lanes.h"
#include "firmware/space/planes.h"
#include "firmware/space/state.h"
#include "firmware/space/watch.h"
#include "firmware/space/wear.h"

/* ---- What others ask of them ---- */

static inline uint32_t blocks_free(const struct env* e) /* superblocks; of the SLC cache none */
{
    return e->blocks->free;
}
static inline uint64_t blocks_capacity(const struct env* e)
{
    return e->blocks->capacity;
}
/* Units that were overwritten, moved or trimmed so far: what has changed since one looked last. */
static inline uint64_t blocks_invalidations(const struct env* e)
{
    return e->blocks->invalidations;
}
/* So many units of a superblock are valid no more. */
static inline void blocks_drop(struct env* e, struct superblock* s, uint32_t count)
{
    FW_ASSERT(e, s->valid >= count);
    s->valid -= count;
    e->blocks->invalidations += count;
    s->changed = e->blocks->invalidations;
}
/* Free superblocks that are left to maps; to collection and maps. */
static inline uint32_t blocks_for_maps(const struct env* e)
{
    return e->blocks->map_reserve;
}
/* Those that the host leaves to collection, which says how many; that maps leave to it; that level
 * 1 of a map leaves to level 2 besides, which has to make room for it. */
static inline void blocks_keep(struct env* e, uint32_t superblocks)
{
    e->blocks->kept = superblocks;
}
static inline uint32_t blocks_kept(const struct env* e)
{
    return e->blocks->kept;
}
static inline void blocks_keep_from_maps(struct env* e, uint32_t superblocks)
{
    e->blocks->map_kept = superblocks;
}
static inline uint32_t blocks_for_level2(const struct env* e)
{
    return e->blocks->map_above;
}
static inline uint32_t blocks_set_aside(const struct env* e)
{
    return RESERVE_FREE + e->blocks->map_reserve;
}
/* Superblocks whose data are to move; that are collected or being erased; that wait for that. */
static inline uint32_t blocks_stale(const struct env* e)
{
    return e->blocks->stale;
}
static inline uint32_t blocks_leaving(const struct env* e)
{
    return e->blocks->leaving;
}
static inline uint32_t blocks_to_erase(const struct env* e)
{
    return e->blocks->erase_queue.count;
}
static inline uint32_t blocks_first_to_erase(const struct env* e) /* INDEX_NONE = none waits */
{
    return e->blocks->erase_queue.head;
}
static inline uint64_t blocks_erases_ended(const struct env* e) /* superblocks, so far */
{
    return e->blocks->erase_ends;
}
static inline bool blocks_erase_waits(const struct env* e)
{
    return e->blocks->erase_queue.head != INDEX_NONE;
}

/* Who may take a write unit. Whoever was refused has knocked, until that is answered. */
static inline void blocks_set_gate(struct env* e, enum blocks_gate gate)
{
    e->blocks->closed = gate;
}
static inline bool blocks_gate_open(const struct env* e)
{
    return e->blocks->closed == BLOCKS_OPEN;
}
static inline void blocks_knock(struct env* e)
{
    e->blocks->knocked = 1;
}
static inline bool blocks_knocked(const struct env* e)
{
    return e->blocks->knocked != 0;
}
static inline void blocks_answered(struct env* e)
{
    e->blocks->knocked = 0;
}

/* Erases wait for the journal, which would otherwise find older data than what was trimmed. */
static inline void blocks_hold_erases(struct env* e, bool held)
{
    e->blocks->erase_held = held;
}
static inline bool blocks_erases_held(const struct env* e)
{
    return e->blocks->erase_held != 0;
}

/* The map: bit n is of unit address n. A unit; `count` of them as bits; any of them. */
static inline const uint64_t* blocks_valid_map(const struct env* e)
{
    return (const uint64_t*)env_dram(e, e->blocks->valid_map);
}
static inline bool blocks_valid(const struct env* e, uint64_t address)
{
    return bitmap_get(blocks_valid_map(e), address);
}
static inline uint32_t blocks_valid_field(const struct env* e, uint64_t address, uint32_t count)
{
    return bitmap_field(blocks_valid_map(e), address, count);
}
static inline bool blocks_any_valid(const struct env* e, uint64_t address, uint64_t count)
{
    return bitmap_any(blocks_valid_map(e), address, count);
}

/* Streams: those that a record tells of; of the host by directive. true = the host has any but its
 * first. The superblock that one has open, INDEX_NONE. */
static inline uint32_t blocks_streams(const struct env* e)
{
    return e->blocks->streams;
}
static inline uint32_t blocks_directed(const struct env* e)
{
    return e->blocks->directed;
}
static inline bool blocks_routed(const struct env* e)
{
    return e->blocks->routes != 0;
}
static inline uint32_t blocks_open_of(const struct env* e, uint32_t stream)
{
    return e->blocks->stream[stream].block;
}
/* The stream that has the superblock open, INDEX_NONE; the next page of its superblock on a LUN. */
uint32_t blocks_writer(const struct env* e, uint32_t block);
static inline uint32_t blocks_page_of(const struct env* e, uint32_t stream, uint32_t lun)
{
    const struct write_pointer* w =
        (const struct write_pointer*)env_dram(e, e->blocks->stream[stream].pointers);
    return w[lun].page;
}
/* Map pages make room: these streams of maps (a mask) may take the last free superblock. */
static inline void blocks_relocate(struct env* e, uint32_t map_streams)
{
    e->blocks->relocating = map_streams;
}
/* Power-up gives no stream a superblock of another one. */
static inline void blocks_keep_apart(struct env* e)
{
    e->blocks->apart = 1;
}

/* true = the flash does not tell of all bad blocks; a record that does is being written. */
static inline bool blocks_bad_changed(const struct env* e)
{
    return e->blocks->bad_changed != 0;
}
static inline void blocks_bad_saved(struct env* e)
{
    e->blocks->bad_changed = 0;
}

struct blocks_setup {
    uint32_t wear_dynamic, wear_static;
    uint32_t endurance; /* rated P/E cycles; 0 = none */
    uint32_t pe_cycles; /* that every block had behind it at boot */
    struct watch watch;
    struct lanes_setup lanes;
    uint32_t planes_most; /* that a program of the host takes; 0 = all */
    uint32_t directed;    /* streams by directive */
};

int blocks_init(struct env* e, const struct blocks_setup* setup);
uint32_t blocks_planes_most(const struct env* e, uint32_t stream); /* of one program */

/* What maps and the journal need beside the user's data. */
struct map_room {
    uint64_t overhead;    /* units */
    uint32_t superblocks; /* free ones that the host leaves to them */
    uint32_t level2;      /* ... and level 1 to level 2 */
    uint32_t garbage;     /* superblocks more, for what they leave behind */
};
void blocks_make_room(struct env* e, const struct map_room* room);
/* Maps have streams of their own, as there are superblocks to spare; how many they got, or 0. */
void blocks_spare_map_stream(struct env* e);
uint32_t blocks_map_streams_spared(const struct env* e);
void blocks_assume(struct env* e, uint64_t capacity); /* without a scan: so many units are good */
static inline uint32_t blocks_reserve(const struct env* e) /* superblocks that service needs */
{
    return e->blocks->reserve;
}
static inline uint64_t blocks_overhead(const struct env* e) /* of maps: units */
{
    return e->blocks->overhead;
}
int blocks_map_streams(struct env* e, uint32_t count); /* so many instead of one; 0 = done */
uint64_t blocks_needed(const struct env* e); /* units in good blocks for it to take writes */

/* Bad-block table. retire also takes the block's capacity out and may end write service. */
uint32_t blocks_good_planes(struct env* e, uint32_t block, uint32_t lun);
void blocks_mark_factory_bad(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_mask);
void blocks_retire(struct env* e, const struct erase_piece* piece, uint32_t why);
uint32_t blocks_spare_percent(const struct env* e); /* of the spare units that boot found */
void blocks_count(struct env* e); /* capacities and free superblocks, after the scan */

/* Units of the next write unit of a stream, opening a superblock when needed; 0 = none to open. */
uint32_t blocks_next_units(struct env* e, uint32_t stream);
uint32_t blocks_room(struct env* e, uint32_t stream); /* of its open superblock; 0 = none open */
void blocks_close(struct env* e, uint32_t stream);    /* that is full, whatever room it has */
/* Of pages of a log of maps: its own, or the one of a victim's data, where room is counted too. */
uint32_t blocks_map_stream(struct env* e, uint32_t log);
/* Takes the next write unit, with only as many planes as `wanted` units fill. true = taken. */
bool blocks_place(struct env* e, uint32_t stream, uint32_t wanted, struct write_unit* out);
/* The same on one LUN: the planes that its next write unit of the stream has, from `first` on if it
 * is among them, 0 = none; takes these planes of it. 1 = taken. */
uint32_t blocks_next_planes(struct env* e, uint32_t stream, uint32_t lun, uint32_t first);
bool blocks_place_on(struct env* e, uint32_t stream, uint32_t lun, uint32_t planes,
                     struct write_unit* out);
/* true = the superblock, or that of the address, is neither erased nor being erased. */
static inline bool blocks_holds_any(struct env* e, uint32_t block)
{
    const uint8_t state = superblock_of(e, e->blocks, block)->state;
    return state != BLOCK_FREE && state != BLOCK_ERASING;
}
static inline bool blocks_holds(struct env* e, uint64_t address)
{
    return blocks_holds_any(e, address_block(e->geo, address));
}

/* The bitmap and the counts that follow it. run: places one behind the other, of one superblock. */
void blocks_validate(struct env* e, uint64_t address);
void blocks_invalidate(struct env* e, uint64_t address);
void blocks_validate_run(struct env* e, uint64_t address, uint32_t count);
void blocks_invalidate_run(struct env* e, uint64_t address, uint32_t count); /* not retained ones */

/* One fewer of them; queues the erase of a collected superblock that nobody uses. */
void blocks_unpend(struct env* e, uint32_t block);
void blocks_unread(struct env* e, uint32_t block);
void blocks_collected(struct env* e, uint32_t block);
/* Next erase operation to submit; false = none. Each ends in blocks_erased. */
bool blocks_next_erase(struct env* e, struct erase_piece* out);
void blocks_erased(struct env* e, uint32_t block, uint32_t lun, uint32_t plane_fail);

#endif
