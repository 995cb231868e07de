/* SPDX-License-Identifier: Apache-2.0
 *
 * Tracker of shallow pages: stamps, the wheel, and what of them outlives a loss of power. Which
 * host writes are shallow, and the predictor of how long their data live.
 */
#include "firmware/space/retention.h"

#include "firmware/drv/channel.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "models/regs/parts/retention.h"

static struct retained* retained_of(struct env* e, uint32_t block)
{
    FW_ASSERT(e, e->retention->on != 0 && block < e->geo->blocks);
    return env_dram_entry(e, e->retention->table, block, sizeof(struct retained));
}

static struct chain* slot_of(struct env* e, uint64_t slice)
{
    return env_dram_entry(e, e->retention->wheel, slice % RETENTION_WHEEL, sizeof(struct chain));
}

static struct link* links_of(struct env* e)
{
    return (struct link*)env_dram(e, e->retention->links);
}

static uint8_t* stamp_of(struct env* e, uint64_t index)
{
    return (uint8_t*)env_dram(e, e->retention->stamps) + index;
}

/* Pages of a superblock, with the places that no LUN or plane has. */
static uint64_t pages_of(const struct env* e)
{
    return (uint64_t)e->geo->pages << (e->geo->row_shift - e->geo->unit_bits);
}

static uint64_t slice_now(struct env* e)
{
    return retention_now(e) / e->retention->slice_ns;
}

int retention_init(struct env* e)
{
    const struct boot_retention* told = e->told.retention;
    struct retention* r = e->retention;
    const struct geometry* g = e->geo;
    r->policy = told->policy;
    r->block = INDEX_NONE;
    r->hurried = INDEX_NONE;
    if (told->limit_ns == 0) {
        return 0;
    }
    if (told->limit_ns < RETENTION_SLICES || told->margin_ns >= told->limit_ns ||
        told->margin_ns < told->limit_ns / RETENTION_SLICES) { /* ages are not known better */
        hal_log(e->hal, HAL_LOG_ERROR, "retention, and its margin, in ns", told->limit_ns,
                told->margin_ns);
        return -1;
    }
    r->on = 1;
    r->rewrites = told->rewrite;
    e->blocks->retained = 1;
    r->slice_ns = told->limit_ns / RETENTION_SLICES;
    r->table = dram_take(e, (uint64_t)g->blocks * sizeof(struct retained));
    r->links = dram_take(e, (uint64_t)g->blocks * sizeof(struct link));
    r->wheel = dram_take(e, RETENTION_WHEEL * sizeof(struct chain));
    r->stamps = dram_take_pages(e, g->blocks * pages_of(e));
    if (told->policy == SHALLOW_PREDICTED) {
        r->regions = dram_take_pages(e, (uint64_t)told->regions * sizeof(struct region));
    }
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    for (uint32_t n = 0; n < RETENTION_WHEEL; ++n) {
        chain_init(slot_of(e, n));
    }
    FW_ASSERT(e, r->slice_ns != 0);
    return 0;
}

/* ---- Stamps ---- */

static uint8_t stamp_at(uint64_t slice, bool deep)
{
    return (uint8_t)(1u + slice % RETENTION_AGES + (deep ? STAMP_DEEP : 0u));
}

/* Counted from the oldest page of the superblock, not from now: what is late goes on ageing while
 * it waits, and must not become young when its stamp comes round again. */
bool retention_slice(struct env* e, uint64_t index, uint64_t* slice, bool* deep)
{
    const uint8_t stamp = *stamp_of(e, index);
    if (stamp == 0) {
        return false;
    }
    const uint32_t block = address_block(e->geo, index << e->geo->unit_bits);
    const uint64_t oldest = retained_of(e, block)->since / e->retention->slice_ns;
    const uint64_t then = (stamp & STAMP_AGE) - 1u;
    FW_ASSERT(e, then < RETENTION_AGES);
    *slice = oldest + (then + RETENTION_AGES - oldest % RETENTION_AGES) % RETENTION_AGES;
    *deep = (stamp & STAMP_DEEP) != 0;
    return true;
}

void retention_forget_page(struct env* e, uint64_t index)
{
    FW_ASSERT(e, index < e->geo->blocks * pages_of(e));
    *stamp_of(e, index) = 0;
}

