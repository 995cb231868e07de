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
#include "firmware/run/precondition_counts.h"
#include "firmware/space/blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/valid.h"

enum { GIVEN_AHEAD = 32, PLACE_AHEAD = 12 };

/* What waits goes, as much as a write unit takes. */
static int place_waiting(struct env* e)
{
    struct append* a = append_of(e);
    uint64_t* kept = env_dram(e, a->units);
    mem_copy(env_dram(e, a->numbers), kept, a->count * sizeof *kept);
    const uint32_t went = precondition_count_given(e, STREAM_HOST, a->count, NULL);
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

/* Which copy lies in a place that is not valid. It was overwritten later, but the superblock that
 * it lies in now may have been dealt before: a power-up must not find an old copy newer. */
static uint64_t stale_copy(struct env* e, const struct counts* c, uint32_t unit)
{
    if (unit == COUNTS_NOTHING) {
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
