/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments: wear levelling of the map blocks, by the same settings as that of superblocks. A commit
 * takes the erased block with the fewest erases. When the most worn block leads the least worn one
 * that holds a segment by more than wear.static_delta, that segment is hardly ever written: it
 * goes to the most worn of the erased blocks, and the block that it leaves is used like others.
 */
#include "firmware/lib/telemetry.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/space/blocks.h"

enum {
    LEVEL_WAIT = 4,  /* erases of map blocks between two segments that are moved */
    LEVEL_SPARES = 2 /* erased blocks: one is left for the commits of others */
};

uint32_t segments_take_erased(struct env* e, bool cold)
{
    struct fifo* f = &e->segments->erased;
    uint32_t* links = env_dram(e, e->segments->block_links);
    uint32_t behind = INDEX_NONE;
    uint32_t best = f->head;
    FW_ASSERT(e, f->count <= e->segments->blocks);
    if (best == INDEX_NONE || (!cold && !wear_is_dynamic(e))) {
        return fifo_pop(f, links);
    }
    for (uint32_t i = best; links[i] != INDEX_NONE; i = links[i]) {
        const uint32_t n = map_block_of(e, links[i])->erases;
        const uint32_t least = map_block_of(e, best)->erases;
        if (cold ? n > least : n < least) {
            behind = i;
            best = links[i];
        }
    }
    FW_ASSERT(e, map_block_of(e, best)->state == MAP_BLOCK_ERASED);
    return fifo_pop_behind(f, links, behind);
}

void segments_count_erases(struct env* e)
{
    struct erase_counts all = erase_counts_none();
    for (uint32_t i = 0; i < e->segments->blocks; ++i) {
        const struct map_block* b = map_block_of(e, i);
        if (b->state != MAP_BLOCK_BAD) {
            erase_counts_add(&all, b->erases, 1);
        }
    }
    FW_ASSERT(e, all.blocks <= e->segments->blocks);
    wear_count_map(e, &all);
}

/* ---- Static ---- */

static uint32_t erases_of(struct env* e, uint32_t n)
{
    return map_block_of(e, segment_of(e, n)->block)->erases;
}

/* The segment whose block has the fewest erases, if that is few enough; INDEX_NONE = none. */
static uint32_t coldest(struct env* e)
{
    uint32_t best = INDEX_NONE;
    for (uint32_t n = 0; n < e->segments->count; ++n) {
        const struct segment* g = segment_of(e, n);
        if (g->block != INDEX_NONE && g->lost == 0 &&
            (best == INDEX_NONE || erases_of(e, n) < erases_of(e, best))) {
            best = n;
        }
    }
    const uint64_t most = wear_of_map(e)->max;
    FW_ASSERT(e, best == INDEX_NONE || erases_of(e, best) <= most);
    return best != INDEX_NONE && most - erases_of(e, best) > wear_delta(e) ? best : INDEX_NONE;
}

static void look_for_cold(struct env* e)
{
    struct segments* s = e->segments;
    const struct erase_counts* c = wear_of_map(e);
    FW_ASSERT(e, s->cold == INDEX_NONE && s->erases >= s->level_stamp);
    if (c->max - c->min <= wear_delta(e) || s->erases - s->level_stamp < LEVEL_WAIT) {
        return;
    }
    s->level_stamp = s->erases;
    s->cold = coldest(e);
    s->cold_block = s->cold != INDEX_NONE ? segment_of(e, s->cold)->block : INDEX_NONE;
}

/* It comes in if need be, and is committed whether it has changed or not. */
void segments_level(struct env* e)
{
    struct segments* s = e->segments;
    if (s->blocks == 0 || wear_delta(e) == 0 || e->telemetry->read_only != 0 || ftl_stops(e) ||
        !maps_all_counted(e)) {
        return;
    }
    if (s->cold == INDEX_NONE) {
        look_for_cold(e);
    }
    if (s->cold == INDEX_NONE) {
        return;
    }
    const struct segment* g = segment_of(e, s->cold);
    if (g->block != s->cold_block) {
        s->cold = INDEX_NONE; /* it has been committed */
        return;
    }
    if (g->slot == INDEX_NONE) {
        segments_ask(e, s->cold);
        return;
    }
    struct segment_slot* at = segment_slot_of(e, g->slot);
    if ((at->flags & (SEGMENT_LOADS | SEGMENT_COMMITS)) == 0 && s->erased.count >= LEVEL_SPARES) {
        at->flags |= SEGMENT_COLD;
        (void)segments_commit(e, g->slot);
    }
    FW_ASSERT(e, g->block == s->cold_block);
}

/* ---- Power-up ---- */

/* true = it has been erased since the record; true = it may have been. */
static bool was_erased(const struct map_block* b, const struct saved_map_block* saved)
{
    return saved->number != 0 && b->number != saved->number && b->state != MAP_BLOCK_GARBAGE;
}
static bool went_round(const struct map_block* b, const struct saved_map_block* saved)
{
    return b->state != MAP_BLOCK_BAD && (b->number != saved->number || b->number == 0);
}

/* Each commit takes an erased block: so the numbers of the commits tell how many map blocks were
 * erased since the record. */
static uint64_t erased_since(struct env* e, const uint32_t* numbers,
                             const struct saved_map_block* saved)
{
    const struct segments* s = e->segments;
    uint32_t last = 0;
    uint64_t erases = s->erased.count;
    for (uint32_t n = 0; n < s->count; ++n) {
        const uint32_t number = numbers[n] & ~SEGMENT_VOID;
        last = number > last ? number : last;
    }
    erases += s->number > last ? s->number - last : 0;
    for (uint32_t i = 0; i < s->blocks; ++i) { /* less those that were erased at the record */
        const bool then = map_block_of(e, i)->state != MAP_BLOCK_BAD && saved[i].number == 0;
        erases -= then && erases != 0 ? 1u : 0u;
    }
    FW_ASSERT(e, s->number >= last || erases <= s->blocks);
    return erases;
}

/* Blocks that hold something else were erased once at least; what is left those share evenly that
 * went round. */
void segments_recover_erases(struct env* e, const uint32_t* numbers,
                             const struct saved_map_block* saved)
{
    const uint32_t blocks = e->segments->blocks;
    uint64_t left = erased_since(e, numbers, saved);
    uint64_t shares = 0;
    for (uint32_t i = 0; i < blocks; ++i) {
        struct map_block* b = map_block_of(e, i);
        const uint32_t once = b->state != MAP_BLOCK_BAD && was_erased(b, &saved[i]) ? 1u : 0u;
        b->erases = saved[i].erases + once;
        left -= left < once ? left : once;
        shares += went_round(b, &saved[i]) ? 1u : 0u;
    }
    for (uint32_t i = 0; i < blocks && shares != 0; ++i) {
        if (went_round(map_block_of(e, i), &saved[i])) {
            const uint64_t share = left / shares--;
            map_block_of(e, i)->erases += (uint32_t)share;
            left -= share;
        }
    }
    FW_ASSERT(e, shares == 0);
    if (blocks != 0) {
        segments_count_erases(e);
    }
}
