/* SPDX-License-Identifier: Apache-2.0
 *
 * Patrol: reads a page of each full block once per interval, another one each time, so that
 * retention loss is found where the host does not read. What it finds, space/watch.c judges. The
 * superblocks take turns, evenly over the interval.
 */
#include "firmware/gc/patrol.h"

#include "firmware/gc/state.h"
#include "firmware/lib/telemetry.h"
#include "firmware/space/bad.h"
#include "firmware/space/erase.h"
#include "firmware/space/slc.h"

#define ARM_MOST 4000000000u /* ns that the timer takes at a time */

void gc_patrol_init(struct env* e, uint32_t interval_us)
{
    struct patrol* p = &e->gc->patrol;
    p->every_ns = (uint64_t)interval_us * 1000 / e->geo->blocks;
    p->every_ns = p->every_ns == 0 && interval_us != 0 ? 1 : p->every_ns;
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
static void look(struct env* e)
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
    look(e);
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
