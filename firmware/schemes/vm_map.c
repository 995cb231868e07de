/* SPDX-License-Identifier: Apache-2.0
 *
 * vm_map: a page map that is paged like virtual memory (H.-S. Lee, 2022), in segments (segments.h).
 *
 * Units that collection moves do not bring their segment in: where they have gone is kept until it
 * comes in for another reason, or until there is no room for more of that. A checkpoint brings them
 * all in. So collection costs swaps only where it moves more than is kept.
 */
#include "firmware/lib/bits.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps_units.h"
#include "firmware/map/segments.h"
#include "firmware/space/blocks.h"

static uint32_t segment_of_unit(const struct env* e, uint64_t unit)
{
    FW_ASSERT(e, unit < e->geo->user_units);
    return segment_at(e, unit >> e->maps->entry_shift);
}

static int vm_init(struct env* e)
{
    FW_ASSERT(e, e->geo->user_units != 0);
    if (segments_init(e, e->ftl->cache_bytes, e->ftl->segments) != 0) {
        return -1;
    }
    e->ftl->narrow = 1;
    e->ftl->search.address = FTL_NONE;
    return 0;
}

/* What a page says whose segment is not in memory, or still coming in: moves are applied when all
 * of it is there. */
static uint64_t early_entry(struct env* e, uint64_t unit, uint64_t entry)
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

static uint64_t vm_lookup(struct env* e, uint64_t unit)
{
    const uint32_t n = segment_of_unit(e, unit);
    if (segment_of(e, n)->pins != 0 && segments_there(e, n)) {
        return maps_entry(e, 1, unit);
    }
    if (e->segments->derived != 0) {
        return segments_use(e, n) ? maps_entry(e, 1, unit) : FTL_UNKNOWN;
    }
    if (e->ftl->modes.spent != 0 && segment_of(e, n)->slot == INDEX_NONE) {
        const uint64_t entry = segments_peek(e, unit);
        return entry != FTL_UNKNOWN ? early_entry(e, unit, entry) : FTL_UNKNOWN;
    }
    if (!segments_look(e, unit >> e->maps->entry_shift)) {
        return FTL_UNKNOWN;
    }
    const uint64_t entry = maps_entry(e, 1, unit);
    return segments_there(e, n) ? entry : early_entry(e, unit, entry);
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

static bool vm_pin(struct env* e, uint64_t unit)
{
    const uint32_t n = segment_of_unit(e, unit);
    if (!may_pin(e, n)) {
        return false;
    }
    FW_ASSERT(e, segment_of(e, n)->pins < UINT32_MAX);
    ++segment_of(e, n)->pins;
    return true;
}

static bool vm_pin_move(struct env* e, uint64_t unit, uint64_t from)
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

static void vm_unpin(struct env* e, uint64_t unit)
{
    struct segment* g = segment_of(e, segment_of_unit(e, unit));
    FW_ASSERT(e, g->pins > 0);
    --g->pins;
    if (g->lazy != 0) {
        FW_ASSERT(e, e->segments->lazy > 0);
        --g->lazy;
        --e->segments->lazy;
    }
}

static bool vm_move(struct env* e, uint64_t unit, uint64_t from, uint64_t to)
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
static void vm_arrived(struct env* e, uint64_t page)
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

static bool vm_merge(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page == FTL_NONE && "nothing is framed page by page");
    return false;
}

static uint64_t moved_to(struct env* e, uint64_t address)
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

static uint64_t search_segment(struct env* e, uint32_t n, uint64_t address)
{
    const uint32_t shift = e->maps->entry_shift;
    const uint64_t first = ((uint64_t)n * e->maps->segment) << shift;
    const uint64_t end = segment_end(e, n) << shift;
    FW_ASSERT(e, segments_there(e, n));
    for (uint64_t u = first; u < end && u < e->geo->user_units; ++u) {
        if ((maps_entry(e, 1, u) & ~FTL_LOST) == address) {
            return u;
        }
    }
    return FTL_NONE;
}

/* One search at a time, segment by segment. One that nobody waits for any more makes room. */
static uint64_t vm_owner(struct env* e, uint64_t address)
{
    struct ftl_search* s = &e->ftl->search;
    const uint64_t moved = moved_to(e, address);
    if (moved != FTL_NONE) {
        return moved;
    }
    if (s->address != address) {
        if (s->address != FTL_NONE && blocks_valid(e, s->address)) {
            return FTL_UNKNOWN;
        }
        s->address = address;
        s->page = 0;
    }
    while (s->page < e->segments->count) {
        if (!segments_use(e, (uint32_t)s->page)) {
            return FTL_UNKNOWN;
        }
        const uint64_t unit = search_segment(e, (uint32_t)s->page, address);
        if (unit != FTL_NONE) {
            s->address = FTL_NONE;
            return unit;
        }
        ++s->page;
    }
    s->address = FTL_NONE; /* it was moved into a segment that had been looked through: once more */
    e->ftl->again = 1;
    if (e->maps->damaged != 0) {
        maps_disown(e, address);
    }
    FW_ASSERT(e, s->page == e->segments->count);
    return FTL_UNKNOWN;
}

static void vm_prefetch(struct env* e, uint64_t unit)
{
    if (segments_there(e, segment_of_unit(e, unit))) {
        __builtin_prefetch(maps_at(e, 1, unit, e->maps->wide ? 3 : 2), 1);
    }
}

/* A segment that has no commit and is not in memory is empty. */
static uint64_t vm_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint32_t n = segment_of_unit(e, unit);
    const struct segment* g = segment_of(e, n);
    const uint64_t next = segment_end(e, n) << e->maps->entry_shift;
    FW_ASSERT(e, unit < next);
    if (e->segments->derived != 0) {
        return 0;
    }
    if (segments_there(e, n)) {
        return maps_holes(e, unit, end);
    }
    return g->slot == INDEX_NONE && g->block == INDEX_NONE && g->lost == 0
               ? (next < end ? next : end) - unit
               : 0;
}

const struct ftl_ops ftl_vm_map = {
    .layout = &ftl_pages,
    .init = vm_init,
    .lookup = vm_lookup,
    .pin = vm_pin,
    .pin_move = vm_pin_move,
    .unpin = vm_unpin,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = vm_owner,
    .move = vm_move,
    .trim = maps_trim,
    .holes = vm_holes,
    .trim_run = maps_trim_run,
    .prefetch = vm_prefetch,
    .arrived = vm_arrived,
    .merge = vm_merge,
};
