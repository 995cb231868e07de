/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps: the way to the flash. A page that is put out is copied, so that the map may change while
 * the copy is programmed; the page stays at its old place until the program has ended.
 */
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

uint32_t* maps_out_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->maps->out.links);
}

struct map_out* maps_out_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->maps->out.count);
    return (struct map_out*)env_dram(e, e->maps->out.table) + i;
}

uint64_t maps_out_buffer(struct env* e, uint32_t i)
{
    return e->maps->out.buffers + ((uint64_t)i << e->geo->unit_shift);
}

/* Write units that a queue holds: one fills while others are programmed, or all that word lines
 * hold until their fine pass. A victim of map pages is programmed on all LUNs at a time, as other
 * victims are. But memory of the map's own is small, of higher levels there are few pages, and a
 * copy holds a page of the level above, of which there may be few frames. */
static uint32_t held_by(const struct env* e, uint32_t queue)
{
    const struct geometry* g = e->geo;
    FW_ASSERT(e, queue < MAPS_LEVELS);
    if (g->word_line != 0) {
        return WORD_LINES_HELD * g->word_line * g->part.luns;
    }
    return queue == 0 && !map_has_own(e) && !maps_framed(e->maps, 2) ? g->luns + 1 : 2;
}

int maps_out_init(struct env* e)
{
    struct map_outs* o = &e->maps->out;
    FW_ASSERT(e, o->queues >= 1 && o->queues <= MAPS_LEVELS);
    o->count = 0;
    for (uint32_t q = 0; q < o->queues; ++q) {
        o->count += held_by(e, q) * e->geo->group;
    }
    o->table = map_take(e, (uint64_t)o->count * sizeof(struct map_out));
    o->links = map_take(e, (uint64_t)o->count * sizeof(uint32_t));
    o->buffers = map_take_pages(e, (uint64_t)o->count << e->geo->unit_shift);
    for (uint32_t q = 0, i = 0; q < o->queues; ++q) {
        const uint32_t end = i + held_by(e, q) * e->geo->group;
        fifo_init(&o->queue[q].free);
        fifo_init(&o->queue[q].ready);
        for (; i < end && e->arenas->absent == 0; ++i) {
            fifo_push(&o->queue[q].free, maps_out_links(e), i);
        }
    }
    return arenas_result(e);
}

uint32_t maps_queue_of(const struct env* e, uint64_t word)
{
    const struct spare_unit u = spare_unpack(word);
    FW_ASSERT(e, u.kind == SPARE_MAP || u.kind == SPARE_JOURNAL || u.kind == SPARE_PAD);
    return u.kind == SPARE_MAP ? maps_queue(e, (uint32_t)(u.index >> 32)) : 0;
}

void maps_hurry(struct env* e, uint32_t level)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    e->maps->out.urgent |= 1u << maps_queue(e, level);
    run_due(e, DUE_DURABLE | DUE_GC);
}

void maps_hurry_all(struct env* e)
{
    e->maps->out.urgent = MAPS_ALL_QUEUES;
}

bool maps_put_unit(struct env* e, uint64_t word, uint64_t from, uint32_t* check)
{
    struct map_outs* o = &e->maps->out;
    const uint32_t q = maps_queue_of(e, word);
    const uint32_t i = fifo_pop(&o->queue[q].free, maps_out_links(e));
    run_due(e, DUE_DURABLE | DUE_GC);
    if (i == INDEX_NONE) {
        o->urgent |= 1u << q;
        return false;
    }
    uint8_t* to = env_dram(e, maps_out_buffer(e, i));
    env_touch(e, env_dram(e, from), e->geo->unit_size, false);
    env_touch(e, to, e->geo->unit_size, true);
    mem_copy(to, env_dram(e, from), e->geo->unit_size);
    const uint32_t content = spare_check(e, to);
    if (check != NULL) {
        *check = content;
    }
    maps_out_of(e, i)->word = word | ((uint64_t)content << SPARE_CHECK_SHIFT);
    maps_out_of(e, i)->order = ++o->order;
    fifo_push(&o->queue[q].ready, maps_out_links(e), i);
    ++o->ready;
    return true;
}

