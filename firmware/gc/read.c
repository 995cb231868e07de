/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: reading a victim. The spare words say which units were read; those that are still
 * valid are made ready to be programmed. When a page cannot be corrected at any read level its
 * units are read one by one, for not all of its code words are bad; a unit that is still
 * uncorrectable is lost: it moves on as a mark.
 */
#include "firmware/gc/read.h"

#include "firmware/gc/pace.h"
#include "firmware/gc/program.h"
#include "firmware/gc/state.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_program.h"
#include "firmware/space/erase.h"
#include "firmware/space/plane_blocks.h"
#include "firmware/space/pool.h"
#include "firmware/space/retention.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

/* ---- Map pages and journal units ----
 *
 * They are in memory, so they are not copied but written again, and the victim waits until they
 * have left it. One that can be put out stands among those on their way, in the order in which they
 * were put out, which is about that in which they leave. One that cannot yet - no buffer is free,
 * or the page above is being read - stands among those that wait. A round looks at a few at the
 * head of each, and goes on while that brings something: a whole victim of map pages costs no more
 * a round than the pages that move in it. */

enum { IN_VAIN_MOST = 4 }; /* looks at units that bring nothing, in a round, of each list */

/* Puts the unit of a buffer out, if that can be. */
static void put_out(struct env* e, uint32_t buffer)
{
    struct gc* c = e->gc;
    const struct gc_unit* u = gc_unit_of(e, buffer);
    FW_ASSERT(e, c->relocates[maps_queue_of(e, u->unit)] != 0);
    fifo_push(maps_relocate(e, u->unit, u->from) ? &c->moving : &c->unmoved, gc_links(e), buffer);
}

static void relocate(struct env* e, uint32_t buffer, uint64_t word)
{
    struct gc_unit* u = gc_unit_of(e, buffer);
    FW_ASSERT(e, buffer < e->gc->units && word != 0);
    u->unit = word;
    ++e->gc->relocates[maps_queue_of(e, word)];
    if (planes_own(e)) {
        ++gc_plane_of(e, address_block(e->geo, u->from))->leaving;
    }
    put_out(e, buffer);
}

static void take_back(struct env* e, uint32_t buffer)
{
    struct gc* c = e->gc;
    const struct gc_unit* u = gc_unit_of(e, buffer);
    const uint32_t block = address_block(e->geo, u->from);
    FW_ASSERT(e, c->relocates[maps_queue_of(e, u->unit)] != 0);
    --c->relocates[maps_queue_of(e, u->unit)];
    if (planes_own(e)) {
        --gc_plane_of(e, block)->leaving;
    }
    fifo_push_front(&c->free, gc_links(e), buffer);
    run_due(e, DUE_GC); /* another page can be read */
    blocks_unpend(e, block);
}

/* The first unit of a list has left the victim, or is asked for again: it may be put out now, or
 * what was put out has come to nothing. One that belongs where it is from goes to `vain`. */
static void look_at_first(struct env* e, struct fifo* from, struct fifo* vain)
{
    struct gc* c = e->gc;
    const uint32_t i = fifo_pop(from, gc_links(e));
    const struct gc_unit* u = gc_unit_of(e, i);
    if (!blocks_valid(e, u->from)) {
        take_back(e, i);
        return;
    }
    struct fifo* to = maps_relocate(e, u->unit, u->from) ? &c->moving : &c->unmoved;
    fifo_push(to == from ? vain : to, gc_links(e), i);
}

/* While the map reads or programs something its end brings another round. */
static uint32_t vain_most(const struct env* e)
{
    return maps_programming(e) || maps_reading(e) ? IN_VAIN_MOST : UINT32_MAX;
}

/* Those that stay keep their places at the head: they have asked for the pages above theirs, which
 * others would have thrown out for their own. */
static void look_at(struct env* e, struct fifo* list)
{
    struct fifo vain;
    fifo_init(&vain);
    for (uint32_t left = list->count; left != 0 && vain.count < vain_most(e); --left) {
        look_at_first(e, list, &vain);
    }
    fifo_prepend(list, gc_links(e), &vain);
}

static bool planes_wait(struct env* e)
{
    for (uint32_t lane = 0; lane < planes_count(e); ++lane) {
        const struct gc_plane* p = gc_plane_at(e, lane);
        if (p->leaving != 0 && p->scanned != 0) {
            return true;
        }
    }
    return false;
}

/* Nothing more comes to fill a write unit: all of the victim has been read, or of that of a plane
 * where planes are collected each by itself. */
static bool has_ended(struct env* e)
{
    return e->gc->reads == 0 || (planes_own(e) && planes_wait(e));
}

