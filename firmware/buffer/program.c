/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: programming write units, and what becomes of their slots.
 */
#include "firmware/buffer/program.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/buffer/waiters.h"
#include "firmware/gc/pace.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/telemetry.h"
#include "firmware/map/ftl.h"
#include "firmware/ops/requests.h"
#include "firmware/slc/policy.h"
#include "firmware/space/capacity.h"
#include "firmware/space/erase.h"
#include "firmware/space/retention.h"
#include "firmware/space/slc.h"
#include "firmware/space/spare.h"

void cache_start_program(struct env* e, const struct gather* g, const struct write_unit* w)
{
    struct cache* c = e->cache;
    const uint32_t i = flash_take(e, OWNER_PROGRAM);
    FW_ASSERT(e, i != INDEX_NONE);
    FW_ASSERT(e, g->count <= w->units);
    struct flash_request* r = flash_request_of(e, i);
    uint64_t* list = flash_list(e, i);
    uint64_t* word = flash_oob(e, i);
    flash_program_pages(e, r, FLASH_PURPOSE_HOST, 1);
    r->plane_mask = (uint8_t)w->plane_mask;
    r->lun = (uint16_t)w->lun;
    r->block = w->block;
    r->page = w->page;
    r->host_program.wait = (uint8_t)c->held;
    const uint64_t stamp = retention_program(e, r, g->shallow);
    uint32_t end = 0; /* of the units of a page */
    for (uint32_t n = 0; n < w->units; ++n, ++word) {
        if (n == end) {
            ++word; /* the next one's header */
            end += e->geo->page_units;
        }
        if (n >= g->count || g->slot[n] == INDEX_NONE) {
            list[n] = flash_zero(e);
            *word = spare_pack(SPARE_PAD, 0);
            continue;
        }
        const struct cache_slot* s = cache_slot_of(e, c, g->slot[n]);
        cache_programs(e, g->slot[n]);
        list[n] = cache_data(e, g->slot[n]);
        *word = spare_pack(SPARE_DATA, s->unit) | stamp;
        if (!cache_whole(e, s)) {
            *word |= SPARE_LOST;
            sectors_zero(e, list[n], cache_missing(e, s));
        }
    }
    gc_host_wrote(e, w->block, g->count);
    flash_submit(e, i);
}

/* The program of a slot failed: its data must go elsewhere. If newer data of the unit wait, they
 * take over the promise that a flush or a waiting command was given. */
void cache_program_failed(struct env* e, uint32_t slot)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    struct link* ages = env_dram(e, c->age_links);
    const uint32_t newer = cache_find(e, s->unit);
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    FW_ASSERT(e, c->programming > 0);
    cache_announce(e);
    --c->programming;
    if (newer == slot) {
        s->state = SLOT_DIRTY;
        ++c->dirty;
        cache_changed(e, slot);
        cache_order_add(e, slot, true);
        cache_make_urgent(e, slot);
        return;
    }
    if (newer != INDEX_NONE && cache_slot_of(e, c, newer)->older == slot) {
        struct cache_slot* n = cache_slot_of(e, c, newer);
        uint32_t* nodes = env_dram(e, c->nodes);
        n->older = INDEX_NONE;
        n->sequence = cache_slot_of(e, c, c->age.first)->sequence;
        chain_remove(&c->age, ages, newer);
        chain_prepend(&c->age, ages, newer);
        while (s->waiters != INDEX_NONE) {
            const uint32_t node = s->waiters;
            s->waiters = nodes[node];
            nodes[node] = n->waiters;
            n->waiters = node;
        }
        cache_make_urgent(e, newer);
    }
    --e->telemetry->buffer_dirty;
    chain_remove(&c->age, ages, slot);
    s->state = SLOT_GONE;
    cache_end_waiters(e, slot, 0);
    cache_release(e, slot);
}

