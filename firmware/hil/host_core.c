/* SPDX-License-Identifier: Apache-2.0
 *
 * The host role on a core of its own: takes commands and mover completions from the front end's
 * rings, parses, and passes them on; carries out what the ftl role orders. It knows nothing of
 * data: it reads the size of the drive, which does not change, and no table.
 */
#include "firmware/hil/hil.h"

static struct host_message* tell(struct env* e, uint32_t kind, uint32_t slot)
{
    struct host_message* m = cores_message(e, &e->cores->events);
    FW_ASSERT(e, kind >= HOST_COMMAND && kind <= HOST_CONTROL);
    FW_ASSERT(e, slot < e->front_end->slots);
    m->kind = (uint8_t)kind;
    m->slot = (uint16_t)slot;
    return m;
}

static uint32_t pass_dones(struct env* e, struct host_core* h)
{
    const struct fe_move_done* d;
    uint32_t found = 0;
    while ((d = front_end_done(e)) != NULL) {
        struct host_message* m = tell(e, HOST_DONE, d->slot);
        m->value = d->tag;
        m->failed = d->status != FE_DONE_OK;
        if ((d->tag & MOVE_LAST) != 0 && h->active != 0) {
            --h->active;
        }
        ++found;
    }
    FW_ASSERT(e, found <= e->front_end->done_entries);
    return found;
}

/* Completions first, before each command: one whose slot is taken again has its last completion in
 * the ring by now, and the ftl role is to hear of that before. */
static uint32_t pass_commands(struct env* e, struct host_core* h)
{
    const struct fe_command* c;
    uint32_t found = pass_dones(e, h);
    while ((c = front_end_command(e)) != NULL) {
        found += 1 + pass_dones(e, h);
        struct host_message* m = tell(e, c->sq_id == 0 ? HOST_ADMIN : HOST_COMMAND, c->slot);
        m->sq_id = c->sq_id;
        if (c->sq_id == 0) {
            m->sqe = c->sqe;
        } else {
            m->request = hil_parse(e, &c->sqe);
        }
        ++h->active;
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

void hil_serve(struct env* e, struct host_core* h, int nvme_line)
{
    const uint32_t found = pass_commands(e, h);
    FW_ASSERT(e, e->cores->started != 0);
    if (nvme_line && found == 0) {
        look_at_cc(e, h);
    } else if (nvme_line) {
        h->unchecked = 1;
    }
    front_end_obey(e);
    if (h->unchecked != 0 && h->active == 0) {
        look_at_cc(e, h);
    }
    FW_ASSERT(e, e->front_end->move_dirty == 0);
}
