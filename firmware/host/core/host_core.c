/* SPDX-License-Identifier: Apache-2.0
 *
 * The host role: sets up contexts and keeps account of commands by queue, in every layout of roles.
 * On a core of its own it takes commands and mover completions from the front end's rings, checks,
 * passes on, and carries out what the ftl role orders. It knows nothing of data: it reads the size
 * of the drive, which does not change, and no table.
 *
 * Buffers of flash reads whose data have moved stay here for the next commands, so that most
 * completions are nobody else's business; but for when the ftl role waits for something.
 */
#include "firmware/host/core/host_core.h"

#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/lib/mem.h"
#include "firmware/ops/flash.h"

/* ---- On a core of its own ---- */

struct host_message* host_tell(struct env* e, uint32_t kind, uint32_t slot)
{
    struct host_message* m = cores_message(e, cores_events(e));
    FW_ASSERT(e, kind >= HOST_COMMAND && kind <= HOST_KNOCK);
    FW_ASSERT(e, slot < front_end_slots(e));
    m->kind = (uint8_t)kind;
    m->slot = (uint16_t)slot;
    return m;
}

void host_tell_done(struct env* e, uint32_t tag, uint32_t slot, bool failed)
{
    struct host_message* m = host_tell(e, HOST_DONE, slot);
    m->value = tag;
    m->failed = failed != 0;
}

void hil_host_start(struct env* e, struct host_core* h)
{
    const uint32_t quarter = flash_reads(e) / 4; /* the others are where they are needed */
    h->most = quarter < CORES_SPARE_READS ? quarter : CORES_SPARE_READS;
    fifo_init(&h->spare);
    FW_ASSERT(e, h->active == 0);
}

/* What the move holds on to. Completions that release nothing are told of only when the ftl role
 * waits for the rings, or for all that is under way. */
void host_release(struct env* e, struct host_core* h, const struct fe_move_done* d)
{
    const uint32_t kind = d->tag >> MOVE_KIND_SHIFT;
    const bool failed = d->status != FE_DONE_OK;
    const uint32_t index = d->tag & MOVE_INDEX_MASK;
    if (front_end_tells_all(e) || failed || kind > MOVE_PAGE_OUT) {
        host_tell_done(e, d->tag, d->slot, failed);
    } else if (kind == MOVE_PAGE_OUT && h->spare.count < h->most &&
               flash_pages(flash_request_of(e, index)) == 1) {
        fifo_push_front(&h->spare, flash_links(e), index);
    } else if (kind == MOVE_PAGE_OUT) {
        host_tell_done(e, d->tag, d->slot, false);
    }
}

static uint32_t pass_dones(struct env* e, struct host_core* h)
{
    const struct fe_move_done* d;
    uint32_t found = 0;
    while ((d = front_end_done(e)) != NULL) {
        if ((d->tag & MOVE_LAST) != 0) {
            hil_left(e, d->slot);
        }
        front_end_moved(e);
        host_release(e, h, d);
        ++found;
    }
    return found;
}

static uint32_t counts(struct env* e, const struct host_core* h, uint32_t slot)
{
    const struct command* c = command_of(e, slot);
    return (h->cc & NVME_CC_EN) != 0 && (c->sq_id != 0 || !c->awaits_event) ? 1u : 0u;
}

void host_pass(struct env* e, struct host_core* h, const struct fe_command* c)
{
    struct host_message* m = host_tell(e, hil_is_io(e, c) ? HOST_COMMAND : HOST_ADMIN, c->slot);
    if (m->kind == HOST_ADMIN) {
        m->sqe = c->sqe;
        return;
    }
    m->request = hil_parse(e, c);
    if (hil_only_reads(e, &m->request)) {
        m->kind = HOST_READ;
        m->value = fifo_pop(&h->spare, flash_links(e));
    }
}

static void pass_command(struct env* e, struct host_core* h, const struct fe_command* c,
                         bool kept_out)
{
    hil_accept(e, c->slot, c->sq_id, c->sqe.cid);
    if (kept_out) {
        hil_kept_out(e, c->slot);
    }
    /* One that waits for an event may stay for ever: nobody waits for it. Without CC.EN nobody
     * completes any. */
    command_of(e, c->slot)->awaits_event = c->sq_id == 0 && c->sqe.opcode == NVME_ADMIN_ASYNC_EVENT;
    h->active += counts(e, h, c->slot);
    host_pass(e, h, c);
}

/* Completions first, before each command: one whose slot is taken again has its last completion in
 * the ring by now, and what that releases comes before. */
