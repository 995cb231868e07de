/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments: which are in memory, and which leaves.
 *
 * Whoever needs one that is not there asks for it, and asks again. What was asked for comes in in
 * that order, and only at the end of a round: so whoever waits for a segment that has come in finds
 * it there for the rest of that round at least, before another one takes its place. Who only looks
 * a unit up waits for one page of it: that one is read first.
 */
#include "firmware/map/segments.h"

#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_count.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments_boot.h"
#include "firmware/map/segments_commit.h"
#include "firmware/map/segments_read.h"
#include "firmware/space/reserve.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"
#include "firmware/space/wear.h"

enum {
    LEAVING_SHARE = 4, /* a part of the slots, and not more than the most, leave at the same time */
    LEAVING_MOST = 8,
    VICTIMS_AHEAD = 64, /* looked through for one that nobody has pinned */
    LEVEL_WAIT = 4,     /* erases of map blocks between two segments that are moved */
    LEVEL_SPARES = 2    /* erased blocks: one is left for the commits of others */
};

static uint32_t* wanted_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->segments->wanted_links);
}

static int take_memory(struct env* e)
{
    struct segments* s = e->segments;
    s->table = map_take(e, (uint64_t)s->count * sizeof(struct segment));
    s->wanted_links = map_take(e, (uint64_t)s->count * sizeof(uint32_t));
    s->slot_table = map_take(e, (uint64_t)s->slots * sizeof(struct segment_slot));
    s->empty_links = map_take(e, (uint64_t)s->slots * sizeof(uint32_t));
    s->lru_links = map_take(e, (uint64_t)s->slots * sizeof(struct link));
    s->busy_links = map_take(e, (uint64_t)s->slots * sizeof(struct link));
    s->block_table = map_take(e, (uint64_t)s->blocks * sizeof(struct map_block));
    s->block_links = map_take(e, (uint64_t)s->blocks * sizeof(uint32_t));
    s->moves = map_take(e, SEGMENT_MOVES * sizeof(struct segment_move));
    s->buffer_links = map_take(e, SEGMENT_REQUESTS * sizeof(uint32_t));
    s->buffers = map_take_pages(e, (uint64_t)SEGMENT_REQUESTS * e->geo->page_size);
    FW_ASSERT(e, s->slots != 0 && s->slots <= s->count);
    return arenas_result(e);
}

static void clear_tables(struct env* e)
{
    struct segments* s = e->segments;
    fifo_init(&s->erased);
    fifo_init(&s->garbage);
    fifo_init(&s->buffer_free);
    for (uint32_t n = 0; n < s->count; ++n) {
        segment_of(e, n)->block = INDEX_NONE;
    }
    for (uint32_t i = 0; i < SEGMENT_REQUESTS; ++i) {
        fifo_push(&s->buffer_free, env_dram(e, s->buffer_links), i);
    }
    segments_empty_slots(e);
}

int segments_init(struct env* e, uint64_t bytes, uint32_t slots)
{
    struct segments* s = e->segments;
    struct maps* m = e->maps;
    m->segment = e->geo->pages * e->geo->page_units;
    if (maps_plan(e) != 0) {
        return -1;
    }
    const uint64_t count = (m->level[1].pages + m->segment - 1) / m->segment;
    const uint64_t most = slots != 0 ? slots : bytes / ((uint64_t)m->segment << e->geo->unit_shift);
    if (count * m->segment >= INDEX_NONE || most == 0) {
        hal_log(e->hal, HAL_LOG_ERROR, "segments of the map, those that its cache holds", count,
                most);
        return -1;
    }
    s->count = (uint32_t)count;
    s->slots = most < count ? (uint32_t)most : s->count;
    s->blocks = (uint32_t)MAP_BLOCKS(count);
    if (maps_take(e, s->slots * m->segment, 0, 0) != 0 || take_memory(e) != 0 ||
        e->arenas->absent != 0) {
        return arenas_result(e);
    }
    clear_tables(e);
    FW_ASSERT(e, s->blocks > s->count);
    return segments_plan(e);
}

/* ---- Use ---- */

