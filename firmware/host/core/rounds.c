/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/rounds.h"

#include "firmware/buffer/waiters.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/gc/pace.h"
#include "firmware/host/core/commands.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/waiting.h"
#include "firmware/host/nvme/events.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/nvme.h"
#include "firmware/host/nvme/nvme_admin.h"
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/host/nvme/transfers.h"

/* ---- What comes ---- */

static uint32_t take_dones(struct env* e)
{
    const struct fe_move_done* d;
    uint32_t found = 0;
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
        ++found;
    }
    return found;
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

static void take_command(struct env* e, const struct fe_command* f)
{
    /* The slot is taken again, so its last completion is in the ring by now. */
    if (command_of(e, f->slot)->posted) {
        (void)take_dones(e);
    }
    hal_mark(e->hal, f->slot);
    hil_accept(e, f->slot, f->sq_id, f->sqe.cid);
    if (!hil_is_io(e, f)) {
        begin_admin(e, f);
    } else {
        const struct host_request r = hil_parse(e, f);
        begin(e, f->slot);
        hil_io(e, f->slot, &r);
    }
    hal_mark(e->hal, HAL_NO_COMMAND);
}

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

static void step_remote(struct env* e)
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

/* Commands may wait that are not taken: a drive that sleeps gets up. */
static void look_at_door(struct env* e)
{
    if ((e->hil->closed & CLOSED_POWER) != 0 && front_end_has_command(e)) {
        power_knock(e);
    }
}

void hil_step(struct env* e, bool nvme_line)
{
    struct hil* h = e->hil;
    const struct fe_command* c;
    h->opened = 0;
    if (e->host_remote != 0) {
        step_remote(e);
        return;
    }
    uint32_t found = take_dones(e);
    if (h->state == HIL_READY && h->closed == 0) {
        while ((c = front_end_command(e)) != NULL) {
            h->io_taken |= c->sq_id;
            take_command(e, c);
            ++found;
        }
        power_taken(e, &h->power);
    } else if (h->state == HIL_READY) {
        look_at_door(e);
    } else if (h->state == HIL_STOPPING) { /* a command that comes now has no completion */
        while (front_end_command(e) != NULL) {
            ++found;
        }
    } else if (h->state == HIL_RESETTING) {
        controller_finish_reset(e);
        found = h->state == HIL_DISABLED ? 0 : found;
    }
    /* Reading CC stalls the core, and the rings explain nearly every interrupt. */
    if (nvme_line && found == 0) {
        controller_look(e);
    } else if (nvme_line) {
        h->cc_unchecked = 1;
    }
}

/* ---- What goes on ---- */

static void finish_durable(struct env* e)
{
    struct hil* h = e->hil;
    while (cache_has_done(e)) {
        const struct cache_done d = cache_next_done(e);
        hal_mark(e->hal, d.command);
        commands_programmed(e, &d);
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    while (h->flushes.head != INDEX_NONE && hil_is_flushed(e, command_of(e, h->flushes.head))) {
        const uint32_t slot = fifo_pop(&h->flushes, hil_wait_links(e));
        FW_ASSERT(e, command_of(e, slot)->state == COMMAND_FLUSH);
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
    }
}

/* A command may have ended that waited for programs. */
static bool may_finish(const struct env* e)
{
    return cache_has_done(e) || e->hil->flushes.count != 0;
}

static void resume_nvme(struct env* e)
{
    if (e->hil->saves.count != 0) {
        commands_saved(e);
    }
    if (e->hil->stepping != 0 || e->hil->transfers.count != 0) {
        e->hil->stepping = 0;
        metadata_step(e);
        nvme_transfers(e);
    }
    if ((e->hil->watch & WATCH_HEALTH) != 0) {
        nvme_watch(e);
    }
    if ((e->hil->watch & WATCH_UPDATE) != 0) {
        nvme_update_step(e);
    }
}

void hil_resume(struct env* e)
{
    e->hil->more = 0;
    if (e->hil->finding != 0) {
        controller_look(e);
    }
    if ((e->hil->saves.count | e->hil->transfers.count | e->hil->stepping | e->hil->watch) != 0) {
        resume_nvme(e);
    }
    e->hil->unmap = e->hil->unmap == UNMAP_WAITS ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    e->hil->barren = e->hil->barren == BARREN_NEXT ? BARREN_NOW : BARREN_NOT;
    commands_retry(e);
    e->hil->barren = BARREN_NOT;
    e->hil->unmap = e->hil->unmap == UNMAP_ANYWAY ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    FW_ASSERT(e, !cache_has_done(e));
}

/* ---- What is left ---- */

void hil_settle(struct env* e)
{
    struct hil* h = e->hil;
    if (h->deletes.count != 0) {
        hil_retry_deletes(e);
    }
    const uint32_t again = recovery_again(e) | (uint32_t)ftl_asks_again(e);
    if (again == 0 && !ftl_clearing(e) && (hil_lacks_room(e) || h->unmap == UNMAP_WAITS) &&
        !gc_hopeful(e)) {
        if (gc_rouse(e)) {
            h->more = 1;
        } else if (h->unmap == UNMAP_WAITS) { /* it makes garbage, which is what is missing */
            h->unmap = UNMAP_ANYWAY;
            h->more = 1;
        } else {
            hil_fail_writes(e);
        }
    }
    /* Who waits for entries may wait for a map page that waits for company which does not come. */
    if ((hil_reads_wait(h) | (h->transfers.count == 0 ? h->writes_waiting.count : 0)) != 0 &&
        maps_want_company(e) && flash_in_flight(e) == 0) {
        maps_hurry_all(e);
        h->more = 1;
    }
    if (again == 0 && hil_is_barren(e)) {
        h->barren = BARREN_NEXT;
        h->more = 1;
    }
    controller_look_late(e);
    if (h->shutting) {
        controller_shut_down(e);
        /* The last checkpoint begins in a round of its own. */
        h->more |= checkpoint_waits(e);
    }
    h->more |= again | recovery_again(e); /* the shutdown may have found that it starves */
    FW_ASSERT(e, h->state != HIL_DISABLED || h->active == 0);
}
