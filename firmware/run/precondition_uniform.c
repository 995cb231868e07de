/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning with uniform overwrites, by counts (precondition_counts.c). In the end units are
 * dealt to the places that superblocks have counts of, and what lies there is programmed. Which
 * places of a superblock are valid is any choice alike, and which unit lies in a valid place is a
 * random order of all. Superblocks are dealt in the order in which they were written, so that
 * sequences rise as ever. A place that is not valid holds an old copy of a unit whose turn is still
 * to come.
 */
#include "firmware/run/precondition.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/run/precondition_collect.h"
#include "firmware/run/precondition_counts.h"
#include "firmware/run/precondition_given.h"
#include "firmware/space/blocks.h"
#include "firmware/space/lanes.h"
#include "firmware/space/retention.h"
#include "firmware/space/spare.h"

/* The counts alone are what the drive has: places, maps and pages of a limited time are not there
 * to be found by collection. */
static bool possible(struct env* e, const struct firmware_counted* what)
{
    bool empty = e->telemetry->valid == 0 && e->telemetry->map_units == 0;
    FW_ASSERT(e, sizeof(struct counts) <= (uint64_t)gc_buffers(e) << e->geo->unit_shift);
    for (uint32_t i = 0; i < e->geo->blocks && empty; ++i) {
        const uint8_t state = superblock_of(e, e->blocks, i)->state;
        empty = state == BLOCK_FREE || state == BLOCK_DEAD;
    }
    return empty && ftl_ops_of(e)->counts != 0 && !lanes_has(e, STREAM_HOST) && !retention_on(e) &&
           what->units != 0 && what->units <= e->geo->user_units &&
           what->room >= e->geo->page_units &&
           (what->table == NULL || e->geo->user_units < UINT32_MAX);
}

static int counts_begin(struct hal* hal, const struct firmware_counted* what)
{
    struct env e;
    fw_bind(&e, hal);
    FW_ASSERT(&e, fw_of(hal)->booted != 0);
    FW_ASSERT(&e, flash_in_flight(&e) == 0 && cache_at_rest(&e));
    if (!possible(&e, what)) {
        return -1;
    }
    struct counts* c = counts_of(&e);
    mem_zero(c, sizeof *c);
    c->fill = what->units;
    c->overwrites = what->overwrites;
    c->room = what->room;
    c->table = what->table;
    c->paced = what->paced != 0;
    c->random.state = what->seed;
    c->block = INDEX_NONE;
    ftl_precondition(&e, true);
    append_of(&e)->phase = APPEND_COUNTS;
    return 0;
}

static uint64_t counts_write(struct hal* hal, uint64_t count)
{
    struct env e;
    fw_bind(&e, hal);
    struct counts* c = counts_of(&e);
    uint64_t left = c->fill - c->written + c->overwrites;
    const uint64_t until = left > count ? left - count : 0;
    FW_ASSERT(&e, counts_on(&e));
    while (left > until) {
        const uint32_t room = precondition_next_units(&e);
        const uint32_t went =
            room != 0 ? precondition_count(&e, STREAM_HOST, left < room ? (uint32_t)left : room,
                                           INDEX_NONE)
                      : 0;
        if (went == 0) {
            return FIRMWARE_COUNTS_FULL;
        }
        left -= went;
    }
    if (left == 0) {
        c->end = flash_sequence(&e);
        shuffle_init(&c->shuffle, c->fill, &c->random);
    }
    FW_ASSERT(&e, flash_in_flight(&e) == 0);
    return left;
}

/* ---- Given units ---- */

static uint64_t counts_places(struct hal* hal)
{
    const struct geometry* g = &fw_of(hal)->geo;
    return ((uint64_t)g->blocks * g->pages) << g->row_shift;
}

static int counts_give(struct hal* hal, const uint64_t* units, uint32_t count)
{
    struct env e;
    fw_bind(&e, hal);
    struct counts* c = counts_of(&e);
    FW_ASSERT(&e, counts_on(&e) && c->table != NULL);
    const int status = precondition_give(&e, units, count);
    if (count == 0) {
        c->end = flash_sequence(&e);
    }
    return status;
}

