/* SPDX-License-Identifier: Apache-2.0
 *
 * Preconditioning: collection, merges, and the erases behind them.
 */
#include "firmware/run/precondition_collect.h"

#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/gc/policy.h"
#include "firmware/gc/victim.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps_program.h"
#include "firmware/ops/engine.h"
#include "firmware/run/precondition_counts.h"
#include "firmware/run/precondition_lanes.h"
#include "firmware/run/precondition_write.h"
#include "firmware/slc/policy.h"
#include "firmware/space/blocks.h"
#include "firmware/space/erase.h"
#include "firmware/space/lanes.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

enum { COLLECT_ROUNDS = 1 << 20, MERGE_ROUNDS = 1 << 20, MAP_TRIES = 64, MAP_ROUNDS = 64 };

struct collector { /* on the stack of one collection */
    uint32_t victim;
    uint32_t row;   /* next row (page, all LUNs) */
    uint32_t lun;   /* next LUN of the row */
    uint32_t ring;  /* read buffer in use */
    uint32_t count; /* units waiting for a write unit */
    uint32_t maps;  /* map pages that have not left the victim */
    bool maps_only; /* nothing else is looked for */
    uint64_t address[2 * GROUP_MAX];
    uint64_t unit[2 * GROUP_MAX];
    uint64_t from[2 * GROUP_MAX];
};

struct page_read { /* one plane of what a collection read */
    uint64_t data;
    const uint64_t* words;
};

/* The next page group of the victim with valid units: which planes have some, and which units. */
static uint32_t next_group(struct env* e, struct collector* c, struct write_unit* w,
                           uint32_t* valid)
{
    const struct geometry* g = e->geo;
    const uint64_t* map = blocks_valid_map(e);
    while (c->row < g->pages && w->plane_mask == 0) {
        const struct place p = {.block = c->victim, .page = c->row, .lun = c->lun};
        const uint64_t base = unit_address(g, &p, 0);
        for (uint32_t plane = 0; plane < g->planes; ++plane) {
            valid[plane] =
                bitmap_field(map, base + ((uint64_t)plane << g->unit_bits), g->page_units);
            w->plane_mask |= valid[plane] != 0 ? 1u << plane : 0u;
        }
        w->page = c->row;
        w->lun = c->lun;
        if (++c->lun == g->luns) {
            c->lun = 0;
            ++c->row;
        }
    }
    return w->plane_mask;
}

static void settle_maps(struct env* e)
{
    blocks_relocate(e, MAPS_ALL_QUEUES);
    precondition_settle(e);
    blocks_relocate(e, 0);
}

/* A map page is to leave the victim, in a write unit with others: one of its own would take as much
 * room as the victim gives back. true = it has. */
static bool relocate(struct env* e, uint64_t word, uint64_t from)
{
    const uint64_t* valid = blocks_valid_map(e);
    for (uint32_t i = 0; i < MAP_TRIES && bitmap_get(valid, from); ++i) {
        if (maps_relocate(e, word, from)) {
            break;
        }
        settle_maps(e);
    }
    return !bitmap_get(valid, from);
}

/* Queues the valid units of a page that was read to `data`. */
static void collect_page(struct env* e, struct collector* c, const struct place* p, uint32_t valid,
                         const struct page_read* read)
{
    const struct geometry* g = e->geo;
    uint64_t sequence = 0;
    const bool whole = spare_read(e, read->words, &sequence);
    for (uint32_t rest = valid; rest != 0; rest &= rest - 1) {
        const uint32_t s = lowest_bit(rest);
        const uint64_t from = unit_address(g, p, s);
        const uint64_t map_word = maps_word(e, from, whole ? &read->words[1 + s] : NULL);
        if (map_word != 0) {
            c->maps += relocate(e, map_word, from) ? 0u : 1u;
        }
        if (map_word != 0 || c->maps_only) {
            continue;
        }
        const uint64_t unit =
            whole ? spare_unpack(read->words[1 + s]).index : ftl_ops_of(e)->owner(e, from);
        FW_ASSERT(e, unit < g->user_units);
        ftl_ops_of(e)->prefetch(e, unit);
        c->address[c->count] = read->data + ((uint64_t)s << g->unit_shift);
        c->unit[c->count] = unit;
        c->from[c->count] = from;
        ++c->count;
    }
    FW_ASSERT(e, c->count < 2 * GROUP_MAX);
}

/* Units wait for others of their bin (precondition_lanes.c). */
static bool by_bins(const struct env* e)
{
    return lanes_keyed(e) && !planes_own(e);
}

/* Reads every plane with valid units of the next page group of the victim, and queues the units
 * that the map still points to. Returns false when the victim is through. */
