/* SPDX-License-Identifier: Apache-2.0
 *
 * Retention: what was programmed shallow and is still valid is written again, deep, before its
 * cells lose it. A superblock that is due is looked through page by page; the pages that are due
 * are read, and their units go to collection's stream. Nothing else of it moves and it stays what
 * it was, full or open: so a superblock may have shallow pages and deep ones, and one that is
 * filled slowly is looked through several times.
 *
 * The host goes first: pages are read only while it programs nothing, until half of the margin is
 * used up. Then they take turns on each LUN like other work of the background. In the last quarter
 * of it the host's programs wait, for a drive that is slow is better than one that loses data.
 */
#include "firmware/gc/gc.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/blocks.h"
#include "firmware/space/blocks_seen.h"
#include "firmware/space/reserve.h"
#include "firmware/space/retention.h"

static bool collects(const struct superblock* s)
{
    return s->state != BLOCK_OPEN && s->state != BLOCK_FULL;
}

/* A superblock that is due, and of which is known what is valid. One that collection empties has
 * its units moved anyway. INDEX_NONE = there is none. */
static uint32_t next_due(struct env* e)
{
    struct retention* r = e->retention;
    uint32_t block = retention_first(e);
    while (block != INDEX_NONE && retention_due(e, block) <= retention_now(e)) {
        const struct superblock* s = superblock_of(e, e->blocks, block);
        if (!collects(s)) {
            return blocks_known(s) ? block : INDEX_NONE;
        }
        retention_unlist(e, block);
        r->hurried = block;
        block = retention_first(e);
    }
    FW_ASSERT(e, r->block == INDEX_NONE);
    return INDEX_NONE;
}

static bool begin(struct env* e)
{
    struct retention* r = e->retention;
    const struct geometry* g = e->geo;
    if (e->maps->uncounted != 0 || e->gc->asked != INDEX_NONE || maps_gathers(e) ||
        e->telemetry->read_only != 0) {
        return false;
    }
    const uint32_t block = next_due(e);
    if (block == INDEX_NONE) {
        return false;
    }
    const uint64_t margin = r->setup.margin_ns;
    r->until = (retention_now(e) - (r->setup.limit_ns - margin)) / r->slice_ns;
    r->urgent = retention_due(e, block) + margin / 2;
    r->rest = UINT64_MAX;
    r->block = block;
    r->next = ((uint64_t)block * g->pages) << (g->row_shift - g->unit_bits);
    r->end = ((uint64_t)(block + 1) * g->pages) << (g->row_shift - g->unit_bits);
    retention_unlist(e, block);
    FW_ASSERT(e, r->next < r->end);
    return true;
}

/* All that was due is on its way. */
static void end(struct env* e)
{
    struct retention* r = e->retention;
    const uint32_t block = r->block;
    FW_ASSERT(e, block != INDEX_NONE);
    r->block = INDEX_NONE;
    if (r->rest != UINT64_MAX) {
        retention_relist(e, block, r->rest);
    }
    FW_ASSERT(e, r->waits == 0);
}

static bool may_read(struct env* e)
{
    struct retention* r = e->retention;
    const struct flash* f = e->flash;
    /* It fills what it does not free at once: room for that, and for what may fail meanwhile. */
    r->waits = blocks_free(e) <= blocks_set_aside(e) + RESERVE_REFRESH;
    FW_ASSERT(e, r->block != INDEX_NONE);
    /* Buffers that wait for a plane without room are not those that give it some. */
    const uint32_t left = planes_own(e) ? e->gc->units / 2 : 0;
    return r->waits == 0 && e->gc->free.count >= left + e->geo->page_units &&
           f->owned[OWNER_GC_READ] < f->limit[OWNER_GC_READ] &&
           (f->owned[OWNER_PROGRAM] == 0 || retention_now(e) >= r->urgent);
}

/* The page at the place that is looked at. false = it has to wait. */
static bool look(struct env* e)
{
    struct retention* r = e->retention;
    const uint64_t address = r->next << e->geo->unit_bits;
    uint64_t slice = 0;
    bool deep = false;
    FW_ASSERT(e, r->next < r->end);
    if (!retention_slice(e, r->next, &slice, &deep)) {
        return true;
    }
    const uint32_t valid = blocks_valid_field(e, address, e->geo->page_units);
    if (slice > r->until) {
        r->rest = slice < r->rest ? slice : r->rest;
        return true;
    }
    if (valid == 0 || deep) {
        e->telemetry->retention.deep_lived += count_bits(valid);
        retention_forget_page(e, r->next);
        return true;
    }
    if (!may_read(e)) {
        return false;
    }
    /* Whatever becomes of the read, its units are no longer this page's to care for. */
    retention_forget_page(e, r->next);
    gc_read_retained(e, address, valid, slice * r->slice_ns + r->setup.limit_ns);
    return true;
}

/* A page whose host program has not ended has nothing valid yet; its slice is not due. */
void gc_rewrite_step(struct env* e)
{
    struct retention* r = e->retention;
    uint32_t left = e->geo->blocks;
    if (r->on == 0 || r->setup.rewrite == 0) {
        return;
    }
    for (; left != 0 && (r->block != INDEX_NONE || begin(e)); --left) {
        if (collects(superblock_of(e, e->blocks, r->block))) {
            r->hurried = r->block;
            r->rest = UINT64_MAX;
            r->next = r->end;
        }
        while (r->next < r->end && look(e)) {
            ++r->next;
        }
        if (r->next < r->end) {
            return;
        }
        r->waits = 0;
        end(e);
    }
    FW_ASSERT(e, r->next <= r->end);
}

bool gc_rewrites(const struct env* e)
{
    const struct retention* r = e->retention;
    FW_ASSERT(e, r->waits <= 1);
    return r->on != 0 && r->block != INDEX_NONE && r->waits == 0;
}

bool gc_pressed(struct env* e)
{
    const struct retention* r = e->retention;
    FW_ASSERT(e, r->on <= 1);
    return gc_rewrites(e) && retention_now(e) >= r->urgent + r->setup.margin_ns / 4;
}

uint64_t gc_rewrite_at(struct env* e)
{
    const struct retention* r = e->retention;
    if (r->on == 0 || r->setup.rewrite == 0 || r->block != INDEX_NONE) {
        return 0;
    }
    const uint32_t block = retention_first(e);
    const uint64_t now = retention_now(e);
    FW_ASSERT(e, block == INDEX_NONE || block < e->geo->blocks);
    if (block == INDEX_NONE || retention_due(e, block) <= now) {
        return 0; /* or other interrupts tell when it can go */
    }
    return hal_time_ns(e->hal) + (retention_due(e, block) - now);
}