static uint32_t counts_valid(struct hal* hal, uint32_t* units, uint32_t most)
{
    struct env e;
    fw_bind(&e, hal);
    const struct superblock* table = superblock_of(&e, e.blocks, 0);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e.geo->blocks && n < most; ++i) {
        if (table[i].state == BLOCK_FULL) {
            units[n++] = table[i].valid;
        }
    }
    return n;
}

/* ---- Deal ---- */

/* Of those that were written, the next one by the last write unit. false = none is left. */
static bool next_superblock(struct env* e, struct counts* c)
{
    struct superblock* table = superblock_of(e, e->blocks, 0);
    const uint64_t after = c->last;
    c->block = INDEX_NONE;
    c->last = UINT64_MAX;
    for (uint32_t i = 0; i < e->geo->blocks; ++i) {
        const struct superblock* s = table + i;
        if ((s->state == BLOCK_FULL || s->state == BLOCK_OPEN) && s->newest > after &&
            s->newest <= c->end && s->newest < c->last) {
            c->block = i;
            c->last = s->newest;
        }
    }
    if (c->block == INDEX_NONE) {
        return false;
    }
    c->page = 0;
    c->lun = 0;
    c->planes = 0;
    c->valid = table[c->block].valid;
    c->places = blocks_placed_units(e, c->block);
    if (c->table == NULL) {
        table[c->block].valid = 0; /* counted again as the map is told */
    }
    FW_ASSERT(e, c->valid <= c->places);
    return true;
}

/* The next page group of the superblock that was programmed, or as much of it as is asked for at a
 * time. */
static bool next_group(struct env* e, struct counts* c, struct write_unit* w)
{
    const struct geometry* g = e->geo;
    const uint32_t fit = c->room / g->page_units;
    const uint32_t most = g->multi_plane != 0 ? (fit < g->planes ? fit : g->planes) : 1;
    FW_ASSERT(e, most != 0);
    for (; c->page < g->pages; ++c->page, c->lun = 0) {
        for (; c->lun < g->luns; ++c->lun, c->planes = 0) {
            uint32_t rest = blocks_placed_planes(e, c->block, c->lun, c->page) & ~c->planes;
            if (rest == 0) {
                continue;
            }
            w->block = c->block;
            w->page = c->page;
            w->lun = c->lun;
            w->plane_mask = 0;
            w->units = 0;
            for (uint32_t n = 0; n < most && rest != 0; ++n, rest &= rest - 1) {
                w->plane_mask |= rest & (0u - rest);
                w->units += g->page_units;
            }
            c->planes |= w->plane_mask;
            return true;
        }
    }
    return false;
}

/* Whose copy lies in a place that is not valid. Units of this write unit have its sequence too, so
 * it is one that comes behind them. */
static uint64_t stale_unit(struct counts* c, uint64_t behind)
{
    const uint64_t left = c->fill - behind;
    if (left == 0) {
        return FIRMWARE_NO_UNIT;
    }
    const uint32_t some = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
    return shuffle_at(&c->shuffle, behind + random_below(&c->random, some));
}

/* What the places of the write unit hold: append.numbers; append.from is not FTL_NONE where that is
 * valid. */
static void deal_units(struct env* e, struct counts* c, uint64_t* units)
{
    uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    uint64_t* from = env_dram(e, append_of(e)->from);
    uint64_t behind = c->dealt;
    FW_ASSERT(e, c->asked.units <= c->places && c->asked.units <= c->room);
    for (uint32_t n = 0; n < c->asked.units; ++n, --c->places) {
        const bool valid = random_below(&c->random, c->places) < c->valid;
        from[n] = valid ? behind++ : FTL_NONE;
        c->valid -= valid ? 1u : 0u;
    }
    for (uint32_t n = 0; n < c->asked.units; ++n) {
        const bool valid = from[n] != FTL_NONE;
        numbers[n] = valid ? shuffle_at(&c->shuffle, from[n]) : stale_unit(c, behind);
        units[n] = numbers[n];
        if (valid) {
            ftl_ops_of(e)->prefetch(e, numbers[n]);
        }
    }
    c->dealt = behind;
}