static bool collect_group(struct env* e, struct collector* c)
{
    const struct geometry* g = e->geo;
    struct write_unit w = {.block = c->victim};
    struct flash_desc d;
    uint32_t fail = 0;
    uint32_t valid[8];
    FW_ASSERT(e, c->count < g->group);
    if (next_group(e, c, &w, valid) == 0) {
        return false;
    }
    const uint64_t buffer = gc_buffer_data(e, c->ring * g->group);
    precondition_describe(e, &w, &d, FLASH_OP_READ);
    d.buffer = buffer;
    d.oob = append_of(e)->oob;
    if (flash_execute(e, &d, w.lun, &fail) != FLASH_STATUS_OK) {
        HAL_PANIC(e->hal, "unreadable page while preconditioning");
    }
    c->ring = by_bins(e) || c->ring == g->group ? 0 : c->ring + 1;
    struct page_read read = {buffer, env_dram(e, d.oob)};
    for (uint32_t rest = w.plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = c->victim, .page = w.page, .lun = w.lun, .plane = lowest_bit(rest)};
        collect_page(e, c, &p, valid[p.plane], &read);
        read.data += g->page_size;
        read.words += spare_words(g);
    }
    return true;
}

static int spread_collected(struct env* e, struct collector* c)
{
    for (uint32_t n = 0; n < c->count; ++n) {
        const struct gc_unit unit = {c->unit[n], c->from[n]};
        if (precondition_lanes_collected(e, &unit, c->address[n]) != 0) {
            return -1;
        }
    }
    c->count = 0;
    return 0;
}

/* all: with padding. */
static int write_collected(struct env* e, struct collector* c, bool all)
{
    const struct append* a = append_of(e);
    const bool apart = planes_own(e);
    const uint32_t lane = apart ? lane_of_block(e->geo, c->victim) : INDEX_NONE;
    if (by_bins(e)) {
        return spread_collected(e, c);
    }
    while (c->count != 0) {
        const uint32_t units = apart ? e->geo->page_units : blocks_next_units(e, STREAM_GC);
        if (units == 0) {
            return -1;
        }
        if (c->count < units && !all) {
            return 0;
        }
        const uint32_t n = c->count < units ? c->count : units;
        mem_copy(env_dram(e, a->list), c->address, n * sizeof c->address[0]);
        mem_copy(env_dram(e, a->numbers), c->unit, n * sizeof c->unit[0]);
        const struct source source = {0, c->from, INDEX_NONE, lane};
        const uint32_t went = precondition_program(e, STREAM_GC, n, &source);
        FW_ASSERT(e, went <= c->count);
        if (went == 0) {
            return -1;
        }
        c->count -= went;
        for (uint32_t i = 0; i < c->count; ++i) {
            c->address[i] = c->address[i + went];
            c->unit[i] = c->unit[i + went];
            c->from[i] = c->from[i + went];
        }
    }
    return 0;
}

/* Map pages that wait for company, or had no buffer, leave the victim. -1 = there is no space. */
static int empty_of_maps(struct env* e, struct collector* c)
{
    c->maps_only = true;
    for (uint32_t i = 0; i < MAP_ROUNDS && c->maps != 0; ++i) {
        maps_hurry_all(e);
        settle_maps(e);
        c->maps = 0;
        c->row = 0;
        c->lun = 0;
        while (collect_group(e, c)) {
        }
    }
    return c->maps != 0 ? -1 : 0;
}

/* What is valid of the victim goes elsewhere. -1 = there is no space. */
static int empty_victim(struct env* e, struct collector* c)
{
    FW_ASSERT(e, c->count == 0 || by_bins(e));
    if (counts_on(e)) {
        return precondition_counts_move(e, c->victim);
    }
    c->row = 0;
    c->lun = 0;
    c->maps = 0;
    c->maps_only = false;
    while (collect_group(e, c)) {
        if (write_collected(e, c, false) != 0) {
            return -1;
        }
    }
    /* What is left is short of a write unit; the victim must go, so it is padded. */
    return write_collected(e, c, true) != 0 ? -1 : empty_of_maps(e, c);
}

void precondition_erase(struct env* e)
{
    struct erase_piece piece;
    struct flash_desc d;
    if (lookup_is_there(e)) {
        engine_rests(e);
    }
    while (blocks_next_erase(e, &piece)) {
        const struct write_unit w = {
            .block = piece.block, .lun = piece.lun, .plane_mask = piece.plane_mask};
        uint32_t fail = 0;
        precondition_describe(e, &w, &d, FLASH_OP_ERASE);
        d.page = counts_on(e) ? e->geo->pages : 0; /* it was full, and none came to the cells */
        (void)flash_execute(e, &d, piece.lun, &fail);
        blocks_erased(e, piece.block, piece.lun, fail);
    }
}

/* The next victim, of one plane if they are collected each by itself. 0 = its data are elsewhere;
 * found = there was one. */
