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
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/map/segments_moves.h"
#include "firmware/map/segments_spent.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/map.h"

struct vm_map {
    uint64_t searched; /* address whose owner is looked for, FTL_NONE = none */
    uint64_t segment;  /* next to look through for it */
};

static struct vm_map* own(const struct env* e)
{
    return ftl_own(e, sizeof(struct vm_map));
}

static int vm_init(struct env* e)
{
    const struct boot_map* how = e->told.map;
    if (segments_init(e, how->cache, how->segments) != 0) {
        return -1;
    }
    own(e)->searched = FTL_NONE;
    return 0;
}

static uint64_t vm_lookup(struct env* e, uint64_t unit)
{
    const uint32_t n = segment_of_unit(e, unit);
    if (segment_of(e, n)->pins != 0 && segments_there(e, n)) {
        return maps_entry(e, 1, unit);
    }
    if (segments_derived(e)) {
        return segments_use(e, n) ? maps_entry(e, 1, unit) : FTL_UNKNOWN;
    }
    if (ftl_spent(e) && segment_of(e, n)->slot == INDEX_NONE) {
        const uint64_t entry = segments_peek(e, unit);
        return entry != FTL_UNKNOWN ? segments_early(e, unit, entry) : FTL_UNKNOWN;
    }
    if (!segments_look(e, maps_page(e, unit))) {
        return FTL_UNKNOWN;
    }
    const uint64_t entry = maps_entry(e, 1, unit);
    return segments_there(e, n) ? entry : segments_early(e, unit, entry);
}

static bool vm_merge(struct env* e, uint64_t page)
{
    FW_ASSERT(e, page == FTL_NONE && "nothing is framed page by page");
    return false;
}

static uint64_t search_segment(struct env* e, uint32_t n, uint64_t address)
{
    const uint64_t first = maps_first(e, segment_first(e, n));
    const uint64_t end = maps_first(e, segment_end(e, n));
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
    struct vm_map* s = own(e);
    const uint64_t moved = segments_moved_to(e, address);
    if (moved != FTL_NONE) {
        return moved;
    }
    if (s->searched != address) {
        if (s->searched != FTL_NONE && blocks_valid(e, s->searched)) {
            return FTL_UNKNOWN;
        }
        s->searched = address;
        s->segment = 0;
    }
    while (s->segment < segments_count(e)) {
        if (!segments_use(e, (uint32_t)s->segment)) {
            return FTL_UNKNOWN;
        }
        const uint64_t unit = search_segment(e, (uint32_t)s->segment, address);
        if (unit != FTL_NONE) {
            s->searched = FTL_NONE;
            return unit;
        }
        ++s->segment;
    }
    /* It was moved into a segment that had been looked through: once more. */
    s->searched = FTL_NONE;
    ftl_ask_again(e);
    if (maps_damaged(e)) {
        maps_disown(e, address);
    }
    FW_ASSERT(e, s->segment == segments_count(e));
    return FTL_UNKNOWN;
}

static void vm_prefetch(struct env* e, uint64_t unit)
{
    if (segments_there(e, segment_of_unit(e, unit))) {
        maps_prefetch(e, unit);
    }
}

/* A segment that has no commit and is not in memory is empty. */
static uint64_t vm_holes(struct env* e, uint64_t unit, uint64_t end)
{
    const uint32_t n = segment_of_unit(e, unit);
    const struct segment* g = segment_of(e, n);
    const uint64_t next = maps_first(e, segment_end(e, n));
    if (segments_derived(e)) {
        return 0;
    }
    if (segments_there(e, n)) {
        return maps_holes(e, unit, end);
    }
    return g->slot == INDEX_NONE && g->block == INDEX_NONE && g->lost == 0
               ? (next < end ? next : end) - unit
               : 0;
}

static void vm_forget(struct env* e)
{
    own(e)->searched = FTL_NONE;
}

const struct ftl_ops ftl_vm_map = {
    .layout = &ftl_pages,
    .narrow = 1,
    .init = vm_init,
    .lookup = vm_lookup,
    .pin = segments_pin,
    .pin_move = segments_pin_move,
    .unpin = segments_unpin,
    .commit = maps_commit,
    .lose = maps_lose,
    .owner = vm_owner,
    .move = segments_move,
    .trim = maps_trim,
    .holes = vm_holes,
    .trim_run = maps_trim_run,
    .prefetch = vm_prefetch,
    .arrived = segments_moves_arrived,
    .merge = vm_merge,
    .forget = vm_forget,
};
