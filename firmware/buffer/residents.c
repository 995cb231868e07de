/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffer: exact residents.
 */
#include "firmware/buffer/residents.h"

#include "firmware/buffer/policy.h"
#include "firmware/buffer/slots.h"
#include "firmware/buffer/state.h"
#include "firmware/lib/telemetry.h"
#include "models/regs/parts/cache.h"

void cache_staged_size(struct env* e, uint64_t capacity, struct cache* out)
{
    const struct cache_policy_ops* ops = cache_policy_of(e);
    const uint32_t group = e->geo->group;
    const uint32_t at_work = cache_spare(e, capacity, cache_writers(e), out);
    const uint32_t all = out->slots;
    /* What is at work and as much that waits for it; less than a write unit waits for more. */
    uint32_t spare = 2 * at_work < all / 2 ? 2 * at_work : all / 2;
    spare = spare < 2 * group ? 2 * group : spare;
    if (e->told.cache->padding != 0) { /* pads are read while others are programmed */
        spare = 4 * at_work < all / 2 ? 4 * at_work : all / 2;
        spare = spare < 2 * group ? 2 * group : spare;
    }
    FW_ASSERT(e, all >= 2 * spare);
    out->staged.on = 1;
    out->staged.most = all - spare;
    out->high = all;
    if (e->told.cache->dirty_permille != 0) {
        out->high = cache_dirty_most(e, all);
        out->staged.most = ops->keeps != 0 ? all : out->high;
        out->slots = out->staged.most + spare > all ? out->staged.most + spare : all;
    }
    if (ops->keeps != 0) { /* reads and writes take turns */
        out->reserve = at_work / 2 < spare - group ? at_work / 2 : spare - group;
    } else {
        out->high = out->slots; /* all residents are dirty: their number is the limit */
        out->reserve = e->told.cache->padding != 0 ? spare - spare / 4 : 0;
        out->reserve = out->reserve > spare - group ? spare - group : out->reserve;
        out->reserved = out->reserve; /* for pads, always */
    }
    FW_ASSERT(e, out->staged.most != 0 && out->staged.most + spare <= out->slots);
}

void cache_let_go(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    FW_ASSERT(e, (s->flags & SLOT_HASHED) != 0 && !cache_leaving(e, slot));
    if (s->state == SLOT_CLEAN || s->state == SLOT_READING) {
        cache_drop(e, slot); /* who reads it has it pinned */
        ++e->telemetry->cache_evictions_clean;
        return;
    }
    FW_ASSERT(e, s->state == SLOT_DIRTY || s->state == SLOT_PROGRAMMING);
    const bool ordered = s->state == SLOT_DIRTY && (s->flags & SLOT_URGENT) == 0;
    cache_policy_of(e)->leave(e, slot);
    if (ordered) {
        cache_order_remove(e, slot);
    }
    cache_member_of(e, slot)->flags = MEMBER_LEAVING;
    if (ordered) {
        cache_order_add(e, slot, false);
    }
}

bool cache_left(struct env* e, uint32_t slot)
{
    const struct cache_slot* s = cache_slot_of(e, e->cache, slot);
    if (!cache_leaving(e, slot)) {
        return false;
    }
    if (s->state == SLOT_CLEAN) {
        cache_drop(e, slot);
    }
    return true;
}
