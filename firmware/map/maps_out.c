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
    return env_dram_entry(e, e->maps->out.table, i, sizeof(struct map_out));
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
    const uint32_t frames = e->maps->frames.lies != 0 ? e->maps->frames.few : 0;
    const uint32_t own = o->count;
    o->count += frames;
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
    for (uint32_t i = 0; i < frames && e->arenas->absent == 0; ++i) {
        ((uint32_t*)env_dram(e, e->maps->frames.lies))[i] = own + i;
    }
    return arenas_result(e);
}

uint32_t maps_queue_of(const struct env* e, uint64_t word)
{
    const struct spare_unit u = spare_unpack(word);
    FW_ASSERT(e, u.kind == SPARE_MAP || u.kind == SPARE_JOURNAL || u.kind == SPARE_PAD);
    return u.kind == SPARE_MAP ? maps_queue(e, (uint32_t)(u.index >> 32)) : 0;
}

/* What waits in the queues goes, in short write units too. */
static void make_urgent(struct env* e, uint32_t queues)
{
    struct map_outs* o = &e->maps->out;
    uint32_t fresh = 0;
    for (uint32_t q = 0; q < o->queues; ++q) {
        fresh |= o->queue[q].ready.count != 0 ? queues & ~o->urgent & (1u << q) : 0u;
    }
    if (fresh != 0) {
        o->urgent |= fresh;
        run_due(e, DUE_DURABLE);
    }
}

void maps_hurry(struct env* e, uint32_t level)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    make_urgent(e, 1u << maps_queue(e, level));
}

void maps_hurry_all(struct env* e)
{
    make_urgent(e, MAPS_ALL_QUEUES);
}

static uint32_t content_of(struct env* e, uint32_t i)
{
    FW_ASSERT(e, i < e->maps->out.count);
    return spare_check(e, env_dram(e, maps_out_buffer(e, i)));
}

/* What is in the buffer goes to the flash. */
static void make_ready(struct env* e, uint32_t q, uint32_t i, uint64_t word, uint32_t content)
{
    struct map_outs* o = &e->maps->out;
    struct map_out* out = maps_out_of(e, i);
    FW_ASSERT(e, out->order == 0 && out->lent == 0);
    out->word = word | ((uint64_t)content << SPARE_CHECK_SHIFT);
    out->order = ++o->order;
    fifo_push(&o->queue[q].ready, maps_out_links(e), i);
    ++o->ready;
}

uint32_t maps_put_unit(struct env* e, uint64_t word, uint64_t from)
{
    struct map_outs* o = &e->maps->out;
    const uint32_t q = maps_queue_of(e, word);
    const uint32_t i = fifo_pop(&o->queue[q].free, maps_out_links(e));
    if (i == INDEX_NONE) {
        make_urgent(e, 1u << q);
        return i;
    }
    run_due(e, DUE_DURABLE);
    uint8_t* to = env_dram(e, maps_out_buffer(e, i));
    env_touch(e, env_dram(e, from), e->geo->unit_size, false);
    env_touch(e, to, e->geo->unit_size, true);
    mem_copy(to, env_dram(e, from), e->geo->unit_size);
    make_ready(e, q, i, word, content_of(e, i));
    return i;
}

uint32_t maps_put_buffer(struct env* e, uint64_t word, uint32_t buffer,
                         const struct content_sums* known)
{
    const uint32_t q = maps_queue_of(e, word);
    const uint32_t i = fifo_pop(&e->maps->out.queue[q].free, maps_out_links(e));
    FW_ASSERT(e, i != INDEX_NONE);
    run_due(e, DUE_DURABLE);
    env_touch(e, env_dram(e, maps_out_buffer(e, buffer)), e->geo->unit_size, false);
    make_ready(e, q, buffer, word, known != NULL ? content_fold(*known) : content_of(e, buffer));
    return i;
}

static void free_buffer(struct env* e, uint32_t i)
{
    struct map_queue* q = &e->maps->out.queue[maps_queue_of(e, maps_out_of(e, i)->word)];
    fifo_push_front(&q->free, maps_out_links(e), i);
    ++e->maps->turns;
    run_due(e, DUE_DURABLE | DUE_GC); /* whoever had none for a page that moves, or is put out */
}

void maps_lend_out(struct env* e, uint32_t i)
{
    FW_ASSERT(e, maps_out_of(e, i)->order != 0 && maps_out_of(e, i)->lent == 0);
    maps_out_of(e, i)->lent = 1;
}

void maps_out_returned(struct env* e, uint32_t i)
{
    FW_ASSERT(e, maps_out_of(e, i)->lent != 0);
    maps_out_of(e, i)->lent = 0;
    if (maps_out_of(e, i)->order == 0) {
        free_buffer(e, i);
    }
}

void maps_out_over(struct env* e, uint32_t i)
{
    FW_ASSERT(e, maps_out_of(e, i)->order != 0);
    maps_out_of(e, i)->order = 0;
    if (maps_out_of(e, i)->lent == 0) {
        free_buffer(e, i);
    }
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
        --o->ready;
        maps_out_over(e, i);
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
            maps_out_over(e, i);
        }
    }
    o->ready = 0;
    o->urgent = 0;
}

bool maps_starve(struct env* e)
{
    return e->maps->out.programs == 0 && blocks_gate_open(e) && maps_no_room(e);
}
