/* SPDX-License-Identifier: Apache-2.0
 *
 * Collection: map pages and journal units in a victim. They are in memory, so they are not copied
 * but written again, and the victim waits until they have left it.
 */
#include "firmware/flash/blocks.h"
#include "firmware/ftl/maps.h"
#include "firmware/gc/gc.h"
#include "firmware/lib/bits.h"

void gc_relocate(struct env* e, uint32_t buffer, uint64_t word)
{
    FW_ASSERT(e, buffer < e->gc->units && word != 0);
    gc_unit_of(e, buffer)->unit = word;
    fifo_push(&e->gc->moving, gc_links(e), buffer);
    (void)maps_relocate(e, word, gc_unit_of(e, buffer)->from);
}

void gc_relocate_step(struct env* e)
{
    struct gc* c = e->gc;
    const uint64_t* valid = env_dram(e, e->blocks->valid_map);
    for (uint32_t left = c->moving.count; left != 0; --left) {
        const uint32_t i = fifo_pop(&c->moving, gc_links(e));
        const struct gc_unit* u = gc_unit_of(e, i);
        if (bitmap_get(valid, u->from)) {
            (void)maps_relocate(e, u->unit, u->from);
            fifo_push(&c->moving, gc_links(e), i);
            continue;
        }
        fifo_push_front(&c->free, gc_links(e), i);
        blocks_unpend(e, address_block(e->geo, u->from));
    }
    e->blocks->relocating =
        c->moving.count != 0 || e->maps->frames.wanted != 0 || e->maps->frames.buffer.pressed != 0;
    if (c->moving.count != 0 && c->reads == 0) {
        e->maps->urgent = 1; /* nothing more comes to fill a write unit */
    }
    FW_ASSERT(e, c->moving.count <= c->units);
}