void retention_invalid(struct env* e, uint64_t address)
{
    e->retention->died = *stamp_of(e, address >> e->geo->unit_bits);
}

/* ---- The wheel ---- */

static void list(struct env* e, uint32_t block, uint64_t since, bool first)
{
    struct retention* r = e->retention;
    struct retained* b = retained_of(e, block);
    const uint64_t slice = since / r->slice_ns;
    FW_ASSERT(e, !b->listed);
    b->since = since;
    b->listed = true;
    if (e->telemetry->retention.tracked == 0 || slice < r->hand) {
        r->hand = slice;
        run_due(e, DUE_TIMER); /* something is due earlier than it was */
    }
    ++e->telemetry->retention.tracked;
    if (first) {
        chain_prepend(slot_of(e, slice), links_of(e), block);
    } else {
        chain_append(slot_of(e, slice), links_of(e), block);
    }
}

static void unlist(struct env* e, uint32_t block)
{
    struct retained* b = retained_of(e, block);
    if (!b->listed) {
        return;
    }
    FW_ASSERT(e, e->telemetry->retention.tracked > 0);
    --e->telemetry->retention.tracked;
    b->listed = false;
    chain_remove(slot_of(e, b->since / e->retention->slice_ns), links_of(e), block);
}

void retention_begin(struct env* e, uint32_t block)
{
    FW_ASSERT(e, e->retention->block == INDEX_NONE);
    unlist(e, block);
    e->retention->block = block;
    e->retention->rest = UINT64_MAX;
    run_due(e, DUE_TIMER); /* it becomes urgent */
}

void retention_stays(struct env* e, uint64_t slice)
{
    struct retention* r = e->retention;
    r->rest = slice < r->rest ? slice : r->rest;
}

void retention_end(struct env* e)
{
    struct retention* r = e->retention;
    const uint32_t block = r->block;
    FW_ASSERT(e, block != INDEX_NONE);
    r->block = INDEX_NONE;
    run_due(e, DUE_TIMER); /* the next one is due */
    if (r->rest != UINT64_MAX) {
        list(e, block, r->rest * r->slice_ns, true);
    }
}

void retention_hurry(struct env* e, uint32_t block)
{
    unlist(e, block);
    e->retention->hurried = block;
    e->retention->rest = UINT64_MAX;
}

/* The hand passes no slot twice, but when superblocks are late by twice the retention: then one
 * that is younger may hang in the slot of one that is older, and goes after it. */
uint32_t retention_first(struct env* e)
{
    struct retention* r = e->retention;
    const uint64_t now = slice_now(e);
    if (e->telemetry->retention.tracked == 0) {
        return INDEX_NONE;
    }
    for (uint32_t left = RETENTION_WHEEL; left != 0 && r->hand < now; --left) {
        if (slot_of(e, r->hand)->first != INDEX_NONE) {
            break;
        }
        ++r->hand;
    }
    return slot_of(e, r->hand)->first;
}

uint64_t retention_due(struct env* e, uint32_t block)
{
    const struct boot_retention* s = e->told.retention;
    FW_ASSERT(e, s->margin_ns < s->limit_ns);
    return retained_of(e, block)->since + s->limit_ns - s->margin_ns;
}

uint64_t retention_margin(const struct env* e)
{
    return e->told.retention->margin_ns;
}

uint64_t retention_lost_at(const struct env* e, uint64_t slice)
{
    return slice * e->retention->slice_ns + e->told.retention->limit_ns;
}

uint64_t retention_due_slice(struct env* e)
{
    const struct boot_retention* s = e->told.retention;
    return (retention_now(e) - (s->limit_ns - s->margin_ns)) / e->retention->slice_ns;
}

void retention_erased(struct env* e, uint32_t block)
{
    struct retention* r = e->retention;
    unlist(e, block);
    retained_of(e, block)->restored = false;
    retained_of(e, block)->shallow = false;
    mem_zero(stamp_of(e, block * pages_of(e)), pages_of(e));
    if (r->block == block) { /* collection took it, and stands still since */
        r->block = INDEX_NONE;
        run_due(e, DUE_GC | DUE_TIMER); /* it goes on with the next one */
    }
    r->hurried = r->hurried == block ? INDEX_NONE : r->hurried;
    FW_ASSERT(e, !retained_of(e, block)->listed);
}