static void map_dealt(struct env* e, const struct write_unit* w)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t* numbers = env_dram(e, append_of(e)->numbers);
    const uint64_t* from = env_dram(e, append_of(e)->from);
    uint32_t n = 0;
    for (uint32_t rest = w->plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = w->block, .page = w->page, .lun = w->lun, .plane = lowest_bit(rest)};
        const uint64_t base = unit_address(e->geo, &p, 0);
        for (uint32_t s = 0; s < e->geo->page_units; ++s, ++n) {
            if (from[n] == FTL_NONE) {
                continue;
            }
            if (!ftl->pin(e, numbers[n])) {
                HAL_PANIC(e->hal, "a page of the map is not in memory");
            }
            ftl->commit(e, numbers[n], base + s);
            ftl->unpin(e, numbers[n]);
        }
    }
    FW_ASSERT(e, n == w->units);
}

static void program_dealt(struct env* e, const struct write_unit* w, uint64_t buffer)
{
    const struct append* a = append_of(e);
    const uint64_t* numbers = env_dram(e, a->numbers);
    uint64_t* oob = env_dram(e, a->oob);
    struct flash_desc d;
    uint32_t fail = 0;
    uint32_t at = 0;
    for (uint32_t n = 0; n < w->units; ++n) {
        at += n % e->geo->page_units == 0 ? 1u : 0u; /* the page's header */
        oob[at++] = numbers[n] == FIRMWARE_NO_UNIT ? spare_pack(SPARE_PAD, 0)
                                                   : spare_pack(SPARE_DATA, numbers[n]);
    }
    FW_ASSERT(e, at <= e->geo->planes * spare_words(e->geo));
    spare_seal(e, oob, count_bits(w->plane_mask), flash_next_sequence(e));
    superblock_of(e, e->blocks, w->block)->newest = flash_sequence(e);
    precondition_describe(e, w, &d, FLASH_OP_PROGRAM);
    d.buffer = buffer;
    d.oob = a->oob;
    if (flash_execute(e, &d, w->lun, &fail) != FLASH_STATUS_OK) {
        HAL_PANIC(e->hal, "the flash refused a program while preconditioning");
    }
    flash_reaches_all(e);
}

static uint32_t deal(struct hal* hal, uint64_t* units, uint64_t buffer)
{
    struct env e;
    fw_bind(&e, hal);
    struct counts* c = counts_of(&e);
    const bool given = c->table != NULL;
    FW_ASSERT(&e, counts_on(&e) && append_of(&e)->count == 0);
    FW_ASSERT(&e, given || (c->written == c->fill && c->overwrites == 0));
    if (c->asked.units != 0) {
        program_dealt(&e, &c->asked, buffer);
        if (!given) {
            map_dealt(&e, &c->asked);
        }
    }
    while (c->block == INDEX_NONE || !next_group(&e, c, &c->asked)) {
        FW_ASSERT(&e, c->block == INDEX_NONE || (c->valid == 0 && c->places == 0));
        if (!next_superblock(&e, c)) {
            FW_ASSERT(&e, given || c->dealt == c->fill);
            append_of(&e)->phase = APPEND_FILLS;
            c->table = NULL;
            return 0;
        }
    }
    if (given) {
        precondition_given_deal(&e, c, units);
    } else {
        deal_units(&e, c, units);
    }
    return c->asked.units;
}

const struct firmware_counts append_counts = {
    .begin = counts_begin,
    .write = counts_write,
    .places = counts_places,
    .give = counts_give,
    .valid = counts_valid,
    .deal = deal,
};
