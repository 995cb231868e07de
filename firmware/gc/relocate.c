/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: map pages and journal units in a victim. They are in memory, so they are not copied
 * but written again, and the victim waits until they have left it.
 */
#include "firmware/flash/blocks.h"
#include "firmware/ftl/maps.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/planes.h"
#include "firmware/lib/bits.h"

void gc_relocate(struct env* e, uint32_t buffer, uint64_t word)
{
    FW_ASSERT(e, buffer < e->gc->units && word != 0);
    gc_unit_of(e, buffer)->unit = word;
    fifo_push(&e->gc->moving, gc_links(e), buffer);
    (void)maps_relocate(e, word, gc_unit_of(e, buffer)->from);
}

/* Where planes are collected each by itself: all of the victim has been read. */
static bool has_ended(struct env* e, uint32_t block)
{
    FW_ASSERT(e, block < e->geo->blocks);
    return e->blocks->planes.count != 0 && gc_plane_of(e, block)->scanned != 0;
}

void gc_relocate_step(struct env* e)
{
    struct gc* c = e->gc;
    const uint64_t* valid = env_dram(e, e->blocks->valid_map);
    const struct map_frames* f = &e->maps->frames;
    const struct map_frames* upper = &e->maps->upper;
    uint32_t queues = 0;
    bool ends = c->reads == 0; /* nothing more comes to fill a write unit */
    for (uint32_t left = c->moving.count; left != 0; --left) {
        const uint32_t i = fifo_pop(&c->moving, gc_links(e));
        const struct gc_unit* u = gc_unit_of(e, i);
        if (bitmap_get(valid, u->from)) {
            (void)maps_relocate(e, u->unit, u->from);
            fifo_push(&c->moving, gc_links(e), i);
            queues |= 1u << maps_queue_of(e, u->unit);
            ends = ends || has_ended(e, address_block(e->geo, u->from));
            continue;
        }
        fifo_push_front(&c->free, gc_links(e), i);
        blocks_unpend(e, address_block(e->geo, u->from));
    }
    /* The last superblock goes to the log of which the victim is, else to level 1, which others
     * wait for; before either to level 2 if that has to make room for it. */
    const uint32_t waited = f->wanted != 0 || f->buffer.pressed != 0 ? 1u : 0u;
    const bool above = upper->wanted != 0 || upper->buffer.pressed != 0;
    e->blocks->relocating = above         ? 1u << maps_queue(&e->maps->out, 2)
                            : queues != 0 ? queues
                                          : waited;
    if (c->moving.count != 0 && ends) {
        maps_hurry_all(e);
    }
    FW_ASSERT(e, c->moving.count <= c->units);
}
