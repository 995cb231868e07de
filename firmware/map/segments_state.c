/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/map/segments_state.h"

#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/modes.h"
#include "firmware/space/spare.h"
#include "firmware/space/valid.h"

bool segments_there(struct env* e, uint32_t n)
{
    const uint32_t i = segment_of(e, n)->slot;
    return i != INDEX_NONE && (segment_slot_of(e, i)->flags & SEGMENT_LOADS) == 0;
}

bool segments_dirty(struct env* e, uint32_t slot)
{
    const uint32_t n = segment_slot_of(e, slot)->segment;
    const uint64_t end = segment_end(e, n);
    FW_ASSERT(e, segments_there(e, n));
    for (uint64_t page = (uint64_t)n * e->maps->segment; page < end; ++page) {
        if ((*maps_flags(e, e->maps, 1, page) & MAP_DIRTY) != 0) {
            return true;
        }
    }
    return false;
}

void segments_busy(struct env* e, uint32_t slot)
{
    struct segment_slot* at = segment_slot_of(e, slot);
    const bool before = (at->flags & SEGMENT_BUSY) != 0;
    const bool now = (at->flags & (SEGMENT_LOADS | SEGMENT_COMMITS | SEGMENT_LEAVES)) != 0;
    struct chain* busy = &e->segments->busy;
    if (now && !before) {
        at->flags |= SEGMENT_BUSY;
        chain_append(busy, env_dram(e, e->segments->busy_links), slot);
    } else if (before && !now) {
        at->flags &= ~(uint32_t)SEGMENT_BUSY;
        chain_remove(busy, env_dram(e, e->segments->busy_links), slot);
    }
    FW_ASSERT(e, now == ((at->flags & SEGMENT_BUSY) != 0));
}

void segments_drop(struct env* e, uint32_t slot)
{
    struct segments* s = e->segments;
    struct segment_slot* at = segment_slot_of(e, slot);
    const uint32_t n = at->segment;
    const uint64_t end = segment_end(e, n);
    FW_ASSERT(e, segment_of(e, n)->pins == 0 && !segments_dirty(e, slot));
    for (uint64_t page = (uint64_t)n * e->maps->segment; page < end; ++page) {
        uint8_t* flags = maps_flags(e, e->maps, 1, page);
        *flags = (uint8_t)(*flags & ~MAP_RESIDENT);
    }
    FW_ASSERT(e, (at->flags & (SEGMENT_LOADS | SEGMENT_COMMITS)) == 0);
    s->leaving -= (at->flags & SEGMENT_LEAVES) != 0 ? 1u : 0u;
    at->flags &= ~(uint32_t)(SEGMENT_LEAVES | SEGMENT_FRESH);
    segments_busy(e, slot);
    segment_of(e, n)->slot = INDEX_NONE;
    at->segment = INDEX_NONE;
    chain_remove(&s->lru, segments_lru(e), slot);
    fifo_push(&s->empty, env_dram(e, s->empty_links), slot);
    ++e->telemetry->map_evictions;
}

void segments_empty_slots(struct env* e)
{
    struct segments* s = e->segments;
    chain_init(&s->lru);
    chain_init(&s->busy);
    fifo_init(&s->wanted);
    fifo_init(&s->empty);
    s->leaving = 0;
    s->cold = INDEX_NONE;
    for (uint32_t n = 0; n < s->count; ++n) {
        segment_of(e, n)->slot = INDEX_NONE;
    }
    for (uint32_t i = 0; i < s->slots; ++i) {
        mem_zero(segment_slot_of(e, i), sizeof(struct segment_slot));
        segment_slot_of(e, i)->segment = INDEX_NONE;
        fifo_push(&s->empty, env_dram(e, s->empty_links), i);
    }
    FW_ASSERT(e, s->empty.count == s->slots);
}

bool segments_outstanding(struct env* e, uint64_t order)
{
    const struct link* links = env_dram(e, e->segments->busy_links);
    for (uint32_t i = e->segments->busy.first; i != INDEX_NONE; i = links[i].next) {
        const struct segment_slot* at = segment_slot_of(e, i);
        if ((at->flags & SEGMENT_COMMITS) != 0 && at->order <= order) {
            return true;
        }
    }
    FW_ASSERT(e, order <= e->maps->out.order);
    return false;
}

void segments_address(struct env* e, struct flash_request* r, uint32_t block, uint32_t page)
{
    const struct map_block* b = map_block_of(e, block);
    r->purpose = (uint8_t)ftl_purpose(e, FLASH_PURPOSE_MAP);
    r->priority = 2;
    r->plane_mask = (uint8_t)(1u << b->plane);
    r->lun = b->lun;
    r->block = b->block;
    r->page = page;
    r->column = 0;
    r->length = e->geo->page_size;
    r->metadata = true;
    FW_ASSERT(e, page < e->geo->pages);
}

/* Page 0 has what the commit covers where the others have its number. */
bool segments_tells_covers(const struct env* e, uint32_t page)
{
    FW_ASSERT(e, page < e->geo->pages);
    return page == 0 && e->geo->pages > 1;
}

/* true = what was read is a page of the segment's newest commit. */
bool segments_whole(struct env* e, const struct flash_result* result, const struct segment* g,
                    uint64_t* sequence)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    FW_ASSERT(e, g->block != INDEX_NONE);
    return result->status == FLASH_STATUS_OK &&
           spare_read(e, flash_oob(e, result->request), sequence) &&
           (*sequence == g->number || segments_tells_covers(e, r->page));
}
