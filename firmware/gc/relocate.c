/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: map pages and journal units in a victim. They are in memory, so they are not copied
 * but written again, and the victim waits until they have left it.
 *
 * One that can be put out stands among those on their way, in the order in which they were put
 * out, which is about that in which they leave. One that cannot yet - no buffer is free, or the
 * page above is being read - stands among those that wait. A round looks at a few at the head of
 * each, and goes on while that brings something: a whole victim of map pages costs no more a round
 * than the pages that move in it.
 */
#include "firmware/gc/gc.h"
#include "firmware/gc/planes.h"
#include "firmware/lib/bits.h"
#include "firmware/map/maps.h"
#include "firmware/space/blocks.h"

enum { IN_VAIN_MOST = 4 }; /* looks at units that bring nothing, in a round, of each list */

/* Puts the unit of a buffer out, if that can be. */
static void put_out(struct env* e, uint32_t buffer)
{
    struct gc* c = e->gc;
    const struct gc_unit* u = gc_unit_of(e, buffer);
    FW_ASSERT(e, c->relocates[maps_queue_of(e, u->unit)] != 0);
    fifo_push(maps_relocate(e, u->unit, u->from) ? &c->moving : &c->unmoved, gc_links(e), buffer);
}

void gc_relocate(struct env* e, uint32_t buffer, uint64_t word)
{
    struct gc_unit* u = gc_unit_of(e, buffer);
    FW_ASSERT(e, buffer < e->gc->units && word != 0);
    u->unit = word;
    ++e->gc->relocates[maps_queue_of(e, word)];
    if (planes_own(e)) {
        gc_planes_leave(e, address_block(e->geo, u->from));
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
        gc_planes_left(e, block);
    }
    fifo_push_front(&c->free, gc_links(e), buffer);
    blocks_unpend(e, block);
}

/* Takes the first unit of a list out of it if it has left the victim. Else it is asked for again:
 * it may be put out now, or what was put out has come to nothing. */
static bool has_left(struct env* e, struct fifo* list)
{
    const uint32_t i = fifo_pop(list, gc_links(e));
    FW_ASSERT(e, i < e->gc->units);
    if (blocks_valid(e, gc_unit_of(e, i)->from)) {
        put_out(e, i);
        return false;
    }
    take_back(e, i);
    return true;
}

/* While the map reads or programs something its end brings another round. */
static uint32_t vain_most(const struct env* e)
{
    const struct maps* m = e->maps;
    FW_ASSERT(e, m->out.programs <= e->flash->total);
    return (m->out.programs | m->reads) != 0 ? IN_VAIN_MOST : UINT32_MAX;
}

static void look_at_moving(struct env* e)
{
    struct gc* c = e->gc;
    uint32_t left = c->moving.count;
    FW_ASSERT(e, left <= c->units);
    for (uint32_t vain = 0; left != 0 && vain < vain_most(e); --left) {
        vain += has_left(e, &c->moving) ? 0u : 1u;
    }
}

static void look_at_unmoved(struct env* e)
{
    struct gc* c = e->gc;
    uint32_t left = c->unmoved.count;
    FW_ASSERT(e, left <= c->units);
    for (uint32_t vain = 0; left != 0 && vain < vain_most(e); --left) {
        const uint32_t before = c->unmoved.count;
        const bool gone = has_left(e, &c->unmoved);
        vain += !gone && c->unmoved.count == before ? 1u : 0u;
    }
}

/* Nothing more comes to fill a write unit: all of the victim has been read, or of that of a plane
 * where planes are collected each by itself. */
static bool has_ended(struct env* e)
{
    FW_ASSERT(e, e->gc->free.count < e->gc->units);
    return e->gc->reads == 0 || (planes_own(e) && gc_planes_wait(e));
}

static uint32_t queues_of(const struct env* e)
{
    uint32_t queues = 0;
    for (uint32_t q = 0; q < e->maps->out.queues; ++q) {
        queues |= e->gc->relocates[q] != 0 ? 1u << q : 0u;
    }
    FW_ASSERT(e, e->maps->out.queues <= MAPS_LEVELS);
    return queues;
}

void gc_relocate_step(struct env* e)
{
    struct gc* c = e->gc;
    const struct map_frames* f = &e->maps->frames;
    const struct map_frames* upper = &e->maps->upper;
    look_at_moving(e);
    look_at_unmoved(e);
    const bool any = c->moving.count + c->unmoved.count != 0;
    const uint32_t queues = any ? queues_of(e) : 0;
    /* The last superblock goes to the log of which the victim is, else to level 1, which others
     * wait for; before either to level 2 if that has to make room for it. */
    const uint32_t waited = f->wanted != 0 || f->buffer.pressed != 0 ? 1u : 0u;
    const bool above = upper->wanted != 0 || upper->buffer.pressed != 0;
    blocks_relocate(e, above ? 1u << maps_queue(&e->maps->out, 2) : queues != 0 ? queues : waited);
    if (any && has_ended(e)) {
        maps_hurry_all(e);
    }
    FW_ASSERT(e, c->moving.count + c->unmoved.count <= c->units);
}