static uint32_t queues_of(const struct env* e)
{
    uint32_t queues = 0;
    for (uint32_t q = 0; q < maps_queues(e); ++q) {
        queues |= e->gc->relocates[q] != 0 ? 1u << q : 0u;
    }
    return queues;
}

void gc_relocate_step(struct env* e)
{
    struct gc* c = e->gc;
    if ((c->moving.count | c->unmoved.count) != 0) {
        look_at(e, &c->moving);
        look_at(e, &c->unmoved);
    }
    const bool any = c->moving.count + c->unmoved.count != 0;
    const uint32_t queues = any ? queues_of(e) : 0;
    /* The last superblock goes to the log of which the victim is, else to level 1, which others
     * wait for; before either to level 2 if that has to make room for it. */
    const uint32_t waited = maps_press(e, 1) ? 1u : 0u;
    blocks_relocate(e, maps_press(e, 2) ? 1u << maps_queue(e, 2) : queues != 0 ? queues : waited);
    if (any && has_ended(e)) {
        maps_hurry_all(e);
    }
}

/* ---- Reads ---- */

/* A read that fails may leave the spare words as they were: those of another page must not count.
 */
static void submit(struct env* e, uint32_t request)
{
    flash_oob(e, request)[0] = 0;
    flash_submit(e, request);
}

/* Reads the valid units of a page; its kind is the caller's to set. */
static struct flash_request* read_units(struct env* e, uint64_t address, uint32_t valid,
                                        uint32_t purpose)
{
    struct gc* c = e->gc;
    const struct geometry* g = e->geo;
    const struct place p = address_place(g, address);
    const uint32_t i = flash_take(e, OWNER_GC_READ);
    const uint32_t first = lowest_bit(valid);
    uint32_t last = first;
    FW_ASSERT(e, i != INDEX_NONE);
    struct flash_request* r = flash_request_of(e, i);
    uint64_t* list = flash_list(e, i);
    for (uint32_t s = first; s < g->page_units; ++s) {
        last = ((valid >> s) & 1u) != 0 ? s : last;
    }
    for (uint32_t s = first; s <= last; ++s) {
        uint32_t buffer = c->units; /* a gap: nobody reads it */
        if (((valid >> s) & 1u) != 0) {
            buffer = fifo_pop(&c->free, gc_links(e));
            gc_unit_of(e, buffer)->from = address + s;
        }
        list[s - first] = gc_buffer_data(e, buffer);
    }
    flash_read_page(r, &p, purpose, 2);
    r->column = first << g->unit_shift;
    r->length = (last - first + 1) << g->unit_shift;
    r->sg = true;
    r->oob = true;
    r->gc_read.first = first;
    r->gc_read.valid = valid;
    r->gc_read.alone = false;
    superblock_of(e, e->blocks, p.block)->pending += count_bits(valid);
    submit(e, i);
    return r;
}

void gc_read_page(struct env* e, uint64_t address, uint32_t valid)
{
    struct gc* c = e->gc;
    FW_ASSERT(e, address_block(e->geo, address) == c->victim);
    read_units(e, address, valid, superblock_of(e, e->blocks, c->victim)->purpose)->gc_read.kind =
        c->kind;
    gc_moves(e, count_bits(valid));
    ++c->reads;
}

void gc_read_in_plane(struct env* e, uint64_t address, uint32_t valid)
{
    const uint32_t block = address_block(e->geo, address);
    struct gc_plane* p = gc_plane_of(e, block);
    FW_ASSERT(e, block == p->victim);
    read_units(e, address, valid, superblock_of(e, e->blocks, block)->purpose)->gc_read.kind =
        p->kind;
    gc_planes_begin(e, block);
    ++p->reads;
    ++e->gc->reads;
}

void gc_read_retained(struct env* e, uint64_t address, uint32_t valid, uint64_t deadline)
{
    const struct gc* c = e->gc;
    uint64_t* deadlines = env_dram(e, c->rewrite.deadlines);
    FW_ASSERT(e, address_block(e->geo, address) == retention_looked_at(e));
    FW_ASSERT(e, valid != 0 && deadline != 0);
    uint32_t buffer = c->free.head; /* of those that the read takes */
    for (uint32_t left = valid; left != 0; left &= left - 1) {
        deadlines[buffer] = deadline;
        buffer = gc_links(e)[buffer];
    }
    read_units(e, address, valid, FLASH_PURPOSE_REFRESH)->gc_read.kind = GC_RETAIN;
    ++e->gc->rewrite.reads;
    if (planes_own(e)) {
        gc_planes_begin(e, address_block(e->geo, address));
    }
}

