/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: eviction where the scheme says of each unit which page it goes to (block and hybrid
 * mapping), a page at a time. A unit that has to wait for a merge lets those behind it go first,
 * but for those of its own logical block: a log block that is written in order is worth a copy
 * less.
 */
#include "firmware/buffer/placed.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/merged.h"
#include "firmware/buffer/program.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/gc/pace.h"
#include "firmware/lib/bits.h"
#include "firmware/map/ftl.h"
#include "firmware/map/modes.h"
#include "firmware/ops/requests.h"
#include "firmware/space/pool.h"
#include "firmware/space/spare.h"

enum {
    LOOK_AHEAD = 256, /* slots that are looked at for one program */
    WAITING_MOST = 16 /* logical blocks that may wait meanwhile */
};

struct waiting { /* logical blocks that a unit waits of, which was looked at before */
    uint32_t count;
    uint32_t lblock[WAITING_MOST];
};

static bool is_waiting(const struct waiting* w, uint32_t lblock)
{
    for (uint32_t i = 0; i < w->count; ++i) {
        if (w->lblock[i] == lblock) {
            return true;
        }
    }
    return false;
}

static void program(struct env* e, uint32_t slot, const struct ftl_place* at)
{
    struct cache* c = e->cache;
    const struct cache_slot* s = cache_slot_of(e, c, slot);
    const uint64_t missing = e->geo->unit_mask & ~s->valid;
    const uint32_t i = flash_take(e, OWNER_PROGRAM);
    FW_ASSERT(e, i != INDEX_NONE && s->state == SLOT_DIRTY);
    struct flash_request* r = flash_request_of(e, i);
    flash_program_pages(e, r, FLASH_PURPOSE_HOST, 1);
    r->plane_mask = 1;
    r->lun = 0;
    r->block = at->block;
    r->page = at->page;
    r->host_program.wait = (uint8_t)(s->blocked != 0 ? (uint32_t)CACHE_WAIT_GC : c->held);
    cache_unblocked(e, slot);
    cache_programs(e, slot);
    flash_list(e, i)[0] = cache_data(e, slot);
    flash_oob(e, i)[spare_word(e->geo, 0)] =
        spare_pack(at->kind, s->unit) | (missing != 0 ? SPARE_LOST : 0);
    if (missing != 0) {
        sectors_zero(e, cache_data(e, slot), missing);
    }
    ++superblock_of(e, e->blocks, at->block)->pending;
    gc_stirred(e, 1);
    flash_submit(e, i);
}

/* true = the slot is on its way. */
static bool evict_slot(struct env* e, uint32_t slot)
{
    const struct ftl_ops* ftl = ftl_ops_of(e);
    struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    struct ftl_place at = {INDEX_NONE, 0, 0};
    if (!cache_ready(e, slot)) {
        return false;
    }
    const bool pinned = ftl->pin(e, s->unit);
    if (pinned && ftl->place(e, s->unit, &at)) {
        FW_ASSERT(e, at.block < e->geo->blocks && at.page < e->geo->pages);
        program(e, slot, &at);
        return true;
    }
    if (pinned) {
        ftl->unpin(e, s->unit);
    }
    cache_blocked(e, slot);
    return false;
}

/* The first slot of a chain that can go, not younger than `until`. false = none can. */
static bool evict_from(struct env* e, const struct chain* chain, const struct link* links,
                       uint64_t until)
{
    uint32_t left = LOOK_AHEAD;
    struct waiting waiting = {0, {0}};
    for (uint32_t i = chain->first; i != INDEX_NONE && left != 0; --left) {
        const struct cache_slot* s = cache_slot_of(e, e->cache, i);
        const uint32_t next = links[i].next;
        const uint32_t lblock = ftl_lblock(e, s->unit);
        if (s->sequence > until) {
            return false;
        }
        if (!is_waiting(&waiting, lblock)) {
            if (evict_slot(e, i)) {
                return true;
            }
            if (s->state == SLOT_DIRTY && waiting.count == WAITING_MOST) {
                return false;
            }
            if (s->state == SLOT_DIRTY) {
                waiting.lblock[waiting.count++] = lblock;
            }
        }
        i = next;
    }
    return false;
}

bool cache_evict_placed(struct env* e)
{
    struct cache* c = e->cache;
    if (!flash_may_take(e, OWNER_PROGRAM)) {
        c->blocked = CACHE_WAIT_PROGRAM;
        return false;
    }
    if (ftl_holds(e) || ftl_spent(e)) {
        return false;
    }
    if (!blocks_gate_open(e)) {
        blocks_knock(e);
        c->blocked = CACHE_WAIT_GC; /* for a record, which may never be written any more */
        return false;
    }
    if (evict_from(e, &c->urgent, env_dram(e, c->lru_links), UINT64_MAX)) {
        return true;
    }
    if (cache_flush_waits(e) &&
        evict_from(e, &c->age, env_dram(e, c->age_links), c->flush_sequence)) {
        return true;
    }
    if (evict_from(e, &c->staged.leaving, env_dram(e, c->lru_links), UINT64_MAX)) {
        return true;
    }
    const bool orders = c->staged.on == 0 || (c->keeps != 0 && cache_over_limit(e));
    if (orders && cache_over_high(e) &&
        evict_from(e, &c->lru, env_dram(e, c->lru_links), UINT64_MAX)) {
        return true;
    }
    c->hungry = 1; /* data have to land, or a merge has to end */
    return false;
}
