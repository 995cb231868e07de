/* SPDX-License-Identifier: Apache-2.0
 *
 * Static wear levelling: when erases differ too much between superblocks the coldest data move, so
 * that their superblock takes its share.
 */
#include "firmware/gc/gc.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/blocks.h"
#include "firmware/space/reserve.h"
#include "firmware/space/slc.h"

/* The coldest data lie in the full superblock with the fewest erases. */
static uint32_t coldest(struct env* e)
{
    const struct superblock* t = superblock_of(e, e->blocks, 0);
    uint32_t best = INDEX_NONE;
    FW_ASSERT(e, e->geo->blocks != 0);
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        if (t[i].state == BLOCK_FULL && t[i].pending == 0 && (t[i].flags & BLOCK_SLC) == 0 &&
            (best == INDEX_NONE || t[i].erases < t[best].erases)) {
            best = i;
        }
    }
    FW_ASSERT(e, best == INDEX_NONE || t[best].state == BLOCK_FULL);
    return best;
}

static bool wear_due(struct env* e)
{
    struct gc* c = e->gc;
    const struct erase_counts* s = wear_of_superblocks(e);
    FW_ASSERT(e, s->blocks == 0 || s->max >= s->min);
    c->wear_waits = 0;
    if (c->wear_delta == 0 || s->blocks == 0 || e->telemetry->read_only != 0 || !gc_thrives(e) ||
        s->max - s->min <= c->wear_delta) {
        return false;
    }
    /* Every erase of the drive counts once, spread over its superblocks. */
    if (s->sum - c->erase_stamp < (uint64_t)c->wear_wait * e->geo->luns * e->geo->planes) {
        return false;
    }
    const uint32_t least = blocks_least_erases(e);
    if (least == INDEX_NONE || s->max < least || s->max - least <= c->wear_delta) {
        return false;
    }
    FW_ASSERT(e, c->victim == INDEX_NONE);
    /* Where a superblock is one block, or the map is paged, it takes as much of the reserve as a
     * collection does: what it moves may have as many map pages written. Word lines of two passes
     * have another reserve there. */
    const bool maps = geometry_narrow(e->geo) || maps_paged(e->maps) || e->geo->word_line != 0;
    const uint32_t reserved = RESERVE_FREE + (maps ? blocks_for_maps(e) : 0);
    c->wear_waits = blocks_free(e) <= reserved;
    return !c->wear_waits;
}

uint32_t gc_wear_victim(struct env* e)
{
    struct gc* c = e->gc;
    const uint32_t cold = wear_due(e) ? coldest(e) : INDEX_NONE;
    c->erase_stamp = cold != INDEX_NONE ? wear_of_superblocks(e)->sum : c->erase_stamp;
    FW_ASSERT(e, cold == INDEX_NONE || cold < e->geo->blocks);
    return cold;
}
