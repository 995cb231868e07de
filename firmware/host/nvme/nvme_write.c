/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/nvme/nvme_write.h"

#include "firmware/buffer/fill.h"
#include "firmware/buffer/waiters.h"
#include "firmware/durable/journal.h"
#include "firmware/host/nvme/uncorrectable.h"
#include "firmware/lib/telemetry.h"

/* ---- Data in runs ----
 *
 * Units whose slots lie one behind the other come with one move, which the arrival of the first of
 * them names: one order, one completion and one transfer over the link for all of them.
 */

enum { RUN_MOST = 16384 }; /* bytes of a move: what a page of the flash takes, usually */

struct data_run {
    struct fe_move move; /* .length = 0: there is none */
    uint32_t arrival;    /* of its first unit */
};

/* Commands that do something with their data beside taking them in do so unit by unit. */
static bool is_plain(const struct env* e, const struct command* c)
{
    return e->hil->ata.on == 0 && c->divert == DIVERT_NOT;
}

static bool joins(const struct data_run* r, uint64_t buffer, uint32_t bytes)
{
    return r->move.length != 0 && r->move.length + bytes <= RUN_MOST &&
           r->move.buffer + r->move.length == buffer;
}

/* The run ends here, the command's data with it or not. */
static void send(struct env* e, struct data_run* r, bool last)
{
    if (r->move.length != 0) {
        hil_finish_move(e, &r->move, last);
        r->move.length = 0;
    }
}

static void begin_run(struct env* e, struct data_run* r, uint32_t slot, uint32_t number)
{
    struct command* c = command_of(e, slot);
    r->arrival = cache_arrival(e, slot, number);
    r->move = (struct fe_move){.op = FE_MOVE_FROM_HOST,
                               .wait = hil_waited(c),
                               .slot = (uint16_t)slot,
                               .dw0 = c->io.dw0,
                               .tag = ((uint32_t)MOVE_BUFFER_IN << MOVE_KIND_SHIFT) | r->arrival,
                               .offset = c->done << SECTOR_SHIFT};
}

/* Returns true when all data are on their way; a write that must be durable then waits for the
 * programs. */
bool hil_write(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    const uint64_t first = c->lba >> e->geo->sector_shift;
    const uint8_t kind = cache_command(e, (uint64_t)c->sectors << SECTOR_SHIFT, c->stream);
    const bool plain = is_plain(e, c);
    const bool fua = c->fua;
    struct data_run run;
    run.move.length = 0;
    while (c->done < c->sectors) {
        const struct piece p = hil_next_piece(e, c);
        const uint32_t to = cache_write(e, p.unit, p.mask);
        if (to == INDEX_NONE) {
            send(e, &run, false);
            hil_note_wait(e, c);
            return false;
        }
        const uint32_t number = (uint32_t)(p.unit - first);
        const uint32_t bytes = p.count << SECTOR_SHIFT;
        const uint64_t buffer = cache_data(e, to) + ((uint64_t)p.first << SECTOR_SHIFT);
        cache_tell_command(e, to, kind);
        cache_expect(e, to, p.mask, cache_arrival(e, slot, number));
        if (cache_keeps_whole(e)) {
            cache_fill(e, to); /* if it cannot, it is completed before it leaves */
        }
        if (joins(&run, buffer, bytes)) {
            cache_expect_with(e, run.arrival);
        } else {
            send(e, &run, false);
            begin_run(e, &run, slot, number);
            run.move.buffer = buffer;
        }
        run.move.length += bytes;
        c->done += p.count;
        if (!plain && c->done < c->sectors) {
            send(e, &run, false);
        }
        if (fua) {
            cache_wait_for(e, to, slot, number);
        }
    }
    run.move.flags = fua ? FE_MOVE_IRQ : 0; /* the program waits for the last data */
    send(e, &run, !fua);
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
