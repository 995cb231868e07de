/* SPDX-License-Identifier: Apache-2.0
 *
 * Free superblocks: who may take one, and how many are left for whom. They are taken, written and
 * given back here, by streams (blocks.h) or one by one.
 */
#ifndef SSDVP_FIRMWARE_SPACE_POOL_H
#define SSDVP_FIRMWARE_SPACE_POOL_H

#include "firmware/lib/run.h"
#include "firmware/space/state.h"

static inline uint32_t blocks_free(const struct env* e) /* superblocks; of the SLC cache none */
{
    return e->blocks->free;
}
/* Free superblocks that are left to maps; to collection and maps. */
static inline uint32_t blocks_for_maps(const struct env* e)
{
    return e->blocks->map_reserve;
}
static inline uint32_t blocks_set_aside(const struct env* e)
{
    return RESERVE_FREE + e->blocks->map_reserve;
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
/* true = so few are free that it matters who of the maps may take the last one (blocks_relocate).
 */
static inline bool blocks_last(const struct blocks* b)
{
    return b->free <= (b->planes.count != 0 ? b->planes.count : b->map_kept + b->map_above);
}
/* Map pages make room: these streams of maps (a mask) may take the last free superblock. */
static inline void blocks_relocate(struct env* e, uint32_t map_streams)
{
    if ((map_streams & ~e->blocks->relocating) != 0 && blocks_last(e->blocks)) {
        run_due(e, DUE_DURABLE);
    }
    e->blocks->relocating = map_streams;
}

/* Who may take a write unit. Whoever was refused has knocked, until it opens: then all go on. */
static inline void blocks_set_gate(struct env* e, enum blocks_gate gate)
{
    if (gate == BLOCKS_OPEN && e->blocks->closed != BLOCKS_OPEN) {
        e->blocks->knocked = 0;
        run_due(e, DUE_STEPS);
    }
    e->blocks->closed = gate;
}
static inline bool blocks_gate_open(const struct env* e)
{
    return e->blocks->closed == BLOCKS_OPEN;
}
static inline void blocks_knock(struct env* e)
{
    if (e->blocks->knocked == 0) {
        e->blocks->knocked = 1;
        run_due(e, DUE_DURABLE);
    }
}
static inline bool blocks_knocked(const struct env* e)
{
    return e->blocks->knocked != 0;
}

/* Of a copy: what was chosen in vain, or matters to nobody (run/steps.c). */
static inline void blocks_overlook(struct blocks* b)
{
    for (uint32_t n = 0; n < LANES_STREAMS; ++n) {
        b->lanes.chosen[n] = INDEX_NONE;
    }
    b->relocating = blocks_last(b) ? b->relocating : 0;
}

/* A free superblock, open from now on, that leaves `kept` free ones; INDEX_NONE. */
uint32_t blocks_take(struct env* e, uint32_t kept);
/* It is written to its end, or as far as it will be. */
void blocks_filled_up(struct env* e, uint32_t block);
/* true = the stream may write now; ... may open a superblock; a free one, open from now on. */
bool blocks_may_write(struct env* e, uint32_t stream);
bool blocks_may_open(const struct env* e, uint32_t stream);
uint32_t blocks_open(struct env* e, uint32_t stream);
/* The same of a plane that has one (planes.h). */
uint32_t blocks_open_in(struct env* e, uint32_t stream, uint32_t lane);
uint32_t blocks_next_free(struct env* e); /* the best that is not of the SLC cache */
uint32_t blocks_planes_most(const struct env* e, uint32_t stream); /* of one program */

/* The data of a superblock are to move; they are moving; superblocks whose data are to. */
void blocks_make_stale(struct env* e, uint32_t block, uint32_t why);
void blocks_refreshing(struct env* e, uint32_t block);
static inline uint32_t blocks_stale(const struct env* e)
{
    return e->blocks->stale;
}

static inline bool stream_is_directed(uint32_t stream) /* of the host, by directive */
{
    return stream >= STREAM_DIRECTED;
}
static inline bool stream_exists(const struct blocks* b, uint32_t stream) /* the drive has it */
{
    return stream < STREAMS_ALL && b->stream[stream].pages != 0;
}

/* true = there may be pages in it. */
static inline bool blocks_filled(const struct superblock* s)
{
    return s->state == BLOCK_FULL || s->state == BLOCK_OPEN;
}
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

#endif
