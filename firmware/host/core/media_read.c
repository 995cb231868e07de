/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads with Force Unit Access: what the buffer alone has of their range is programmed first, then
 * all of it is read from the flash (NVM command set 1.0 section 3.2.4, ATA8-ACS section 7.30).
 */
#include "firmware/buffer/cache.h"
#include "firmware/buffer/waiters.h"
#include "firmware/host/nvme/nvme_io.h"

/* The newest data of the unit are not on the flash yet: the slot that has them, or INDEX_NONE. */
static uint32_t find_volatile(struct env* e, uint64_t unit)
{
    const uint32_t slot = cache_find(e, unit);
    FW_ASSERT(e, slot == INDEX_NONE || slot < e->cache->slots);
    if (slot == INDEX_NONE) {
        return INDEX_NONE;
    }
    const uint32_t state = cache_slot_of(e, e->cache, slot)->state;
    return state == SLOT_DIRTY || state == SLOT_PROGRAMMING ? slot : INDEX_NONE;
}

bool hil_commit(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    uint32_t waits = 0;
    FW_ASSERT(e, c->state == COMMAND_READ && c->media);
    while (c->done < c->sectors && waits < e->cache->nodes_each) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t from = find_volatile(e, p.unit);
        if (from != INDEX_NONE) {
            cache_wait_for(e, from, slot, waits++);
        }
        c->done += p.count;
    }
    if (waits == 0) {
        c->done = 0;
        return true;
    }
    run_due(e, DUE_STEPS); /* the buffer has work by a read */
    c->state = COMMAND_COMMIT;
    c->wait = FE_WAIT_PROGRAM;
    FW_ASSERT(e, waits <= e->cache->nodes_each);
    return false;
}