static bool is_outstanding(struct env* e, uint32_t i, uint64_t order)
{
    const uint64_t o = maps_out_of(e, i)->order;
    FW_ASSERT(e, o <= e->maps->out.order);
    return o != 0 && o <= order;
}

bool maps_outstanding(struct env* e, uint64_t order)
{
    struct map_outs* outs = &e->maps->out;
    FW_ASSERT(e, order <= outs->order && outs->found < outs->count);
    if (is_outstanding(e, outs->found, order)) {
        return true; /* as when asked last */
    }
    for (uint32_t i = 0; i < outs->count; ++i) {
        if (is_outstanding(e, i, order)) {
            outs->found = i;
            return true;
        }
    }
    return e->maps->segment != 0 && segments_outstanding(e, order);
}

uint64_t maps_copy_of(struct env* e, uint32_t level, uint64_t page)
{
    const struct spare_unit wanted = {.index = ((uint64_t)level << 32) | page, .kind = SPARE_MAP};
    for (uint32_t i = 0; i < e->maps->out.count; ++i) {
        const struct spare_unit u = spare_unpack(maps_out_of(e, i)->word);
        if (maps_out_of(e, i)->order != 0 && u.kind == wanted.kind && u.index == wanted.index) {
            return maps_out_buffer(e, i);
        }
    }
    FW_ASSERT(e, 0 && "a page that is being written has a copy");
    return 0;
}

bool maps_free_outs(const struct env* e, uint32_t level)
{
    const struct map_outs* o = &e->maps->out;
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    return o->queue[maps_queue(e, level)].free.count != 0;
}

bool maps_no_room(struct env* e)
{
    const struct map_outs* o = &e->maps->out;
    FW_ASSERT(e, o->ready <= o->count);
    for (uint32_t q = 0; q < o->queues && o->ready != 0; ++q) {
        if (o->queue[q].ready.count != 0 && blocks_next_units(e, blocks_map_stream(e, q)) == 0) {
            return true;
        }
    }
    return false;
}

void maps_recall(struct env* e)
{
    struct map_outs* o = &e->maps->out;
    struct map_queue* q = &o->queue[maps_queue(e, 1)];
    FW_ASSERT(e, e->maps->hmb.places == 0); /* it may have copies of these */
    for (uint32_t i = fifo_pop(&q->ready, maps_out_links(e)); i != INDEX_NONE;
         i = fifo_pop(&q->ready, maps_out_links(e))) {
        const struct spare_unit u = spare_unpack(maps_out_of(e, i)->word);
        uint8_t* flags = maps_flags(e, e->maps, 1, u.index & 0xFFFFFFFFu);
        FW_ASSERT(e, u.kind == SPARE_MAP && u.index >> 32 == 1 && (*flags & MAP_WRITING) != 0);
        *flags = (uint8_t)(*flags & ~MAP_WRITING);
        ++e->maps->turns;
        maps_out_of(e, i)->order = 0;
        --o->ready;
        fifo_push(&q->free, maps_out_links(e), i);
    }
    FW_ASSERT(e, o->programs == 0 && o->ready == 0);
}

void maps_drop_outs(struct env* e)
{
    struct map_outs* o = &e->maps->out;
    FW_ASSERT(e, o->programs == 0);
    for (uint32_t n = 0; n < o->queues; ++n) {
        struct map_queue* q = &o->queue[n];
        for (uint32_t i = fifo_pop(&q->ready, maps_out_links(e)); i != INDEX_NONE;
             i = fifo_pop(&q->ready, maps_out_links(e))) {
            maps_out_of(e, i)->order = 0;
            fifo_push(&q->free, maps_out_links(e), i);
        }
    }
    o->ready = 0;
    o->urgent = 0;
}

bool maps_starve(struct env* e)
{
    return e->maps->out.programs == 0 && blocks_gate_open(e) && maps_no_room(e);
}