/* page: of its block, what is read first. */
static void ask_for(struct env* e, uint32_t n, uint32_t page)
{
    struct segment* g = segment_of(e, n);
    FW_ASSERT(e, page < e->geo->pages && page < UINT16_MAX);
    if (g->wanted == 0) {
        fifo_push(&e->segments->wanted, wanted_links(e), n);
        run_due(e, DUE_DURABLE);
    }
    if (g->wanted <= 1) {
        g->wanted = (uint16_t)(page + 1);
    }
}

void segments_ask(struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->segments->count);
    ask_for(e, n, 0);
}

static void note_use(struct env* e, struct segment_slot* at)
{
    FW_ASSERT(e, at->segment != INDEX_NONE);
    if ((at->flags & SEGMENT_FRESH) != 0) {
        at->flags &= ~(uint32_t)SEGMENT_FRESH;
    } else {
        ++e->telemetry->map_hits;
    }
}

bool segments_use(struct env* e, uint32_t n)
{
    struct segments* s = e->segments;
    const uint32_t i = segment_of(e, n)->slot;
    if (!segments_there(e, n)) {
        if (i == INDEX_NONE) {
            segments_ask(e, n);
        }
        return false;
    }
    struct segment_slot* at = segment_slot_of(e, i);
    note_use(e, at);
    if (s->lru.last != i) {
        chain_remove(&s->lru, segments_lru(e), i);
        chain_append(&s->lru, segments_lru(e), i);
    }
    FW_ASSERT(e, at->segment == n);
    return true;
}

bool segments_look(struct env* e, uint64_t page)
{
    const uint32_t n = segment_at(e, page);
    const uint32_t i = segment_of(e, n)->slot;
    const uint32_t at_page = (uint32_t)(page % e->maps->segment) / e->geo->page_units;
    FW_ASSERT(e, page < maps_pages(e, 1));
    if (i == INDEX_NONE) {
        ask_for(e, n, at_page);
        return false;
    }
    if (segments_there(e, n)) {
        return segments_use(e, n);
    }
    struct segment_slot* at = segment_slot_of(e, i);
    const uint8_t flags = *maps_flags(e, e->maps, 1, page);
    if ((flags & MAP_RESIDENT) != 0) {
        note_use(e, at);
        return true;
    }
    if ((flags & MAP_LOADING) == 0 && at->number == 0) {
        at->number = at_page + 1;
    }
    return false;
}

/* ---- Replacement ---- */

/* The one that should leave next: not used for the longest time, and if possible not pinned. */
static uint32_t victim(struct env* e)
{
    const struct segments* s = e->segments;
    const struct link* links = segments_lru(e);
    uint32_t best = INDEX_NONE;
    uint32_t left = VICTIMS_AHEAD;
    for (uint32_t i = s->lru.first; i != INDEX_NONE && left != 0; i = links[i].next, --left) {
        const struct segment_slot* at = segment_slot_of(e, i);
        if ((at->flags & SEGMENT_LEAVES) != 0 || at->since == s->round) {
            continue;
        }
        if (segment_of(e, at->segment)->pins == 0) {
            return i;
        }
        best = best == INDEX_NONE ? i : best;
    }
    return best;
}

/* As many slots become empty as are wanted. Who is pinned is not pinned again: so it gets its turn
 * to leave, however often it is used. */
static void make_room(struct env* e)
{
    struct segments* s = e->segments;
    uint32_t most = s->slots / LEAVING_SHARE;
    most = most < 1 ? 1 : (most > LEAVING_MOST ? LEAVING_MOST : most);
    while (s->leaving < most && s->leaving + s->empty.count < s->wanted.count) {
        const uint32_t i = victim(e);
        if (i == INDEX_NONE) {
            return;
        }
        segment_slot_of(e, i)->flags |= SEGMENT_LEAVES;
        ++s->leaving;
        segments_busy(e, i);
        segments_advance(e, i);
    }
    FW_ASSERT(e, s->leaving <= s->slots);
}

/* Takes from the list of the wanted those that are there. One that was to leave stays. */
static void settle_wanted(struct env* e)
{
    struct segments* s = e->segments;
    while (s->wanted.head != INDEX_NONE) {
        struct segment* g = segment_of(e, s->wanted.head);
        if (g->slot == INDEX_NONE) {
            break;
        }
        struct segment_slot* at = segment_slot_of(e, g->slot);
        if ((at->flags & SEGMENT_LEAVES) != 0) {
            at->flags &= ~(uint32_t)SEGMENT_LEAVES;
            --s->leaving;
            segments_busy(e, g->slot);
        }
        (void)fifo_pop(&s->wanted, wanted_links(e));
        g->wanted = 0;
    }
}

