/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_spent.h"

#include "firmware/lib/telemetry.h"
#include "firmware/map/modes.h"
#include "firmware/map/segments.h"
#include "firmware/space/spare.h"
#include "firmware/space/state.h"
#include "firmware/space/valid.h"

void segments_note_spent(struct env* e)
{
    if (e->segments->good > e->segments->count) {
        return;
    }
    for (uint32_t i = 0; i < e->segments->blocks; ++i) {
        const uint8_t state = map_block_of(e, i)->state;
        if (state != MAP_BLOCK_HOLDS && state != MAP_BLOCK_BAD) {
            return;
        }
    }
    FW_ASSERT(e, e->segments->good <= e->segments->count);
    if (!ftl_spent(e)) {
        hal_log(e->hal, HAL_LOG_WARN, "no map block is left to commit to: segments, left",
                e->segments->count, e->segments->good);
    }
    ftl_spend(e);
    e->telemetry->spare_percent = 0; /* what is left cannot be used */
}

/* ---- Pages past the slots ---- */

static void start_peek(struct env* e, uint64_t first)
{
    struct segments* s = e->segments;
    struct segment_peek* p = &s->peek;
    const uint32_t n = segment_at(e, first);
    const uint32_t i = flash_take(e, OWNER_MAP_READ);
    if (i == INDEX_NONE) {
        return;
    }
    if (p->state == PEEK_NONE) {
        p->buffer = fifo_pop(&s->buffer_free, env_dram(e, s->buffer_links));
        if (p->buffer == INDEX_NONE) { /* requests of the last commits have not ended */
            flash_free(e, i);
            return;
        }
    }
    struct flash_request* r = flash_request_of(e, i);
    segments_address(e, r, segment_of(e, n)->block,
                     (uint32_t)(first % e->maps->segment) / e->geo->page_units);
    r->op = FLASH_OP_READ;
    r->priority = 0;
    r->sg = true;
    r->oob = true;
    r->segment_read.slot = INDEX_NONE;
    r->segment_read.worn = false;
    for (uint32_t k = 0; k < e->geo->page_units; ++k) {
        flash_list(e, i)[k] = s->buffers + (uint64_t)p->buffer * e->geo->page_size +
                              ((uint64_t)k << e->geo->unit_shift);
    }
    p->first = first;
    p->state = PEEK_READS;
    ++e->maps->reads;
    flash_submit(e, i);
}

void segments_peeked(struct env* e, const struct flash_result* result)
{
    struct segment_peek* p = &e->segments->peek;
    const struct segment* g = segment_of(e, segment_at(e, p->first));
    const uint64_t* words = flash_oob(e, result->request);
    const uint64_t* data = flash_list(e, result->request);
    uint64_t sequence = 0;
    const bool whole = segments_whole(e, result, g, &sequence);
    FW_ASSERT(e, p->state == PEEK_READS && maps_reading(e));
    --e->maps->reads;
    p->state = PEEK_THERE;
    p->failed = 0;
    for (uint32_t k = 0; k < e->geo->page_units; ++k) {
        const struct spare_unit u = spare_unpack(words[1 + k]);
        const bool good = whole && u.kind == SPARE_MAP &&
                          u.index == ((UINT64_C(1) << 32) | (p->first + k)) &&
                          u.check == spare_check(e, env_dram(e, data[k]));
        p->failed |= good ? 0 : UINT64_C(1) << k;
    }
    flash_free(e, result->request);
}

/* An entry as maps.h has them, of a page in the buffer. */
static uint64_t entry_at(struct env* e, uint64_t page, uint64_t index)
{
    const struct segment_peek* p = &e->segments->peek;
    const uint64_t at = e->segments->buffers + (uint64_t)p->buffer * e->geo->page_size +
                        ((page - p->first) << e->geo->unit_shift);
    const uint32_t sign = e->maps->wide ? 63 : 31;
    const uint64_t raw = e->maps->wide ? ((const uint64_t*)env_dram(e, at))[index]
                                       : ((const uint32_t*)env_dram(e, at))[index];
    const uint64_t place = raw & ((UINT64_C(1) << sign) - 1);
    FW_ASSERT(e, page >= p->first && page - p->first < e->geo->page_units);
    if (raw >> sign != 0) {
        return FTL_LOST | (place == 0 ? MAPS_NOWHERE : place - 1);
    }
    return place - 1; /* 0 becomes FTL_NONE */
}

uint64_t segments_peek(struct env* e, uint64_t unit)
{
    const struct segment_peek* p = &e->segments->peek;
    const uint64_t page = maps_page(e, unit);
    const uint64_t first = page - page % e->geo->page_units;
    const struct segment* g = segment_of(e, segment_at(e, page));
    FW_ASSERT(e, unit < e->geo->user_units && g->slot == INDEX_NONE);
    if (g->lost != 0 || g->block == INDEX_NONE) {
        return g->lost != 0 ? FTL_LOST | MAPS_NOWHERE : FTL_NONE;
    }
    if (p->state != PEEK_THERE || p->first != first) {
        if (p->state != PEEK_READS) {
            start_peek(e, first);
        }
        return FTL_UNKNOWN;
    }
    if (((p->failed >> (page - first)) & 1u) != 0) {
        return FTL_LOST | MAPS_NOWHERE;
    }
    return entry_at(e, page, unit & ((UINT64_C(1) << e->maps->entry_shift) - 1));
}

/* ---- Segments that are derived ---- */

void segments_wash(struct env* e, uint32_t slot)
{
    const uint32_t n = segment_slot_of(e, slot)->segment;
    const uint64_t end = segment_end(e, n);
    for (uint64_t page = (uint64_t)n * e->maps->segment; page < end; ++page) {
        uint8_t* flags = maps_flags(e, e->maps, 1, page);
        maps_clean(e, 1, page);
        *flags = (uint8_t)(*flags & ~MAP_CHECKED);
    }
}

void segments_derive(struct env* e)
{
    struct segments* s = e->segments;
    s->derived = 1;
    for (uint32_t i = 0; i < s->slots; ++i) {
        struct segment_slot* at = segment_slot_of(e, i);
        if ((at->flags & SEGMENT_COMMITS) != 0) { /* it will never find a block */
            FW_ASSERT(e, at->target == INDEX_NONE && at->flight == 0);
            at->flags &= ~(uint32_t)(SEGMENT_COMMITS | SEGMENT_FAILED | SEGMENT_COLD);
            segments_busy(e, i);
        }
    }
}
