/* SPDX-License-Identifier: Apache-2.0
 *
 * Which units are valid, and how many of each superblock.
 *
 * What is known of a superblock before the whole map has been read after a power-up. A checkpoint
 * stores how many units of each superblock are valid; the maps, as their pages come in, tell which.
 * What the count has and no page that was read has told of yet is `unseen`. A unit whose page has
 * not come in cannot change, so that valid and unseen together are the count at any time.
 *
 * The count of a clean shutdown is exact: a superblock is known when nothing of it is unseen, and
 * one with a count of 0 at once. Of any other checkpoint it is a guess, for what happened since
 * is not counted: such a superblock is known when the maps have told of every unit that its spare
 * words name. Before it is known nothing of it may be collected.
 */
#ifndef SSDVP_FIRMWARE_SPACE_VALID_H
#define SSDVP_FIRMWARE_SPACE_VALID_H

#include "firmware/lib/bits.h"
#include "firmware/space/state.h"

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

/* The bitmap and the counts that follow it. replace: both, of a unit that has moved. run: places
 * one behind the other, of one superblock. */
void blocks_validate(struct env* e, uint64_t address);
void blocks_invalidate(struct env* e, uint64_t address);
void blocks_replace(struct env* e, uint64_t from, uint64_t to);
void blocks_validate_run(struct env* e, uint64_t address, uint32_t count);
void blocks_invalidate_run(struct env* e, uint64_t address, uint32_t count); /* not retained ones */

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

#define BLOCK_GUESSED 0x2u /* its count is a guess */
#define BLOCK_UNTOLD 0x4u  /* only the whole map can tell what is valid in it */

/* Units that are valid, as far as anybody can say. */
static inline uint32_t blocks_live(const struct superblock* s)
{
    return s->valid + s->unseen;
}

static inline bool blocks_known(const struct superblock* s)
{
    return s->unseen == 0 && (s->flags & (BLOCK_GUESSED | BLOCK_UNTOLD)) == 0;
}

/* true = its spare words may tell. Blocks that failed are not looked into before their time. */
static inline bool blocks_tellable(const struct superblock* s)
{
    return (s->flags & (BLOCK_UNTOLD | BLOCK_STALE)) == 0;
}

/* The maps told that places are valid, one behind the other, of one superblock. */
void blocks_units_seen(struct env* e, uint64_t address, uint32_t count);
void blocks_told(struct env* e, uint32_t block);  /* ... of every unit that lies in it */
void blocks_doubt(struct env* e, uint32_t block); /* its spare words do not tell */
void blocks_all_seen(struct env* e);              /* ... of everything */
void blocks_clear(struct env* e);                 /* nothing is valid anywhere */
void blocks_settle(struct superblock* s);         /* there is nothing that is not seen */

#endif
