/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/maps_program.h"

#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/log.h"
#include "firmware/map/maps.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/maps_load.h"
#include "firmware/map/modes.h"
#include "firmware/space/blocks.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

enum { SHORT_SHARE = 4 }; /* of the LUNs, that many may program short write units */

bool maps_put(struct env* e, uint32_t level, uint64_t page)
{
    struct maps* m = e->maps;
    uint8_t* flags = maps_flags(e, m, level, page);
    if (maps_framed(m, level)) {
        return maps_put_framed(e, level, page);
    }
    FW_ASSERT(e, (*flags & MAP_RESIDENT) != 0);
    if ((*flags & MAP_WRITING) != 0 || !maps_load_above(e, level, page, false) ||
        maps_put_unit(e, spare_pack(SPARE_MAP, ((uint64_t)level << 32) | page),
                      maps_home(e, m, level, page)) == INDEX_NONE) {
        return false;
    }
    m->level[level].dirty -= (*flags & MAP_DIRTY) != 0 ? 1u : 0u;
    *flags = (uint8_t)((*flags | MAP_WRITING) & ~MAP_DIRTY);
    return true;
}

uint64_t maps_word(struct env* e, uint64_t address, const uint64_t* word)
{
    const struct maps* m = e->maps;
    if (word != NULL) {
        const uint32_t kind = spare_unpack(*word).kind;
        return kind == SPARE_MAP || kind == SPARE_JOURNAL ? *word : 0;
    }
    if (m->top == address) {
        return spare_pack(SPARE_MAP, (uint64_t)m->levels << 32);
    }
    /* What lies in a framed level 2 is looked for with the units (maps_search). */
    for (uint32_t level = maps_framed(m, 2) ? 3 : 2; level <= m->levels; ++level) {
        for (uint64_t page = 0; page < m->level[level - 1].pages; ++page) {
            if (maps_entry(e, level, page) == address) {
                return spare_pack(SPARE_MAP, ((uint64_t)(level - 1) << 32) | page);
            }
        }
    }
    const uint64_t unit = e->maps_asks->unit_at(e, address);
    return unit != UINT64_MAX ? spare_pack(SPARE_JOURNAL, unit) : 0;
}

/* The page above could not be read again: where this one lay is forgotten. */
static bool is_nobodys(struct env* e, uint32_t level, uint64_t page, uint64_t address)
{
    FW_ASSERT(e, level >= 1 && level <= e->maps->levels);
    return maps_damaged(e) && maps_load_above(e, level, page, false) &&
           (log_read(e, level, page) & ~FTL_LOST) != address;
}

bool maps_relocate(struct env* e, uint64_t word, uint64_t address)
{
    struct maps* m = e->maps;
    const struct spare_unit u = spare_unpack(word);
    const uint32_t level = (uint32_t)(u.index >> 32);
    const uint64_t page = u.index & 0xFFFFFFFFu;
    if (u.kind == SPARE_JOURNAL) {
        return e->maps_asks->unit_relocate(e, u.index, address);
    }
    FW_ASSERT(e, u.kind == SPARE_MAP && level >= 1 && level <= m->levels);
    FW_ASSERT(e, page < m->level[level].pages);
    if (is_nobodys(e, level, page, address)) {
        maps_invalidate(e, address);
        return true;
    }
    if (maps_framed(m, level)) {
        return (*maps_flags(e, m, level, page) & MAP_WRITING) != 0 || maps_put(e, level, page);
    }
    return maps_load(e, level, page, false) &&
           ((*maps_flags(e, m, level, page) & MAP_WRITING) != 0 || maps_put(e, level, page));
}

static void program(struct env* e, uint32_t q, uint32_t stream)
{
    struct map_outs* out = &e->maps->out;
    struct fifo* ready = &out->queue[q].ready;
    const struct geometry* g = e->geo;
    struct write_unit w;
    const uint32_t i = flash_take(e, OWNER_MAP_PROGRAM);
    const bool placed = blocks_place(e, stream, ready->count, &w);
    FW_ASSERT(e, i != INDEX_NONE && placed);
    if (stream == STREAM_GC) {
        run_due(e, DUE_GC); /* its next write unit is another one */
    }
    struct flash_request* r = flash_request_of(e, i);
    flash_program_pages(e, r, ftl_purpose(e, FLASH_PURPOSE_MAP), 2);
    r->plane_mask = (uint8_t)w.plane_mask;
    r->lun = (uint16_t)w.lun;
    r->block = w.block;
    r->page = w.page;
    r->metadata = true;
    for (uint32_t n = 0; n < w.units; ++n) {
        const uint32_t o = fifo_pop(ready, maps_out_links(e));
        out->ready -= o == INDEX_NONE ? 0u : 1u;
        flash_list(e, i)[n] = o == INDEX_NONE ? flash_zero(e) : maps_out_buffer(e, o);
        flash_oob(e, i)[spare_word(g, n)] =
            o == INDEX_NONE ? spare_pack(SPARE_PAD, 0) : maps_out_of(e, o)->word;
    }
    ++out->programs;
    flash_submit(e, i);
}

