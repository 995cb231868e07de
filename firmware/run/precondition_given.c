/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning by counts, of units that are given one by one (hal/entries.h). Allocation, map
 * and collection go on exactly as unit by unit, but nothing comes to the cells: the caller's table
 * tells what lies in each place, as spare words would. So what is erased again before the end costs
 * no program and no read. In the end each place that was written is programmed, in the order in
 * which superblocks were filled.
 */
#include "firmware/run/precondition_given.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/run/precondition_collect.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"

enum { GIVEN_AHEAD = 32, PLACE_AHEAD = 12, CHEAP = 2 };

#define NOTHING UINT32_MAX /* in the table: padding */

static void map_host_unit(struct env* e, uint64_t unit, uint64_t to)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (!ftl->pin(e, unit)) {
        HAL_PANIC(e->hal, "a page of the map is not in memory");
    }
    ftl->commit(e, unit, to);
    ftl->unpin(e, unit);
}

/* The next write unit of the stream gets the first `count` of append.numbers. from: where they lay,
 * NULL = the host writes them. Returns how many went, 0 = there is no space. */
static uint32_t place_units(struct env* e, uint32_t stream, uint32_t count, const uint64_t* from)
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
            table[base + s] = n < count ? (uint32_t)numbers[n] : NOTHING;
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

/* What waits goes, as much as a write unit takes. */
static int place_waiting(struct env* e)
{
    struct append* a = append_of(e);
    uint64_t* kept = env_dram(e, a->units);
    mem_copy(env_dram(e, a->numbers), kept, a->count * sizeof *kept);
    const uint32_t went = place_units(e, STREAM_HOST, a->count, NULL);
    a->count -= went;
    for (uint32_t i = 0; i < a->count; ++i) {
        kept[i] = kept[i + went];
    }
    return went != 0 ? 0 : -1;
}

/* Where a unit lies is known by now, and soon it lies there no more. */
static void prefetch_place(struct env* e, uint64_t unit)
{
    const uint64_t at = ftl_ops_of(e)->lookup(e, unit);
    if (ftl_known(at)) {
        __builtin_prefetch(blocks_valid_map(e) + (at & ~FTL_LOST) / 64, 1);
    }
}

int precondition_give(struct env* e, const uint64_t* units, uint32_t count)
{
    struct append* a = append_of(e);
    uint64_t* kept = env_dram(e, a->units);
    int status = 0;
    for (uint32_t i = 0; i < count && i < GIVEN_AHEAD; ++i) {
        ftl_ops_of(e)->prefetch(e, units[i]);
    }
    for (uint32_t i = 0; i < count && status == 0;) {
        const uint32_t room = precondition_next_units(e);
        for (; a->count < room && i < count; ++i) {
            kept[a->count++] = units[i];
            if (i + GIVEN_AHEAD < count) {
                ftl_ops_of(e)->prefetch(e, units[i + GIVEN_AHEAD]);
            }
            if (i + PLACE_AHEAD < count) {
                prefetch_place(e, units[i + PLACE_AHEAD]);
            }
        }
        if (room == 0 || a->count >= room) {
            status = room != 0 ? place_waiting(e) : -1;
        }
    }
    while (count == 0 && a->count != 0 && status == 0) {
        status = precondition_next_units(e) != 0 ? place_waiting(e) : -1;
    }
    FW_ASSERT(e, flash_in_flight(e) == 0);
    return status;
}

/* The next valid places of the victim from `at` on: append.from, and append.numbers of what lies
 * there. Returns where to go on. */
static uint64_t gather(struct env* e, uint64_t at, uint32_t count)
{
    const uint32_t* table = counts_of(e)->table;
    const uint64_t* map = blocks_valid_map(e);
    uint64_t* from = env_dram(e, append_of(e)->from);
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    for (uint32_t n = 0; n < count;) {
        const uint64_t word = map[at / 64] >> at % 64;
        if (word == 0) {
            at += 64 - at % 64;
            continue;
        }
        at += (uint64_t)__builtin_ctzll(word);
        from[n] = at;
        numbers[n] = table[at];
        ftl_ops_of(e)->prefetch(e, numbers[n]);
        ++n;
        ++at;
    }
    return at;
}

/* Under load the host writes on while a victim is collected, so that free space falls to what is
 * set aside; it rises to the high mark only while that costs little (gc/pace.c). */
static bool waits(struct env* e)
{
    const struct counts* c = counts_of(e);
    const uint32_t whole = e->geo->luns * e->geo->pages * e->geo->group;
    return counts_on(e) && c->paced && (uint64_t)c->found * CHEAP > whole - c->found;
}

/* A superblock is freed for each that the host opens: when that is half full, on average. */
static uint32_t late_mark(struct env* e)
{
    const uint32_t whole = e->geo->luns * e->geo->pages * e->geo->group;
    return blocks_set_aside(e) + (blocks_room(e, STREAM_HOST) < whole / 2 ? 2 : 1);
}

uint32_t precondition_low(struct env* e)
{
    return waits(e) ? late_mark(e) : gc_low(e);
}

uint32_t precondition_high(struct env* e)
{
    return waits(e) ? late_mark(e) : gc_high(e);
}

int precondition_given_move(struct env* e, uint32_t victim)
{
    const struct superblock* s = superblock_of(e, e->blocks, victim);
    counts_of(e)->found = s->valid;
    uint64_t at = ((uint64_t)victim * e->geo->pages) << e->geo->row_shift;
    while (s->valid != 0) {
        const uint32_t room = blocks_next_units(e, STREAM_GC);
        const uint32_t count = s->valid < room ? s->valid : room;
        if (count == 0) {
            return -1;
        }
        at = gather(e, at, count);
        const uint32_t went = place_units(e, STREAM_GC, count, env_dram(e, append_of(e)->from));
        FW_ASSERT(e, went == 0 || went == count);
        if (went == 0) {
            return -1;
        }
    }
    return 0;
}

/* Which copy lies in a place that is not valid. It was overwritten later, but the superblock that
 * it lies in now may have been dealt before: a power-up must not find an old copy newer. */
static uint64_t stale_copy(struct env* e, const struct counts* c, uint32_t unit)
{
    if (unit == NOTHING) {
        return FIRMWARE_NO_UNIT;
    }
    const uint64_t now = ftl_ops_of(e)->lookup(e, unit);
    const struct superblock* s = superblock_of(e, e->blocks, address_block(e->geo, now));
    return s->newest > c->last && s->newest <= c->end ? unit : FIRMWARE_NO_UNIT;
}

void precondition_given_deal(struct env* e, struct counts* c, uint64_t* units)
{
    const struct write_unit* w = &c->asked;
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    uint32_t n = 0;
    FW_ASSERT(e, w->units <= c->places && w->units <= c->room);
    for (uint32_t rest = w->plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = w->block, .page = w->page, .lun = w->lun, .plane = lowest_bit(rest)};
        const uint64_t base = unit_address(e->geo, &p, 0);
        for (uint32_t s = 0; s < e->geo->page_units; ++s, ++n) {
            const bool valid = blocks_valid(e, base + s);
            numbers[n] = valid ? c->table[base + s] : stale_copy(e, c, c->table[base + s]);
            units[n] = numbers[n];
            c->valid -= valid ? 1u : 0u;
        }
    }
    c->places -= w->units;
}
