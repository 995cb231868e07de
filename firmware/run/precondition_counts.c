/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts.
 *
 * While the host overwrites uniformly, all units are alike: what allocation and collection do next
 * hangs on how many units of each superblock are valid, and not on which ones. So superblocks are
 * opened, filled, collected and erased as ever, by the same code, but a write unit only adds to the
 * count of its superblock, and an overwrite takes one from the count of the superblock where its
 * old data lie: each valid place is the one alike. What lies where is told at the end
 * (precondition_uniform.c). Units that are given have a place each (precondition_given.c).
 */
#include "firmware/run/precondition_counts.h"

#include "firmware/lib/bits.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"

enum { CHEAP = 2, MOVED_AHEAD = 64 };

/* The superblock of a valid unit, each one alike: a place of any superblock, drawn again unless it
 * is one of the first `valid` ones of it. */
static struct superblock* draw(struct env* e, struct counts* c)
{
    const struct geometry* g = e->geo;
    struct superblock* table = superblock_of(e, e->blocks, 0);
    const uint32_t units = g->luns * g->pages * g->group;
    FW_ASSERT(e, c->written != 0);
    for (;;) {
        const uint64_t bits = random_next(&c->random);
        struct superblock* s = table + random_share((uint32_t)(bits >> 32), g->blocks);
        if (random_share((uint32_t)bits, units) < s->valid) {
            return s;
        }
    }
}

/* The host's next units, as many of them as there are: first those that are new. */
static void write_units(struct env* e, struct counts* c, struct superblock* to, uint32_t count)
{
    const uint64_t rest = c->fill - c->written;
    const uint32_t fresh = rest < count ? (uint32_t)rest : count;
    c->written += fresh;
    to->valid += fresh;
    FW_ASSERT(e, c->overwrites >= count - fresh);
    c->overwrites -= count - fresh;
    for (uint32_t n = fresh; n < count; ++n) {
        blocks_drop(e, draw(e, c), 1);
        ++to->valid;
    }
}

uint32_t precondition_count(struct env* e, uint32_t stream, uint32_t count, uint32_t victim)
{
    struct counts* c = counts_of(e);
    struct write_unit w;
    if (!blocks_place(e, stream, count, &w)) {
        return 0;
    }
    struct superblock* to = superblock_of(e, e->blocks, w.block);
    const uint32_t went = count < w.units ? count : w.units;
    to->newest = flash_next_sequence(e);
    if (victim == INDEX_NONE) {
        write_units(e, c, to, went);
    } else {
        blocks_drop(e, superblock_of(e, e->blocks, victim), went);
        to->valid += went;
    }
    blocks_unpend(e, w.block);
    precondition_account(e, &w, went, victim != INDEX_NONE);
    return went;
}

/* ---- Units that are given one by one ---- */

static void map_host_unit(struct env* e, uint64_t unit, uint64_t to)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (!ftl->pin(e, unit)) {
        HAL_PANIC(e->hal, "a page of the map is not in memory");
    }
    ftl->commit(e, unit, to);
    ftl->unpin(e, unit);
}

uint32_t precondition_count_given(struct env* e, uint32_t stream, uint32_t count,
                                  const uint64_t* from)
{
    uint32_t* table = counts_of(e)->table;
    const uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    struct write_unit w;
    uint32_t n = 0;
    if (!blocks_place(e, stream, count, &w)) {
        return 0;
    }
    superblock_of(e, e->blocks, w.block)->newest = flash_next_sequence(e);
    for (uint32_t rest = w.plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = w.block, .page = w.page, .lun = w.lun, .plane = lowest_bit(rest)};
        const uint64_t base = unit_address(e->geo, &p, 0);
        for (uint32_t s = 0; s < e->geo->page_units; ++s, ++n) {
            table[base + s] = n < count ? (uint32_t)numbers[n] : COUNTS_NOTHING;
            if (n >= count) {
                continue;
            }
            if (from == NULL) {
                map_host_unit(e, numbers[n], base + s);
            } else {
                (void)ftl_ops_of(e)->move(e, numbers[n], from[n], base + s);
            }
        }
    }
    blocks_unpend(e, w.block);
    const uint32_t went = count < w.units ? count : w.units;
    precondition_account(e, &w, went, from != NULL);
    return went;
}