/* ---- Host programs ---- */

static void stamp_pages(struct env* e, const struct flash_request* r, uint8_t stamp)
{
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1) {
        const struct place p = {
            .block = r->block, .page = r->page, .lun = r->lun, .plane = lowest_bit(rest)};
        *stamp_of(e, unit_address(e->geo, &p, 0) >> e->geo->unit_bits) = stamp;
    }
    FW_ASSERT(e, r->plane_mask != 0);
}

uint64_t retention_program(struct env* e, struct flash_request* r, int shallow)
{
    struct retention* t = e->retention;
    const uint32_t pages = count_bits(r->plane_mask);
    r->deep = !shallow;
    FW_ASSERT(e, r->op == FLASH_OP_PROGRAM && r->owner == OWNER_PROGRAM);
    if (t->on == 0) {
        return 0;
    }
    e->telemetry->retention.shallow_pages += shallow ? pages : 0;
    e->telemetry->retention.deep_pages += shallow ? 0 : pages;
    if (!shallow && e->told.retention->policy != SHALLOW_PREDICTED) {
        return 0;
    }
    const uint64_t now = retention_now(e);
    const uint64_t slice = now / t->slice_ns;
    struct retained* b = retained_of(e, r->block);
    b->shallow |= shallow;
    stamp_pages(e, r, stamp_at(slice, !shallow));
    if (t->block == r->block) {
        retention_stays(e, slice); /* it is behind the page looked at, or not */
    } else if (!b->listed) {
        list(e, r->block, now, false);
    }
    return shallow ? (1 + slice % RETENTION_STAMPS) << RETENTION_STAMP_SHIFT : 0;
}

/* ---- Loss of power ---- */

/* Of each superblock 1 + the time of its oldest page, 0 = it has none. */
uint64_t retention_bytes(const struct env* e)
{
    FW_ASSERT(e, e->geo->blocks != 0);
    return e->retention->on != 0 ? (uint64_t)e->geo->blocks * RETENTION_TABLE_BYTES : 0;
}

void retention_store(struct env* e, void* to)
{
    const struct retention* r = e->retention;
    uint64_t* word = to;
    for (uint32_t i = 0; i < e->geo->blocks && r->on != 0; ++i) {
        const struct retained* b = retained_of(e, i);
        const bool looked_at = r->block == i || r->hurried == i;
        const bool tracked = b->shallow && (b->listed || looked_at);
        word[i] = tracked ? 1 + b->since : 0;
        /* Units on their way out have no stamp any more, and may never arrive: due at once. */
        if (b->shallow && superblock_of(e, e->blocks, i)->pending != 0) {
            word[i] = 1;
        }
    }
    FW_ASSERT(e, r->on <= 1);
}

/* The age of a time that was told, in slices. */
static uint64_t age_of(struct env* e, uint64_t slice)
{
    const uint64_t now = slice_now(e);
    return slice <= now && now - slice < RETENTION_AGES ? now - slice : RETENTION_AGES - 1;
}

/* Until its own words tell better, each page of a superblock is as old as the oldest. */
void retention_load(struct env* e, const void* from)
{
    const struct retention* r = e->retention;
    const uint64_t* word = from;
    for (uint32_t i = 0; i < e->geo->blocks && r->on != 0; ++i) {
        if (word[i] == 0) {
            continue;
        }
        const uint64_t slice = slice_now(e) - age_of(e, (word[i] - 1) / r->slice_ns);
        struct retained* b = retained_of(e, i);
        b->restored = true;
        b->since = slice * r->slice_ns;
        mem_fill(stamp_of(e, i * pages_of(e)), stamp_at(slice, false), pages_of(e));
    }
    FW_ASSERT(e, r->on <= 1);
}

