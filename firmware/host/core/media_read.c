/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads with Force Unit Access: what the buffer alone has of their range is programmed first, then
 * all of it is read from the flash (NVM command set 1.0 section 3.2.4, ATA8-ACS section 7.30).
 */
#include "firmware/buffer/cache.h"
#include "firmware/buffer/waiters.h"
#include "firmware/host/nvme/nvme_io.h"

bool hil_commit(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    uint32_t waits = 0;
    FW_ASSERT(e, c->state == COMMAND_READ && c->media);
    while (c->done < c->sectors && waits < cache_waits_most(e)) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t from = cache_find_volatile(e, p.unit);
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
    return false;
}