/* The data of a unit could not be read. */
static void lose_unit(struct env* e, uint64_t unit, uint64_t from)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    if (ftl_lost(ftl->lookup(e, unit))) {
        return;
    }
    ++e->telemetry->media_errors;
    if (ftl->pin(e, unit)) { /* else before it is programmed */
        if (gc_lies(e, unit, from)) {
            ftl->lose(e, unit);
        }
        ftl->unpin(e, unit);
    }
}

/* One unit of a page has been read, rightly or in vain. Its spare word says which, NULL = those of
 * the page do not check: then the map has to be searched, which may have to wait. */
static void take_unit(struct env* e, const struct flash_request* r, uint32_t buffer,
                      const uint64_t* word, bool failed)
{
    struct gc_unit* u = gc_unit_of(e, buffer);
    const struct spare_unit spare = spare_unpack(word != NULL ? *word : 0);
    const bool tells = spare.kind == SPARE_DATA && spare.index < e->geo->user_units;
    bool lost = failed || spare.lost != 0;
    if (!blocks_valid(e, u->from)) { /* it has moved on */
        fifo_push_front(&e->gc->free, gc_links(e), buffer);
        blocks_unpend(e, r->block);
        return;
    }
    const uint64_t map_word = tells ? 0 : maps_word(e, u->from, word);
    if (map_word != 0) {
        relocate(e, buffer, map_word);
        return;
    }
    const uint64_t unit = tells ? spare.index : ftl_ops_of(e)->owner(e, u->from);
    u->unit = GC_UNKNOWN;
    if (unit != FTL_UNKNOWN) {
        if (failed) {
            lose_unit(e, unit, u->from);
        }
        lost = lost || (gc_may_be_lost(e) && ftl_lost(ftl_ops_of(e)->lookup(e, unit)));
        u->unit = unit;
    }
    if (lost) {
        gc_mark_lost(e, buffer);
    }
    fifo_push(gc_ready(e, r->gc_read.kind, r->block), gc_links(e), buffer);
}

/* Reads the first unit that is left of the page, alone. */
static void read_one(struct env* e, uint32_t request)
{
    struct flash_request* r = flash_request_of(e, request);
    uint64_t* list = flash_list(e, request);
    const uint32_t next = lowest_bit(r->gc_read.valid);
    const uint32_t ahead = next - r->gc_read.first;
    FW_ASSERT(e, r->gc_read.valid != 0 && next >= r->gc_read.first);
    for (uint32_t s = next; s < e->geo->page_units && ahead != 0; ++s) {
        list[s - next] = list[s - next + ahead];
    }
    r->gc_read.first = next;
    r->gc_read.alone = true;
    r->column = next << e->geo->unit_shift;
    r->length = e->geo->unit_size;
    flash_read_restart(r);
    submit(e, request);
}

static void end_in_plane(struct env* e, const struct flash_request* r)
{
    struct gc_plane* p = gc_plane_of(e, r->block);
    const uint32_t own = r->gc_read.kind != GC_RETAIN ? 1 : 0;
    FW_ASSERT(e, p->reads >= own);
    p->reads -= own;
    gc_planes_end(e, r->block);
}

void gc_read_done(struct env* e, const struct flash_result* result)
{
    struct gc* c = e->gc;
    struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t first = r->gc_read.first;
    const bool failed = result->status != FLASH_STATUS_OK;
    const bool alone = r->gc_read.alone || (r->gc_read.valid & (r->gc_read.valid - 1)) == 0;
    const uint64_t* words = flash_oob(e, result->request);
    const uint64_t* list = flash_list(e, result->request);
    uint32_t* under_way = r->gc_read.kind == GC_RETAIN ? &c->rewrite.reads : &c->reads;
    uint64_t sequence = 0;
    FW_ASSERT(e, *under_way > 0);
    FW_ASSERT(e, r->owner == OWNER_GC_READ && r->gc_read.valid != 0);
    if (failed && !alone) {
        read_one(e, result->request);
        return;
    }
    const bool whole = spare_read(e, words, &sequence);
    for (uint32_t s = first; s < e->geo->page_units; ++s) {
        if (((r->gc_read.valid >> s) & 1u) == 0) {
            continue;
        }
        take_unit(e, r, gc_buffer_at(e, list[s - first]), whole ? words + 1 + s : NULL, failed);
        r->gc_read.valid &= ~(1u << s);
        if (alone) {
            break;
        }
    }
    if (r->gc_read.valid != 0) {
        read_one(e, result->request);
        return;
    }
    --*under_way;
    if (planes_own(e)) {
        end_in_plane(e, r);
    }
    flash_free(e, result->request);
}