/* A short write unit only for those who wait, and while few are on their way: what comes meanwhile
 * goes with the next one. */
static bool may_be_short(const struct env* e, uint32_t q)
{
    const uint32_t few =
        e->geo->word_line != 0 ? flash_most(e, OWNER_MAP_PROGRAM) : e->geo->part.luns / SHORT_SHARE;
    FW_ASSERT(e, q < e->maps->out.queues);
    return ((e->maps->out.urgent >> q) & 1u) != 0 &&
           flash_owned(e, OWNER_MAP_PROGRAM) < (few != 0 ? few : 1);
}

static void step_queue(struct env* e, uint32_t q)
{
    struct map_outs* o = &e->maps->out;
    const struct fifo* ready = &o->queue[q].ready;
    while (ready->count != 0 && flash_may_take(e, OWNER_MAP_PROGRAM)) {
        const uint32_t stream = blocks_map_stream(e, q);
        const uint32_t room = blocks_next_units(e, stream);
        if (room == 0 || (ready->count < room && !may_be_short(e, q))) {
            break;
        }
        program(e, q, stream);
    }
    o->urgent &= ready->count == 0 ? ~(1u << q) : ~0u;
}

void maps_step(struct env* e)
{
    struct map_outs* o = &e->maps->out;
    if (e->maps->frames.wanted != 0) {
        maps_frames_step(e);
    }
    /* What is above comes first, there is less of it: it never waits for a log below for ever. */
    for (uint32_t q = o->queues; q-- > 0;) {
        step_queue(e, q);
    }
}

/* The page lies at its new place now. */
static void page_written(struct env* e, uint64_t index, uint64_t address)
{
    struct maps* m = e->maps;
    const uint32_t level = (uint32_t)(index >> 32);
    const uint64_t page = index & 0xFFFFFFFFu;
    uint8_t* flags = maps_flags(e, m, level, page);
    FW_ASSERT(e, (*flags & MAP_WRITING) != 0);
    *flags = (uint8_t)(*flags & ~MAP_WRITING);
    ++m->turns;
    if (m->counting != 0) {
        log_appended(e, level, page, log_read(e, level, page), address);
    } else { /* all is counted when power-up is through */
        log_write(e, level, page, address);
    }
    maps_copy_done(e, level, page);
}

static void unit_done(struct env* e, uint32_t o, uint64_t address, bool failed)
{
    struct map_outs* outs = &e->maps->out;
    const uint64_t word = maps_out_of(e, o)->word;
    const struct spare_unit u = spare_unpack(word);
    if (failed) {
        const uint32_t q = maps_queue_of(e, word);
        fifo_push_front(&outs->queue[q].ready, maps_out_links(e), o);
        ++outs->ready;
        outs->urgent |= 1u << q;
        return;
    }
    if (u.kind == SPARE_MAP) {
        page_written(e, u.index, address);
    } else if (u.kind == SPARE_JOURNAL) {
        e->maps_asks->unit_written(e, u.index, address);
    }
    maps_out_over(e, o);
}

void maps_program_done(struct env* e, const struct flash_result* result)
{
    struct map_outs* o = &e->maps->out;
    const struct geometry* g = e->geo;
    struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t masks[2] = {r->plane_mask, r->fail_mask};
    uint32_t n = 0;
    FW_ASSERT(e, r->owner == OWNER_MAP_PROGRAM && o->programs > 0);
    --o->programs;
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    for (uint32_t k = 0; k < 2; ++k) {
        for (uint32_t rest = masks[k]; rest != 0; rest &= rest - 1) {
            const struct place p = {
                .block = r->block, .page = r->page, .lun = r->lun, .plane = lowest_bit(rest)};
            for (uint32_t s = 0; s < g->page_units; ++s, ++n) {
                const uint64_t data = flash_list(e, result->request)[n];
                if (data != flash_zero(e)) {
                    unit_done(e, (uint32_t)((data - o->buffers) >> g->unit_shift),
                              unit_address(g, &p, s), ((result->plane_fail >> p.plane) & 1u) != 0);
                }
            }
        }
    }
    e->telemetry->map_units_written += count_bits(r->plane_mask) * g->page_units;
    blocks_unpend(e, r->block);
    flash_free(e, result->request);
}
