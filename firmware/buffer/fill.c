/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: filling partly written units from the flash.
 */
#include "firmware/buffer/fill.h"

#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/buffer/waiters.h"
#include "firmware/lib/run.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/requests.h"
#include "firmware/space/erase.h"

bool cache_lost(struct env* e, uint32_t slot, uint64_t mask)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    return (s->flags & SLOT_LOST) != 0 && (cache_missing(e, s) & mask) != 0;
}

void cache_zero(struct env* e, uint32_t slot, uint64_t mask)
{
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_CLEAN);
    sectors_zero(e, cache_data(e, slot), mask);
    s->valid |= mask;
    cache_announce(e);
}

void cache_fill(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    if ((s->flags & (SLOT_FILLING | SLOT_LOST)) != 0 || cache_missing(e, s) == 0 ||
        s->state == SLOT_READING) {
        return;
    }
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_CLEAN);
    if (s->older != INDEX_NONE) {
        /* Data never came that were to replace those of the slot being programmed, which the map
         * does not know yet: a reset, or a failed transfer. */
        const uint64_t mask = cache_missing(e, s) & cache_slot_of(e, c, s->older)->valid;
        sectors_copy(e, cache_data(e, slot), cache_data(e, s->older), mask);
        s->valid |= mask;
        return;
    }
    const uint64_t address = ftl_ops_of(e)->lookup(e, s->unit);
    if (address == FTL_UNKNOWN) {
        return; /* whoever asked asks again */
    }
    if (address == FTL_NONE) {
        cache_zero(e, slot, cache_missing(e, s));
        return;
    }
    if (ftl_lost(address)) {
        s->flags |= SLOT_LOST;
        return;
    }
    const uint32_t i = flash_take(e, OWNER_FILL);
    if (i == INDEX_NONE) {
        return;
    }
    struct flash_request* r = flash_request_of(e, i);
    const struct place p = address_place(e->geo, address);
    flash_read_page(r, &p, FLASH_PURPOSE_HOST, 0);
    r->column = address_unit(e->geo, address) << e->geo->unit_shift;
    r->length = e->geo->unit_size;
    r->buffer = flash_buffer(e, i);
    r->fill.unit = slot;
    s->flags |= SLOT_FILLING;
    cache_changed(e, slot);
    ftl_scanned(e, s->unit);
    ++superblock_of(e, e->blocks, p.block)->readers;
    e->telemetry->cache_padding_reads += cache_is_pad(e, slot) ? 1u : 0u;
    flash_submit(e, i);
    run_due(e, DUE_BUFFER); /* another one leaves instead */
}

void cache_fill_done(struct env* e, const struct flash_result* result)
{
    const struct flash_request* r = flash_request_of(e, result->request);
    const uint32_t slot = r->fill.unit;
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, (s->flags & SLOT_FILLING) != 0);
    FW_ASSERT(e, s->state != SLOT_FREE && s->state != SLOT_PROGRAMMING);
    s->flags = (uint8_t)(s->flags & ~SLOT_FILLING);
    if (s->state == SLOT_CLEAN && result->status != FLASH_STATUS_OK) {
        cache_drop(e, slot); /* whoever asked reads the flash, and is told */
    } else if (s->state != SLOT_GONE) {
        const uint64_t mask = cache_missing(e, s);
        if (result->status != FLASH_STATUS_OK && cache_is_pad(e, slot)) {
            cache_discard(e, slot); /* it may stay where it is, whatever it is */
        } else if (result->status != FLASH_STATUS_OK) {
            ++e->telemetry->media_errors;
            s->flags |= SLOT_LOST;
        } else {
            sectors_copy(e, cache_data(e, slot), r->buffer, mask);
            s->valid |= mask;
        }
        cache_changed(e, slot);
    }
    blocks_unread(e, r->block);
    flash_free(e, result->request);
    cache_release(e, slot);
}

bool cache_filled(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    cache_fill(e, slot);
    FW_ASSERT(e, s->landing == 0);
    return (cache_whole(e, s) || (s->flags & SLOT_LOST) != 0) && (s->flags & SLOT_FILLING) == 0;
}
