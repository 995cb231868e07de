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
#include "firmware/gc/rewrite.h"

#include "firmware/gc/read.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/valid.h"

static bool collects(const struct superblock* s)
{
    return s->state != BLOCK_OPEN && s->state != BLOCK_FULL;
}

/* A superblock that is due, and of which is known what is valid. One that collection empties has
 * its units moved anyway. INDEX_NONE = there is none. */
static uint32_t next_due(struct env* e)
{
    uint32_t block = retention_first(e);
    while (block != INDEX_NONE && retention_due(e, block) <= retention_now(e)) {
        const struct superblock* s = superblock_of(e, e->blocks, block);
        if (!collects(s)) {
            return blocks_known(s) ? block : INDEX_NONE;
        }
        retention_hurry(e, block);
        block = retention_first(e);
    }
    return INDEX_NONE;
}

static bool begin(struct env* e)
{
    struct rewrite* r = &e->gc->rewrite;
    const struct geometry* g = e->geo;
    if (!maps_all_counted(e) || e->gc->asked != INDEX_NONE || maps_gathers(e) ||
        e->telemetry->read_only != 0) {
        return false;
    }
    const uint32_t block = next_due(e);
    if (block == INDEX_NONE) {
        return false;
    }
    r->waits = 0;
    r->until = retention_due_slice(e);
    r->urgent = retention_due(e, block) + retention_margin(e) / 2;
    r->next = ((uint64_t)block * g->pages) << (g->row_shift - g->unit_bits);
    r->end = ((uint64_t)(block + 1) * g->pages) << (g->row_shift - g->unit_bits);
    retention_begin(e, block);
    return true;
}

static bool may_read(struct env* e)
{
    struct rewrite* r = &e->gc->rewrite;
    /* It fills what it does not free at once: room for that, and for what may fail meanwhile. */
    r->waits = blocks_free(e) <= blocks_set_aside(e) + RESERVE_REFRESH;
    /* Buffers that wait for a plane without room are not those that give it some. */
    const uint32_t left = planes_own(e) ? e->gc->units / 2 : 0;
    return r->waits == 0 && e->gc->free.count >= left + e->geo->page_units &&
           flash_may_take(e, OWNER_GC_READ) &&
           (flash_owned(e, OWNER_PROGRAM) == 0 || retention_now(e) >= r->urgent);
}

/* The page at the place that is looked at. false = it has to wait. */
static bool look(struct env* e)
{
    struct rewrite* r = &e->gc->rewrite;
    const uint64_t address = r->next << e->geo->unit_bits;
    uint64_t slice = 0;
    bool deep = false;
    if (!retention_slice(e, r->next, &slice, &deep)) {
        return true;
    }
    const uint32_t valid = blocks_valid_field(e, address, e->geo->page_units);
    if (slice > r->until) {
        retention_stays(e, slice);
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
    gc_read_retained(e, address, valid, retention_lost_at(e, slice));
    return true;
}

/* A page whose host program has not ended has nothing valid yet; its slice is not due. */
void gc_rewrite_step(struct env* e)
{
    struct rewrite* r = &e->gc->rewrite;
    uint32_t left = e->geo->blocks;
    if (!retention_rewrites(e)) {
        return;
    }
    for (; left != 0 && (retention_looked_at(e) != INDEX_NONE || begin(e)); --left) {
        const uint32_t block = retention_looked_at(e);
        if (collects(superblock_of(e, e->blocks, block))) {
            retention_hurry(e, block);
            r->next = r->end;
        }
        while (r->next < r->end && look(e)) {
            ++r->next;
        }
        if (r->next < r->end) {
            return;
        }
        r->waits = 0;
        retention_end(e); /* all that was due is on its way */
    }
}

bool gc_rewrites(const struct env* e)
{
    return retention_on(e) && retention_looked_at(e) != INDEX_NONE && e->gc->rewrite.waits == 0;
}

bool gc_pressed(struct env* e)
{
    return gc_rewrites(e) && retention_now(e) >= e->gc->rewrite.urgent + retention_margin(e) / 4;
}

uint64_t gc_rewrite_at(struct env* e)
{
    if (!retention_rewrites(e) || retention_looked_at(e) != INDEX_NONE) {
        return 0;
    }
    const uint32_t block = retention_first(e);
    const uint64_t now = retention_now(e);
    if (block == INDEX_NONE || retention_due(e, block) <= now) {
        return 0; /* or other interrupts tell when it can go */
    }
    return hal_time_ns(e->hal) + (retention_due(e, block) - now);
}