/* The first valid place from `at` on: there is one. */
static uint64_t next_valid(const uint64_t* map, uint64_t at)
{
    uint64_t word = map[at / 64] >> at % 64;
    while (word == 0) {
        at += 64 - at % 64;
        word = map[at / 64];
    }
    return at + (uint64_t)__builtin_ctzll(word);
}

/* Valid places of a victim that are still to come. */
struct coming {
    uint64_t at;
    uint32_t count;
};

/* The map of so many of them is on its way to the processor's cache. */
static void prefetch_coming(struct env* e, struct coming* c, uint32_t count)
{
    const uint32_t* table = counts_of(e)->table;
    const uint64_t* map = blocks_valid_map(e);
    for (; count != 0 && c->count != 0; --count, --c->count) {
        c->at = next_valid(map, c->at);
        ftl_ops_of(e)->prefetch(e, table[c->at++]);
    }
}

/* The next valid places of the victim from `at` on: append.from, and append.numbers of what lies
 * there. Returns where to go on. */
static uint64_t gather(struct env* e, uint64_t at, uint32_t count)
{
    const uint32_t* table = counts_of(e)->table;
    const uint64_t* map = blocks_valid_map(e);
    uint64_t* from = env_dram(e, append_of(e)->from);
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    for (uint32_t n = 0; n < count; ++n) {
        from[n] = next_valid(map, at);
        numbers[n] = table[from[n]];
        at = from[n] + 1;
    }
    return at;
}

static int move_given(struct env* e, uint32_t victim)
{
    const struct superblock* s = superblock_of(e, e->blocks, victim);
    counts_of(e)->found = s->valid;
    uint64_t at = ((uint64_t)victim * e->geo->pages) << e->geo->row_shift;
    struct coming soon = {at, s->valid}; /* it is MOVED_AHEAD places before `at` */
    prefetch_coming(e, &soon, MOVED_AHEAD);
    while (s->valid != 0) {
        const uint32_t room = blocks_next_units(e, STREAM_GC);
        const uint32_t count = s->valid < room ? s->valid : room;
        if (count == 0) {
            return -1;
        }
        prefetch_coming(e, &soon, count);
        at = gather(e, at, count);
        const uint32_t went =
            precondition_count_given(e, STREAM_GC, count, env_dram(e, append_of(e)->from));
        FW_ASSERT(e, went == 0 || went == count);
        if (went == 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- What collection does ---- */

int precondition_counts_move(struct env* e, uint32_t victim)
{
    const struct superblock* s = superblock_of(e, e->blocks, victim);
    FW_ASSERT(e, s->state == BLOCK_VICTIM);
    if (counts_of(e)->table != NULL) {
        return move_given(e, victim);
    }
    while (s->valid != 0) {
        if (precondition_count(e, STREAM_GC, s->valid, victim) == 0) {
            return -1;
        }
    }
    return 0;
}

/* Under load the host writes on while a victim is collected, so that free space falls to what is
 * set aside; it rises to the high mark only while that costs little (gc/pace.c). */
static bool is_paced(struct env* e)
{
    const struct counts* c = counts_of(e);
    const uint32_t whole = e->geo->luns * e->geo->pages * e->geo->group;
    return counts_on(e) && c->paced && (uint64_t)c->found * CHEAP > whole - c->found;
}

/* Victims come one by one, as the host writes, not all that a superblock of its takes at once: by
 * then some have lost less than they would have. When the host needs its next superblock, one is
 * free beside those that are set aside, whatever is left of the one that collection fills. */
static bool paced_room_lacks(struct env* e)
{
    const uint64_t whole = (uint64_t)e->geo->luns * e->geo->pages * e->geo->group;
    const uint64_t room =
        blocks_free(e) * whole + blocks_room(e, STREAM_HOST) + blocks_room(e, STREAM_GC);
    return room < (blocks_set_aside(e) + 2) * whole;
}

bool precondition_lacks_room(struct env* e, bool collects)
{
    return is_paced(e) ? paced_room_lacks(e) : blocks_free(e) < (collects ? gc_high(e) : gc_low(e));
}
