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
#include "firmware/flash/flash.h"
#include "firmware/hil/hil.h"
#include "firmware/hil/nvme_io.h"
#include "firmware/lib/mem.h"

static uint32_t* commands_of(struct env* e, const struct command* c)
{
    return &e->hil->commands_of[c->sq_id < QUEUES_MAX ? c->sq_id : 0];
}

void hil_accept(struct env* e, uint32_t slot, uint32_t sq_id)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_IDLE && c->posted == 0);
    FW_ASSERT(e, slot < e->front_end->slots);
    env_touch(e, c, sizeof *c, 1);
    mem_zero(c, sizeof *c);
    c->sq_id = (uint16_t)sq_id;
    c->buffer = INDEX_NONE;
    ++*commands_of(e, c);
}

void hil_left(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    if (c->posted == 0) { /* a reset came between */
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_IDLE);
    FW_ASSERT(e, *commands_of(e, c) > 0);
    c->posted = 0;
    --*commands_of(e, c);
}

void hil_forget_left(struct env* e)
{
    FW_ASSERT(e, e->host_remote == 0);
    for (uint32_t i = 0; i < e->front_end->slots; ++i) {
        command_of(e, i)->posted = 0;
    }
    for (uint32_t i = 0; i <= QUEUES_MAX; ++i) {
        e->hil->commands_of[i] = 0;
    }
}

/* ---- On a core of its own ---- */

static struct host_message* tell(struct env* e, uint32_t kind, uint32_t slot)
{
    struct host_message* m = cores_message(e, &e->cores->events);
    FW_ASSERT(e, kind >= HOST_COMMAND && kind <= HOST_READ);
    FW_ASSERT(e, slot < e->front_end->slots);
    m->kind = (uint8_t)kind;
    m->slot = (uint16_t)slot;
    return m;
}

static uint32_t pass_dones(struct env* e)
{
    const struct fe_move_done* d;
    uint32_t found = 0;
    while ((d = front_end_done(e)) != NULL) {
        struct host_message* m = tell(e, HOST_DONE, d->slot);
        m->value = d->tag;
        m->failed = d->status != FE_DONE_OK;
        ++found;
    }
    FW_ASSERT(e, found <= e->front_end->done_entries);
    return found;
}

static void pass_command(struct env* e, struct host_core* h, const struct fe_command* c)
{
    struct host_message* m = tell(e, c->sq_id == 0 ? HOST_ADMIN : HOST_COMMAND, c->slot);
    hil_accept(e, c->slot, c->sq_id);
    ++h->active;
    if (c->sq_id == 0) {
        m->sqe = c->sqe;
        return;
    }
    m->request = hil_parse(e, c->slot, &c->sqe);
    if (m->request.opcode == NVME_IO_READ && m->request.status == NVME_SC_SUCCESS) {
        m->kind = HOST_READ;
        m->value = fifo_pop(&h->spare, links_of(e));
    }
    FW_ASSERT(e, h->active <= e->front_end->slots);
}

/* Completions first, before each command: one whose slot is taken again has its last completion in
 * the ring by now, and what that releases comes before. */
static uint32_t pass_commands(struct env* e, struct host_core* h)
{
    const struct fe_command* c;
    uint32_t found = pass_dones(e);
    while ((c = front_end_command(e)) != NULL) {
        found += 1 + pass_dones(e, h);
        struct host_message* m = tell(e, hil_is_io(e, c) ? HOST_COMMAND : HOST_ADMIN, c->slot);
        m->sq_id = c->sq_id;
        if (m->kind == HOST_ADMIN) {
            m->sqe = c->sqe;
        } else {
            m->request = hil_parse(e, &c->sqe);
        }
        /* One that waits for an event stays for ever: nobody waits for it. */
        h->active += c->sq_id != 0 || c->sqe.opcode != NVME_ADMIN_ASYNC_EVENT;
    }
    FW_ASSERT(e, found <= e->front_end->done_entries + e->front_end->command_entries);
    return found;
}

/* Reading CC stalls the core, and the rings explain nearly every interrupt. */
static void look_at_cc(struct env* e, struct host_core* h)
{
    const uint32_t cc = front_end_cc(e);
    h->unchecked = 0;
    FW_ASSERT(e, e->host_remote == 0);
    if (cc == h->cc) {
        return;
    }
    h->cc = cc;
    tell(e, HOST_CONTROL, 0)->value = cc;
    if ((cc & NVME_CC_EN) == 0) {
        h->active = 0; /* nobody completes them */
    }
}

/* The ftl role waits for something: it gets all that is here, and hears of all that has moved. */
static void be_open(struct env* e, struct host_core* h, uint32_t on)
{
    e->front_end->wants_quiet = on;
    FW_ASSERT(e, on <= 1);
    if (on == 0) {
        return;
    }
    if (h->spare.count == 0 && e->front_end->moved != e->cores->moved) {
        tell_done(e, (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT, 0, 0);
    }
    while (h->spare.count != 0) {
        const uint32_t read = fifo_pop(&h->spare, links_of(e));
        tell_done(e, ((uint32_t)MOVE_READ_BUFFER << MOVE_KIND_SHIFT) | read, 0, 0);
    }
}

static void move_read(struct env* e, uint32_t value)
{
    const uint32_t request = value & ~FRONT_READ_LAST;
    struct fe_move* move = front_end_place(e);
    FW_ASSERT(e, request < e->flash->reads);
    hil_page_move(e, move, request);
    move->wait = command_of(e, move->slot)->wait;
    move->flags = FE_MOVE_NOTIFY;
    if ((value & FRONT_READ_LAST) != 0) {
        move->flags = FE_MOVE_NOTIFY | FE_MOVE_CQE;
        move->tag |= MOVE_LAST;
    }
    front_end_placed(e);
}

static void obey(struct env* e, struct host_core* h)
{
    struct mailbox* orders = &e->cores->orders;
    const uint32_t end = mailbox_end(orders);
    for (uint32_t i = orders->head; i != end; ++i) {
        const struct front_message* m = mailbox_place(e, orders, i);
        switch (m->kind) {
        case FRONT_READ:
            move_read(e, m->value);
            break;
        case FRONT_MOVE:
            *front_end_place(e) = m->move;
            front_end_placed(e);
            break;
        case FRONT_RESTART:
            front_end_restart(e);
            hil_forget_left(e);
            break;
        case FRONT_CSTS:
            front_end_csts(e, m->value);
            break;
        default:
            FW_ASSERT(e, m->kind == FRONT_QUIET);
            be_open(e, h, m->value);
            break;
        }
    }
    mailbox_taken(e, orders, end);
    front_end_rest(e);
}

void hil_serve(struct env* e, struct host_core* h, int nvme_line)
{
    const uint32_t found = pass_commands(e, h);
    FW_ASSERT(e, e->cores->started != 0);
    /* A SATA host that resets sends nothing more, and what commands still leave is quiet. */
    if (nvme_line && (found == 0 || e->hil->ata.on != 0)) {
        look_at_cc(e, h);
    } else if (nvme_line) {
        h->unchecked = 1;
    }
    /* Not when the entry is with the host: a completion of a quiet move wakes nobody, and a reset
     * could go unseen behind the last of them. */
    const uint32_t ended = front_end_obey(e);
    h->active -= ended < h->active ? ended : h->active;
    if (h->unchecked != 0 && h->active == 0) {
        look_at_cc(e, h);
    }
    FW_ASSERT(e, e->front_end->move_dirty == 0);
}
