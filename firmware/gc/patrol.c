/* SPDX-License-Identifier: Apache-2.0
 *
 * Patrol: reads a page of each full block once per interval, another one each time, so that
 * retention loss is found where the host does not read. What it finds, space/watch.c judges. The
 * superblocks take turns, evenly over the interval.
 */
#include "firmware/gc/patrol.h"

#include "firmware/gc/read.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/bad.h"
#include "firmware/space/erase.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/valid.h"
#include "models/regs/parts/refresh.h"

#define ARM_MOST 4000000000u /* ns that the timer takes at a time */

void gc_patrol_init(struct env* e)
{
    const uint32_t interval_us = e->told.refresh->patrol_us;
    struct patrol* p = &e->gc->patrol;
    p->every_ns = (uint64_t)interval_us * 1000 / e->geo->blocks;
    p->every_ns = p->every_ns == 0 && interval_us != 0 ? 1 : p->every_ns;
}

bool gc_patrols(const struct env* e)
{
    return e->gc->patrol.every_ns != 0;
}

void gc_patrol_run(struct env* e, int on)
{
    struct patrol* p = &e->gc->patrol;
    p->on = on && p->every_ns != 0;
    p->armed = 0;
    p->left_ns = 0;
    p->due = 0;
    p->piece = 0;
}

/* Reads the page of one block into memory that nobody looks at. Returns false when that has to
 * wait. */
static bool read_block(struct env* e, uint32_t lun, uint32_t plane)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const uint32_t i = flash_take(e, OWNER_SCAN);
    if (i == INDEX_NONE) {
        return false;
    }
    struct flash_request* r = flash_request_of(e, i);
    for (uint32_t s = 0; s < g->page_units; ++s) {
        flash_list(e, i)[s] = gc_buffer_data(e, c->units);
    }
    r->op = FLASH_OP_READ;
    r->purpose = FLASH_PURPOSE_SCAN;
    r->priority = 2;
    r->plane_mask = (uint8_t)(1u << plane);
    r->lun = (uint16_t)lun;
    r->block = c->patrol.block;
    r->page = c->patrol.round % slc_pages(e, r->block);
    r->column = 0;
    r->length = g->page_size;
    r->sg = true;
    ++superblock_of(e, e->blocks, r->block)->readers;
    flash_submit(e, i);
    return true;
}

void gc_patrol_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, r->op == FLASH_OP_READ && r->purpose == FLASH_PURPOSE_SCAN);
    ++e->telemetry->patrol_reads;
    e->telemetry->media_errors += result->status == FLASH_STATUS_UNCORRECTABLE ? 1 : 0;
    blocks_unread(e, r->block);
    flash_free(e, result->request);
}

/* Goes on with the superblocks that are due. */
static void go_on(struct env* e)
{
    struct patrol* p = &e->gc->patrol;
    const struct geometry* g = e->geo;
    while (p->due != 0) {
        const struct superblock* s = superblock_of(e, e->blocks, p->block);
        for (; p->piece < g->luns * g->planes && s->state == BLOCK_FULL; ++p->piece) {
            const uint32_t lun = p->piece / g->planes;
            const uint32_t plane = p->piece - lun * g->planes;
            if (((blocks_good_planes(e, p->block, lun) >> plane) & 1u) != 0 &&
                !read_block(e, lun, plane)) {
                return;
            }
        }
        p->piece = 0;
        --p->due;
        if (++p->block == g->blocks) {
            p->block = 0;
            ++p->round;
        }
    }
}

uint32_t gc_patrol_step(struct env* e, bool timer)
{
    struct patrol* p = &e->gc->patrol;
    if (p->on == 0) {
        return 0;
    }
    if (timer && p->armed != 0) {
        p->left_ns -= p->armed;
        p->due += p->left_ns == 0 && p->due < e->geo->blocks ? 1u : 0u;
        p->armed = 0;
    }
    go_on(e);
    if (p->armed != 0) {
        return 0;
    }
    p->left_ns = p->left_ns == 0 ? p->every_ns : p->left_ns;
    p->armed = p->left_ns < ARM_MOST ? (uint32_t)p->left_ns : ARM_MOST;
    return p->armed;
}

uint64_t gc_patrol_at(struct env* e, uint64_t now_ns)
{
    struct patrol* p = &e->gc->patrol;
    const bool due = p->at_ns != 0 && now_ns >= p->at_ns;
    const uint32_t ns = gc_patrol_step(e, due);
    p->at_ns = ns != 0 ? now_ns + ns : due || p->on == 0 ? 0 : p->at_ns;
    return p->at_ns;
}

uint32_t gc_patrol_due(const struct env* e)
{
    return e->gc->patrol.due;
}

/* ---- Retention ----
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
    if (!retention_rewrites(e)) {
        return 0;
    }
    const bool looks = retention_looked_at(e) != INDEX_NONE;
    const uint32_t block = looks ? INDEX_NONE : retention_first(e);
    const uint64_t now = retention_now(e);
    const uint64_t at = looks                 ? e->gc->rewrite.urgent
                        : block != INDEX_NONE ? retention_due(e, block)
                                              : 0;
    if (at <= now) {
        return 0; /* or other interrupts tell when it can go */
    }
    return hal_time_ns(e->hal) + (at - now);
}
