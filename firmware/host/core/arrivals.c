/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/arrivals.h"

#include "firmware/host/core/commands.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/nvme_admin.h"
#include "firmware/host/nvme/nvme_io.h"

/* ---- From the rings ---- */

void arrivals_done(struct env* e)
{
    const struct fe_move_done* d;
    while ((d = front_end_done(e)) != NULL) {
        FW_ASSERT(e, d->slot < front_end_slots(e));
        const bool last = (d->tag & MOVE_LAST) != 0; /* its slot may have another command by now */
        if (last) {
            hil_left(e, d->slot);
        } else if (d->tag >> MOVE_KIND_SHIFT != MOVE_HOST_MEMORY) {
            hal_mark(e->hal, d->slot);
        }
        commands_moved(e, d->tag, d->status != FE_DONE_OK);
        if (!last) {
            hal_mark(e->hal, HAL_NO_COMMAND);
        }
    }
}

static void begin(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, e->hil->active < front_end_slots(e));
    command_of(e, slot)->state = COMMAND_READ; /* not idle; its handler says what it is */
    hil_begin(e);
}

static void begin_admin(struct env* e, const struct fe_command* f)
{
    run_due(e, DUE_STEPS);
    begin(e, f->slot);
    hil_admin(e, f);
}

void arrivals_commands(struct env* e, bool kept_out)
{
    const struct fe_command* f;
    while ((f = front_end_command(e)) != NULL) {
        e->hil->io_taken |= f->sq_id;
        if (command_of(e, f->slot)->posted) {
            arrivals_done(e); /* the slot is taken again: its last completion is in the ring */
        }
        hal_mark(e->hal, f->slot);
        hil_accept(e, f->slot, f->sq_id, f->sqe.cid);
        if (kept_out) {
            hil_kept_out(e, f->slot);
        }
        if (!hil_is_io(e, f)) {
            begin_admin(e, f);
        } else {
            const struct host_request r = hil_parse(e, f);
            begin(e, f->slot);
            hil_io(e, f->slot, &r);
        }
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    power_taken(e);
}

/* Commands may wait that are not taken: a drive that sleeps gets up. */
static void look_at_door(struct env* e)
{
    if ((e->hil->closed & CLOSED_POWER) != 0 && front_end_has_command(e)) {
        power_knock(e);
    }
}

static bool drop_commands(struct env* e)
{
    const bool some = front_end_has_command(e);
    while (front_end_command(e) != NULL) {
    }
    return some;
}

bool arrivals_else(struct env* e)
{
    struct hil* h = e->hil;
    const bool opened = h->opened != 0;
    const bool found = front_end_has_done(e);
    h->opened = 0;
    hil_takes_anew(h);
    if (found) {
        arrivals_done(e);
    }
    if (h->state == HIL_READY && h->closed == 0 && front_end_has_command(e)) {
        arrivals_commands(e, opened);
        return true;
    }
    if (h->state == HIL_READY) {
        look_at_door(e);
    } else if (h->state == HIL_STOPPING) { /* a command that comes now has no completion */
        return drop_commands(e) || found;
    } else if (h->state == HIL_RESETTING) {
        controller_finish_reset(e);
        return found && h->state != HIL_DISABLED;
    }
    return found;
}

/* ---- From the host role on a core of its own ---- */

/* What the host role passes on of one command. A reset may have come between. */
static void take_passed(struct env* e, const struct host_message* m)
{
    if (e->hil->state != HIL_READY) {
        return;
    }
    if (m->kind == HOST_COMMAND) {
        env_touch(e, command_of(e, m->slot), sizeof(struct command), true);
        begin(e, m->slot);
        e->hil->io_taken |= 1;
        hil_io(e, m->slot, &m->request);
    } else {
        const struct fe_command f = {.sqe = m->sqe, .slot = m->slot};
        begin_admin(e, &f);
    }
}

/* Likewise a read, which may bring the flash read along that it is to use. */
static void take_read(struct env* e, const struct host_message* m)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->spare == INDEX_NONE);
    h->spare = m->value;
    if (h->state == HIL_READY) {
        env_touch(e, command_of(e, m->slot), sizeof(struct command), true);
        begin(e, m->slot);
        h->io_taken |= 1;
        hil_io_read(e, m->slot);
    }
    if (h->spare != INDEX_NONE) { /* no use for it */
        flash_free(e, h->spare);
        h->spare = INDEX_NONE;
    }
}

/* The slot whose command a message is about, or HAL_NO_COMMAND. */
static uint32_t command_of_message(const struct host_message* m)
{
    const bool ended = m->kind == HOST_DONE && ((m->value & MOVE_LAST) != 0 ||
                                                m->value >> MOVE_KIND_SHIFT <= MOVE_PAGE_OUT);
    if (ended || m->kind == HOST_CONTROL || m->kind == HOST_KNOCK) {
        return HAL_NO_COMMAND;
    }
    return m->kind == HOST_DONE ? hil_command_of_move(m->value, m->slot) : m->slot;
}

void arrivals_passed(struct env* e)
{
    struct mailbox* events = cores_events(e);
    const uint32_t end = mailbox_end(events);
    bool asked = false;
    for (uint32_t i = events->head; i != end; ++i) {
        const struct host_message* m = mailbox_place(e, events, i);
        hal_mark(e->hal, command_of_message(m));
        switch (m->kind) {
        case HOST_READ:
            take_read(e, m);
            break;
        case HOST_DONE:
            commands_moved(e, m->value, m->failed);
            break;
        case HOST_KNOCK:
            if ((e->hil->closed & CLOSED_POWER) != 0) {
                power_knock(e);
            }
            break;
        case HOST_CONTROL:
            front_end_told_cc(e, m->value);
            asked = true;
            break;
        default:
            take_passed(e, m);
            break;
        }
    }
    hal_mark(e->hal, HAL_NO_COMMAND);
    mailbox_taken(e, events, end);
    if (e->hil->state == HIL_RESETTING) {
        controller_finish_reset(e);
    }
    if (asked) {
        controller_look(e);
    }
}