void cache_programmed(struct env* e, uint32_t slot, int lost)
{
    struct cache* c = e->cache;
    struct cache_slot* s = cache_slot_of(e, c, slot);
    FW_ASSERT(e, s->state == SLOT_PROGRAMMING);
    FW_ASSERT(e, c->programming > 0);
    const uint32_t newer = (s->flags & SLOT_HASHED) != 0 ? INDEX_NONE : cache_find(e, s->unit);
    if (newer != INDEX_NONE && cache_slot_of(e, c, newer)->older == slot) {
        cache_slot_of(e, c, newer)->older = INDEX_NONE;
    }
    --c->programming;
    --e->telemetry->buffer_dirty;
    chain_remove(&c->age, env_dram(e, c->age_links), slot);
    if (c->keeps != 0 && (s->flags & SLOT_HASHED) != 0 && !lost) {
        s->state = SLOT_CLEAN;
        s->flags = (uint8_t)(s->flags & ~SLOT_LOST); /* whole, here and on the flash */
        cache_announce(e);
        cache_end_waiters(e, slot, 0);
        cache_changed(e, slot);
        return;
    }
    cache_unhash(e, slot);
    s->state = SLOT_GONE;
    if (s->waiters != INDEX_NONE) {
        cache_end_waiters(e, slot, lost);
    }
    cache_release_gone(e, slot);
}

static void programmed(struct env* e, const struct ftl_ops* ftl, uint32_t slot, uint64_t address)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    const bool kept = (s->flags & SLOT_DISCARD) == 0;
    const bool lost = kept && !cache_whole(e, s);
    if (kept) {
        retention_before(e);
        ftl->commit(e, s->unit, address);
        retention_after(e, s->unit);
    }
    if (lost) {
        ftl->lose(e, s->unit);
    }
    cache_programmed(e, slot, lost);
}

/* The places that the data of a page came from. Returns how many of them are no padding. */
static uint32_t plane_done(struct env* e, const uint64_t* list, const struct place* p, bool failed)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    const uint64_t address = unit_address(e->geo, p, 0);
    uint32_t units = 0;
    for (uint32_t n = 0; n < e->geo->page_units; ++n) {
        if (list[n] == flash_zero(e)) {
            continue;
        }
        const uint32_t slot = cache_slot_at(e, list[n]);
        const uint64_t unit = cache_slot_of(e, e->cache, slot)->unit;
        if (failed) {
            cache_program_failed(e, slot);
        } else {
            programmed(e, ftl, slot, address + n);
        }
        ftl->unpin(e, unit);
        ++units;
    }
    return units;
}

/* Every unit that was put on the flash counts, whether it stayed there or not. */
static void account(struct env* e, uint32_t block, uint32_t room, uint32_t units)
{
    e->telemetry->pad_units += room - units;
    e->telemetry->host_units_written += units;
    if (slc_on(e)) {
        slc_wrote(e, block, units);
    }
}

void cache_program_done(struct env* e, const struct flash_result* result)
{
    struct flash_request* r = flash_request_of(e, result->request);
    struct place p;
    const uint64_t* list = flash_list(e, result->request);
    uint32_t units = 0;
    FW_ASSERT(e, result->status == FLASH_STATUS_OK || result->plane_fail != 0);
    ftl_ended(e, r->sequence);
    p.block = r->block;
    p.page = r->page;
    p.lun = r->lun;
    p.plane = 0;
    if (result->plane_fail != 0) {
        const struct erase_piece failed = {r->block, r->lun, result->plane_fail};
        blocks_retire(e, &failed, RETIRE_PROGRAM);
    }
    for (uint32_t rest = r->plane_mask; rest != 0; rest &= rest - 1, list += e->geo->page_units) {
        p.plane = lowest_bit(rest);
        units += plane_done(e, list, &p, ((result->plane_fail >> p.plane) & 1u) != 0);
    }
    account(e, r->block, count_bits(r->plane_mask) * e->geo->page_units, units);
    for (uint32_t rest = r->fail_mask; rest != 0; rest &= rest - 1, list += e->geo->page_units) {
        p.plane = lowest_bit(rest);
        (void)plane_done(e, list, &p, true);
    }
    blocks_unpend(e, r->block);
    flash_free(e, result->request);
}
