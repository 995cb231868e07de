/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/nvme_write.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/waiters.h"
#include "firmware/durable/journal.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/lib/telemetry.h"

/* Returns true when all data are on their way; a write that must be durable then waits for the
 * programs. */
bool hil_write(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint32_t sectors = c->sectors;
    const uint64_t first = c->lba >> e->geo->sector_shift;
    const uint8_t kind = cache_command(e, (uint64_t)sectors << SECTOR_SHIFT, c->stream);
    const bool fua = c->fua;
    for (uint32_t done = c->done; done < sectors;) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t to = cache_write(e, p.unit, p.mask);
        if (to == INDEX_NONE) {
            hil_note_wait(e, c);
            return false;
        }
        const uint32_t number = (uint32_t)(p.unit - first);
        struct fe_move move = {.op = FE_MOVE_FROM_HOST,
                               .wait = hil_waited(c),
                               .slot = (uint16_t)slot,
                               .dw0 = c->io.dw0,
                               .tag = ((uint32_t)MOVE_BUFFER_IN << MOVE_KIND_SHIFT) |
                                      cache_arrival(e, slot, number),
                               .offset = done << SECTOR_SHIFT,
                               .length = p.count << SECTOR_SHIFT,
                               .buffer = cache_data(e, to) + ((uint64_t)p.first << SECTOR_SHIFT)};
        cache_tell_command(e, to, kind);
        cache_expect(e, to, p.mask, cache_arrival(e, slot, number));
        if (cache_keeps_whole(e)) {
            cache_fill(e, to); /* if it cannot, it is completed before it leaves */
        }
        done += p.count;
        c->done = done;
        const bool last = done == sectors;
        if (fua) {
            cache_wait_for(e, to, slot, number);
            move.flags = last ? FE_MOVE_IRQ : 0; /* the program waits for it */
        }
        hil_finish_move(e, &move, last && !fua);
    }
    if (fua) {
        c->state = COMMAND_DURABLE;
        c->wait = FE_WAIT_PROGRAM;
        cache_unhold(e, slot);
    }
    return true;
}

void hil_begin_write(struct env* e, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    ++e->smart->host_write_commands;
    e->smart->host_write_sectors += c->sectors;
    if (e->hil->spoilt != 0 && !nvme_unspoil(e, c->lba, c->sectors)) {
        hil_complete(e, slot, NVME_SC_INTERNAL_ERROR, 0);
        return;
    }
    if (c->fua) {
        cache_hold(e, slot);
    }
    hil_start_write(e, slot);
}

void hil_start_flush(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    c->until.ticket = cache_flush(e);
    c->until.journal = journal_flush(e);
    if (e->hil->unspoilt != 0) {
        hil_save(e, slot, 0);
    } else {
        hil_end_flushed(e, slot);
    }
}
