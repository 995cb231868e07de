/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_wear.h"

#include "firmware/lib/telemetry.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"
#include "firmware/space/wear.h"

uint32_t segments_take_erased(struct env* e, bool cold)
{
    struct fifo* f = &e->segments->erased;
    uint32_t* links = env_dram(e, e->segments->block_links);
    uint32_t behind = INDEX_NONE;
    uint32_t best = f->head;
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