static uint32_t pass_commands(struct env* e, struct host_core* h, bool kept_out)
{
    const struct fe_command* c;
    uint32_t found = pass_dones(e, h);
    if (h->closed != 0) {
        if (h->knocked == 0 && front_end_has_command(e)) {
            host_tell(e, HOST_KNOCK, 0);
            h->knocked = 1;
        }
        return found;
    }
    while ((c = front_end_command(e)) != NULL) {
        if (command_of(e, c->slot)->posted) {
            found += pass_dones(e, h);
        }
        ++found;
        hal_mark(e->hal, c->slot);
        pass_command(e, h, c, kept_out);
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    return found;
}

/* Reading CC stalls the core, and the rings explain nearly every interrupt. */
static void look_at_cc(struct env* e, struct host_core* h)
{
    const uint32_t cc = front_end_cc(e);
    h->unchecked = 0;
    if (cc == h->cc) {
        return;
    }
    h->cc = cc;
    host_tell(e, HOST_CONTROL, 0)->value = cc;
    if ((cc & NVME_CC_EN) == 0) {
        h->active = 0; /* nobody completes them */
    }
}

/* The ftl role waits for something: it gets all that is here, and hears of all that has moved. */
void host_open(struct env* e, struct host_core* h, uint32_t on)
{
    front_end_tell_all(e, on != 0);
    if (on == 0) {
        return;
    }
    if (h->spare.count == 0 && front_end_moved_untold(e)) {
        host_tell_done(e, (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT, 0, false);
    }
    while (h->spare.count != 0) {
        const uint32_t read = fifo_pop(&h->spare, flash_links(e));
        host_tell_done(e, ((uint32_t)MOVE_PAGE_OUT << MOVE_KIND_SHIFT) | read, 0, false);
    }
}

/* A completion is ordered. Its command counts no more from here, not from when the entry is with
 * the host: a completion of a quiet move wakes nobody, and a reset could go unseen behind the last
 * of them. */
static void ended(struct env* e, struct host_core* h, uint32_t slot)
{
    const uint32_t counted = counts(e, h, slot);
    h->active -= h->active != 0 ? counted : 0u;
}

static void move_read(struct env* e, struct host_core* h, uint32_t value)
{
    const uint32_t request = value & ~FRONT_READ_LAST;
    struct fe_move* move = front_end_place(e);
    hal_mark(e->hal, flash_request_of(e, request)->host_read.command);
    hil_page_move(e, move, request);
    move->flags = FE_MOVE_NOTIFY;
    if ((value & FRONT_READ_LAST) != 0) {
        move->flags = FE_MOVE_NOTIFY | FE_MOVE_CQE;
        move->tag |= MOVE_LAST;
        ended(e, h, move->slot);
    }
    front_end_placed(e);
}

static void obey(struct env* e, struct host_core* h)
{
    struct mailbox* orders = cores_orders(e);
    const uint32_t end = mailbox_end(orders);
    for (uint32_t i = orders->head; i != end; ++i) {
        const struct front_message* m = mailbox_place(e, orders, i);
        switch (m->kind) {
        case FRONT_READ:
            move_read(e, h, m->value);
            break;
        case FRONT_MOVE:
            hal_mark(e->hal, hil_command_of_move(m->move.tag, m->move.slot));
            *front_end_place(e) = m->move;
            front_end_placed(e);
            if ((m->move.flags & FE_MOVE_CQE) != 0) {
                ended(e, h, m->move.slot);
            }
            break;
        case FRONT_RESTART:
            front_end_restart(e);
            hil_forget_left(e);
            h->knocked = 0;
            break;
        case FRONT_CLOSE:
            h->closed = m->value;
            h->knocked = 0;
            break;
        case FRONT_CSTS:
            front_end_csts(e, m->value);
            break;
        default:
            FW_ASSERT(e, m->kind == FRONT_QUIET);
            host_open(e, h, m->value);
            break;
        }
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    mailbox_taken(e, orders, end);
}

void hil_serve(struct env* e, struct host_core* h, bool nvme_line)
{
    const uint32_t found = pass_commands(e, h, false);
    /* A SATA host that resets sends nothing more, and what commands still leave is quiet. */
    if (nvme_line && (found == 0 || e->hil->ata.on != 0)) {
        look_at_cc(e, h);
    } else if (nvme_line) {
        h->unchecked = 1;
    }
    const uint32_t closed = h->closed;
    obey(e, h);
    if (closed != h->closed) { /* those that came meanwhile, or that wait already */
        (void)pass_commands(e, h, closed != 0);
    }
    front_end_rest(e, front_end_tells_all(e));
    if (h->unchecked != 0 && h->active == 0) {
        look_at_cc(e, h);
    }
}
