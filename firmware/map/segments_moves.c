/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_moves.h"

#include "firmware/lib/run.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/segments.h"
#include "firmware/space/reserve.h"
#include "firmware/space/valid.h"

/* What a page says whose segment is not in memory, or still coming in: moves are applied when all
 * of it is there. */
uint64_t segments_early(struct env* e, uint64_t unit, uint64_t entry)
{
    const struct segment_move* moves = env_dram(e, e->segments->moves);
    FW_ASSERT(e, unit < e->geo->user_units);
    for (uint32_t i = 0; i < e->segments->moves_count; ++i) {
        if (moves[i].unit == unit && maps_placed(entry) && (entry & ~FTL_LOST) == moves[i].from) {
            entry = moves[i].to | (entry & FTL_LOST);
        }
    }
    return entry;
}

/* true = it is in memory, and may be held there. */
static bool may_pin(struct env* e, uint32_t n)
{
    const uint32_t i = segment_of(e, n)->slot;
    FW_ASSERT(e, n < e->segments->count);
    if (i != INDEX_NONE && (segment_slot_of(e, i)->flags & SEGMENT_LEAVES) != 0) {
        segments_ask(e, n);
        return false;
    }
    return segments_use(e, n);
}

bool segments_pin(struct env* e, uint64_t unit)
{
    const uint32_t n = segment_of_unit(e, unit);
    if (!may_pin(e, n)) {
        return false;
    }
    FW_ASSERT(e, segment_of(e, n)->pins < UINT32_MAX);
    ++segment_of(e, n)->pins;
    return true;
}

bool segments_pin_move(struct env* e, uint64_t unit, uint64_t from)
{
    struct segments* s = e->segments;
    const uint32_t n = segment_of_unit(e, unit);
    struct segment* g = segment_of(e, n);
    FW_ASSERT(e, s->lazy <= SEGMENT_MOVES && from < FTL_LOST);
    if (segments_there(e, n) && (segment_slot_of(e, g->slot)->flags & SEGMENT_LEAVES) == 0) {
        ++g->pins;
        return true;
    }
    if (s->moves_count + s->lazy >= SEGMENT_MOVES) {
        const struct segment_move* moves = env_dram(e, s->moves);
        segments_ask(e, s->moves_count != 0 ? segment_of_unit(e, moves[0].unit) : n);
        return false;
    }
    if (g->slot == INDEX_NONE) {
        ++g->lazy;
        ++s->lazy;
        ++g->pins;
        return true;
    }
    return false; /* it comes in, or leaves */
}

void segments_unpin(struct env* e, uint64_t unit)
{
    struct segment* g = segment_of(e, segment_of_unit(e, unit));
    FW_ASSERT(e, g->pins > 0);
    if (--g->pins == 0) {
        run_due(e, DUE_DURABLE); /* it may leave */
    }
    if (g->lazy != 0) {
        FW_ASSERT(e, e->segments->lazy > 0);
        --g->lazy;
        --e->segments->lazy;
    }
}

bool segments_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
{
    struct segments* s = e->segments;
    struct segment_move* moves = env_dram(e, s->moves);
    const uint32_t n = segment_of_unit(e, unit);
    if (segments_there(e, n)) {
        const bool moved = maps_move(e, unit, from, to);
        if (!moved) {
            maps_disown(e, from);
        }
        return moved;
    }
    FW_ASSERT(e, segment_of(e, n)->lazy != 0 && s->moves_count < SEGMENT_MOVES);
    if (!blocks_valid(e, from)) {
        return false;
    }
    const struct segment_move move = {
        .unit = unit, .from = from, .to = to, .order = ++s->move_order};
    moves[s->moves_count++] = move;
    blocks_invalidate(e, from);
    blocks_validate(e, to);
    return true;
}

/* A segment has come in: what moved meanwhile is where it was moved to. */
void segments_moves_arrived(struct env* e, uint64_t page)
{
    struct segments* s = e->segments;
    struct segment_move* moves = env_dram(e, s->moves);
    const uint32_t n = segment_at(e, page);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->moves_count; ++i) {
        const struct segment_move m = moves[i];
        if (segment_of_unit(e, m.unit) != n) {
            moves[kept++] = m;
            continue;
        }
        const uint64_t entry = maps_entry(e, 1, m.unit);
        if (maps_placed(entry) && (entry & ~FTL_LOST) == m.from) {
            maps_set(e, 1, m.unit, m.to | (entry & FTL_LOST));
        } else {
            maps_disown(e, m.to);
        }
    }
    FW_ASSERT(e, kept <= s->moves_count);
    s->moves_count = kept;
}

uint64_t segments_moved_to(struct env* e, uint64_t address)
{
    const struct segment_move* moves = env_dram(e, e->segments->moves);
    FW_ASSERT(e, e->segments->moves_count <= SEGMENT_MOVES);
    for (uint32_t i = e->segments->moves_count; i-- > 0;) {
        if (moves[i].to == address) {
            return moves[i].unit;
        }
    }
    return FTL_NONE;
}