static int collect_one(struct env* e, struct collector* c, uint32_t lane, bool* found)
{
    c->victim = gc_choose(e, lane, 0);
    *found = c->victim != INDEX_NONE;
    if (!*found) {
        return 0;
    }
    struct superblock* s = superblock_of(e, e->blocks, c->victim);
    FW_ASSERT(e, blocks_known(s));
    s->state = BLOCK_VICTIM;
    s->purpose = FLASH_PURPOSE_PRECONDITION;
    if (empty_victim(e, c) != 0) {
        return -1;
    }
    ++e->telemetry->gc_runs;
    blocks_collected(e, c->victim);
    return 0;
}

int precondition_collect_planes(struct env* e)
{
    struct collector c;
    int status = 0;
    c.ring = 0;
    c.count = 0;
    for (uint32_t lane = 0; lane < planes_count(e) && status == 0; ++lane) {
        bool found = bitmap_get(planes_work(e), lane);
        const uint32_t mark = found && planes_free(e)[lane] < gc_low(e) ? gc_high(e) : 0;
        while (status == 0 && found && planes_free(e)[lane] < mark) {
            status = collect_one(e, &c, lane, &found);
            precondition_erase(e);
        }
        bitmap_clear(planes_work(e), lane);
        bitmap_clear(planes_hope(e), lane);
    }
    FW_ASSERT(e, gc_is_idle(e));
    return status;
}

/* The dynamic part of an SLC cache gives way to data, as it does while the drive works: what it has
 * turned is free space that no victim gives. */
static void turn_back(struct env* e)
{
    if (slc_turned(e) != 0) {
        slc_adapt(e, gc_high(e));
        precondition_settle(e);
    }
}

int precondition_collect(struct env* e)
{
    struct collector c;
    bool found = true;
    c.ring = 0;
    c.count = 0;
    FW_ASSERT(e, gc_is_idle(e));
    FW_ASSERT(e, gc_buffers(e) >= (e->geo->group + 1) * e->geo->group);
    turn_back(e);
    for (uint32_t i = 0; i < COLLECT_ROUNDS && precondition_lacks_room(e, true); ++i) {
        if (collect_one(e, &c, INDEX_NONE, &found) != 0) {
            return -1;
        }
        if (!found) {
            break;
        }
        /* What waits for others of its bin holds its superblock: not the last ones. */
        if (lanes_keyed(e) && blocks_free(e) <= RESERVE_FREE && precondition_lanes_flush(e) != 0) {
            return -1;
        }
        precondition_erase(e);
    }
    if (lanes_keyed(e) && precondition_lanes_flush(e) != 0) {
        return -1;
    }
    precondition_erase(e);
    return found || blocks_free(e) > RESERVE_FREE ? 0 : -1;
}

bool precondition_empty_log(struct env* e)
{
    const struct ftl_layout* layout = ftl_layout_of(e);
    for (uint32_t i = 0; i < MERGE_ROUNDS; ++i) {
        if (layout->room(e) && layout->idle(e)) {
            break;
        }
        layout->step(e);
        precondition_settle(e);
        precondition_erase(e);
    }
    return layout->idle(e);
}

/* A plane in which nothing was to be gained is not looked at again before it opens a block, which
 * it cannot without room. By the time that no plane has any, overwrites have left some garbage. */
static uint32_t next_units_in_planes(struct env* e)
{
    const uint32_t units =
        precondition_collect_planes(e) == 0 ? blocks_next_units(e, STREAM_HOST) : 0;
    if (units != 0) {
        return units;
    }
    planes_count_free(e);
    return precondition_collect_planes(e) == 0 ? blocks_next_units(e, STREAM_HOST) : 0;
}

/* Collection does what it owes for what the host has written, as in simulated time, and in idle
 * time what it wants. Its reads and programs end at once; what it has read waits in its buffers. */
void precondition_pay(struct env* e)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = gc_gets_on(e) && (gc_owes(e) || append_of(e)->phase == APPEND_IDLE);
        precondition_settle(e);
        precondition_erase(e);
    }
}

static uint32_t next_units_of_load(struct env* e)
{
    precondition_pay(e);
    uint32_t units = blocks_next_units(e, STREAM_HOST);
    for (uint32_t i = 0; i < COLLECT_ROUNDS && units == 0 && e->telemetry->read_only == 0; ++i) {
        gc_host_waits(e);
        precondition_pay(e);
        units = blocks_next_units(e, STREAM_HOST);
    }
    return units;
}

uint32_t precondition_next_units(struct env* e)
{
    if (precondition_is_load(e)) {
        return next_units_of_load(e);
    }
    if (!ftl_layout_of(e)->room(e) && !precondition_empty_log(e)) {
        return 0;
    }
    if (planes_own(e)) {
        return next_units_in_planes(e);
    }
    if (precondition_lacks_room(e, false) && precondition_collect(e) != 0) {
        return 0;
    }
    FW_ASSERT(e, blocks_free(e) != 0);
    return blocks_next_units(e, STREAM_HOST);
}