void retention_found(struct env* e, const struct flash_request* r, uint32_t plane, uint64_t word)
{
    const struct place p = {.block = r->block, .page = r->page, .lun = r->lun, .plane = plane};
    const uint64_t told = spare_unpack(word).check;
    struct retention* t = e->retention;
    if (t->on == 0) {
        return;
    }
    uint8_t* stamp = stamp_of(e, unit_address(e->geo, &p, 0) >> e->geo->unit_bits);
    FW_ASSERT(e, plane < e->geo->planes);
    *stamp = 0;
    if (spare_unpack(word).kind != SPARE_DATA || told == 0) {
        return;
    }
    const uint64_t now = slice_now(e) % RETENTION_STAMPS;
    uint64_t age = (now + RETENTION_STAMPS - (told - 1)) % RETENTION_STAMPS;
    age = age < RETENTION_AGES ? age : RETENTION_AGES - 1;
    const uint64_t slice = slice_now(e) - age;
    struct retained* b = retained_of(e, r->block);
    b->since = b->restored && b->since < slice * t->slice_ns ? b->since : slice * t->slice_ns;
    b->restored = true;
    *stamp = stamp_at(slice, false);
}

void retention_resume(struct env* e)
{
    for (uint32_t i = 0; i < e->geo->blocks && e->retention->on != 0; ++i) {
        const uint8_t state = superblock_of(e, e->blocks, i)->state;
        struct retained* b = retained_of(e, i);
        if (b->restored && (state == BLOCK_OPEN || state == BLOCK_FULL)) {
            list(e, i, b->since, false);
            b->shallow = true;
        }
        b->restored = false;
    }
}

/* ---- Which host writes are shallow ---- */

enum {
    OUTCOMES_MOST = 64, /* of a region: then both counts are halved, so that it forgets */
    PROBE_SHIFT = 60    /* one write in 2^4 of a region that is written deep is a probe */
};

static struct region* region_of(struct env* e, uint64_t unit)
{
    const struct retention* r = e->retention;
    const uint64_t n = unit * e->told.retention->regions / e->geo->user_units;
    FW_ASSERT(e, unit < e->geo->user_units && n < e->told.retention->regions);
    return env_dram_entry(e, r->regions, n, sizeof(struct region));
}

/* The same unit with the same data gives the same answer, so that a write unit that could not go
 * finds the same units again. */
static bool probes(uint64_t unit, uint64_t sequence)
{
    uint64_t x = (unit + (sequence << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 31;
    return (x * UINT64_C(0xBF58476D1CE4E5B9)) >> PROBE_SHIFT == 0;
}

bool retention_dies_in_time(struct env* e, uint64_t unit, uint64_t sequence)
{
    const struct region* g = region_of(e, unit);
    const uint32_t outcomes = (uint32_t)g->died + g->survived;
    FW_ASSERT(e, outcomes <= OUTCOMES_MOST);
    return g->survived * 1000u <= outcomes * e->told.retention->threshold || probes(unit, sequence);
}

bool retention_is_small(const struct env* e, uint64_t bytes)
{
    return bytes <= e->told.retention->small;
}

static void learn(struct env* e, uint64_t unit, int survived)
{
    if (e->told.retention->policy != SHALLOW_PREDICTED) {
        return;
    }
    struct region* g = region_of(e, unit);
    g->survived = (uint8_t)(g->survived + (survived ? 1 : 0));
    g->died = (uint8_t)(g->died + (survived ? 0 : 1));
    if ((uint32_t)g->died + g->survived >= OUTCOMES_MOST) {
        g->survived /= 2;
        g->died /= 2;
    }
    FW_ASSERT(e, (uint32_t)g->died + g->survived < OUTCOMES_MOST);
}

void retention_died(struct env* e, uint64_t unit)
{
    struct retention* r = e->retention;
    struct telemetry_retention* s = &e->telemetry->retention;
    const uint32_t stamp = r->died;
    FW_ASSERT(e, r->on != 0 && (stamp & STAMP_AGE) != 0);
    r->died = 0;
    if ((stamp & STAMP_DEEP) == 0) {
        ++s->shallow_died;
        learn(e, unit, 0);
    } else { /* one that lives on for longer loses its stamp (gc/patrol.c) */
        ++s->deep_died;
    }
}

void retention_rewritten(struct env* e, uint64_t unit, uint64_t deadline)
{
    struct telemetry_retention* s = &e->telemetry->retention;
    FW_ASSERT(e, e->retention->on != 0 && deadline != 0);
    ++s->rewritten_units;
    s->late_units += retention_now(e) >= deadline ? 1u : 0u;
    learn(e, unit, 1);
}