bool segments_step(struct env* e)
{
    struct segments* s = e->segments;
    const struct link* links = NULL;
    bool at_once = false;
    if (s->found == 0) {
        return false;
    }
    links = env_dram(e, s->busy_links); /* of a scheme that has none there is no address */
    ++s->round;
    segments_fetch_step(e);
    for (uint32_t i = s->busy.first; i != INDEX_NONE;) {
        const uint32_t next = links[i].next;
        segments_advance(e, i);
        i = next;
    }
    segments_erase(e);
    for (;;) {
        settle_wanted(e);
        if (s->wanted.count == 0) {
            break;
        }
        make_room(e);
        if (s->empty.count == 0) {
            break;
        }
        const uint32_t n = fifo_pop(&s->wanted, wanted_links(e));
        const uint32_t first = segment_of(e, n)->wanted - 1u;
        segment_of(e, n)->wanted = 0;
        segments_load(e, fifo_pop(&s->empty, env_dram(e, s->empty_links)), n, first);
        at_once |= segments_there(e, n);
    }
    return at_once;
}

/* What was never written holds nothing that could be valid. */
static bool count_absent(struct env* e, uint32_t n)
{
    const struct segment* g = segment_of(e, n);
    const uint64_t end = segment_end(e, n);
    if (g->block != INDEX_NONE || g->slot != INDEX_NONE || g->lost != 0) {
        return false;
    }
    for (uint64_t page = (uint64_t)n * e->maps->segment; page < end; ++page) {
        uint8_t* flags = maps_flags(e, e->maps, 1, page);
        *flags |= MAP_CHECKED;
        if ((*flags & MAP_COUNTED) == 0) {
            maps_counted(e, 1, page);
        }
    }
    FW_ASSERT(e, n < e->segments->count);
    return true;
}

bool segments_may_tell(struct env* e)
{
    FW_ASSERT(e, e->segments->count != 0);
    return e->segments->wanted.count == 0;
}

void segments_tell(struct env* e, uint32_t n)
{
    FW_ASSERT(e, n < e->segments->count);
    if (segments_may_tell(e) && !count_absent(e, n)) {
        segments_ask(e, n);
    }
}

bool segments_load_all(struct env* e, uint64_t pages)
{
    struct segments* s = e->segments;
    uint64_t looked = 0;
    FW_ASSERT(e, s->count_next <= s->count);
    for (; s->count_next < s->count && s->wanted.count == 0 && s->busy.first == INDEX_NONE &&
           !ftl_stops(e);
         ++s->count_next) {
        if (looked >= pages) {
            return true;
        }
        looked += e->maps->segment;
        const uint64_t page = (uint64_t)s->count_next * e->maps->segment;
        if ((*maps_flags(e, e->maps, 1, page) & MAP_COUNTED) == 0 &&
            !count_absent(e, s->count_next)) {
            segments_ask(e, s->count_next);
        }
    }
    return false;
}

/* ---- Checkpoint ---- */

void segments_mark(struct env* e)
{
    e->segments->mark = e->segments->move_order;
}

bool segments_put(struct env* e, uint64_t* walk)
{
    struct segments* s = e->segments;
    const struct segment_move* moves = env_dram(e, s->moves);
    if (s->moves_count != 0 && moves[0].order <= s->mark) {
        segments_ask(e, segment_at(e, maps_page(e, moves[0].unit)));
        return false;
    }
    for (; *walk < s->slots; ++*walk) {
        const uint32_t i = (uint32_t)*walk;
        const struct segment_slot* at = segment_slot_of(e, i);
        if (at->segment == INDEX_NONE || !segments_there(e, at->segment) || !segments_dirty(e, i)) {
            continue;
        }
        /* Of a commit under way the first pages may be older than what is to be put out. */
        if ((at->flags & SEGMENT_COMMITS) != 0 || !segments_commit(e, i)) {
            return false;
        }
    }
    FW_ASSERT(e, *walk == s->slots);
    return true;
}

/* ---- Levelling ---- */

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
