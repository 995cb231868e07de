/* SPDX-License-Identifier: Apache-2.0
 *
 * Host interface: dispatch, completion of commands and moves, controller enable and reset.
 */
#include "firmware/host/core/hil.h"
#include "firmware/buffer/waiters.h"
#include "firmware/durable/journal.h"
#include "firmware/durable/recovery.h"
#include "firmware/gc/gc.h"
#include "firmware/host/core/controller.h"
#include "firmware/host/core/divided.h"
#include "firmware/host/core/door.h"
#include "firmware/host/nvme/metadata.h"
#include "firmware/host/nvme/nvme_io.h"
#include "firmware/host/zones/zones.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/smart.h"
#include "firmware/map/maps_frames.h"
#include "firmware/space/blocks.h"

_Static_assert((int)CACHE_WAIT_PROGRAM == (int)FE_WAIT_PROGRAM, "same codes");
_Static_assert((int)CACHE_WAIT_GC == (int)FE_WAIT_GC, "same codes");
_Static_assert(sizeof(struct command) == 64, "a line of the cache for each slot");

static uint32_t* wait_links(struct env* e)
{
    return (uint32_t*)env_dram(e, e->hil->wait_links);
}

int hil_init(struct env* e, const struct hil_setup* setup)
{
    struct hil* h = e->hil;
    const uint32_t slots = e->front_end->slots;
    FW_ASSERT(e, slots != 0);
    FW_ASSERT(e, setup->mdts >= 4096);
    h->table = dram_take(e, (uint64_t)slots * sizeof(struct command));
    h->wait_links = dram_take(e, (uint64_t)slots * sizeof(uint32_t));
    h->fetch_links = dram_take(e, (uint64_t)slots * sizeof(uint32_t));
    h->meta = dram_take_pages(e, (uint64_t)META_BUFFERS * META_SIZE);
    heat_init(e, setup->thermal);
    power_init(e, setup->power);
    h->max_sectors = setup->mdts / 512;
    h->streams = setup->streams;
    h->trim = setup->trim;
    h->write_cache = 1;
    h->spare = INDEX_NONE;
    h->queue_pairs = setup->queue_pairs;
    if (h->queue_pairs > e->front_end->queue_max) {
        h->queue_pairs = e->front_end->queue_max;
    }
    if (h->queue_pairs >= QUEUES_MAX) {
        h->queue_pairs = QUEUES_MAX - 1;
    }
    fifo_init(&h->reads_waiting);
    fifo_init(&h->writes_waiting);
    fifo_init(&h->flushes);
    fifo_init(&h->deletes);
    fifo_init(&h->fetched);
    fifo_init(&h->meta_free);
    for (uint32_t i = 0; i < META_BUFFERS; ++i) {
        fifo_push(&h->meta_free, h->meta_links, i);
    }
    ata_init(e, setup->sata != 0);
    return divided_init(e) != 0 || hil_park_init(e) != 0 || nvme_init(e) != 0 ||
                   zones_init(e, setup->zones) != 0 || h->queue_pairs == 0
               ? -1
               : 0;
}

void hil_retire(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    FW_ASSERT(e, h->active > 0 && !c->posted);
    c->state = COMMAND_IDLE;
    c->posted = true;
    mem_poison(&c->io, sizeof c->io);
    if (--h->active == 0) {
        const uint64_t now = hal_time_ns(e->hal);
        e->smart->busy_ns += now - h->busy_since;
        run_quiet(e, now);
    }
}

void hil_finish_move(struct env* e, struct fe_move* move, bool last)
{
    struct command* c = command_of(e, move->slot);
    FW_ASSERT(e, move->slot < e->front_end->slots);
    env_touch(e, c, sizeof *c, true);
    move->flags |= FE_MOVE_NOTIFY;
    if (c->divert != DIVERT_NOT) {
        last = nvme_divert(e, c, move, last);
    }
    if (last) {
        move->flags |= FE_MOVE_CQE;
        move->status = c->status;
        if (c->status != NVME_SC_SUCCESS) {
            nvme_failed(e, c);
        }
        move->tag |= MOVE_LAST;
        if (e->hil->ata.on != 0) {
            ata_finish(e, c, move);
        }
        hil_retire(e, move->slot);
    }
    front_end_move(e, move);
    /* All that moved may be done by now, and this one wait behind a backlog. */
    FW_ASSERT(e, front_end_moving(e) != 0 || e->front_end->backlog_count != 0);
}

void hil_complete(struct env* e, uint32_t slot, uint32_t status, uint32_t dw0)
{
    struct fe_move move;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, slot < e->front_end->slots && status <= 0x7FFFu);
    mem_zero(&move, sizeof move);
    c->status = (uint16_t)status;
    if (status != NVME_SC_SUCCESS) {
        run_due(e, DUE_STEPS);
    }
    if (c->buffer != INDEX_NONE) {
        hil_meta_free(e, c->buffer);
        c->buffer = INDEX_NONE;
    }
    move.op = FE_MOVE_COMPLETE;
    move.slot = (uint16_t)slot;
    move.wait = hil_waited(c);
    move.operation = c->state == COMMAND_DURABLE ? c->io.operation : 0;
    move.dw0 = dw0;
    move.tag = (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT;
    hil_finish_move(e, &move, true);
}

static void move_done(struct env* e, uint32_t tag, uint32_t slot, int failed)
{
    const uint32_t i = tag & MOVE_INDEX_MASK;
    const uint32_t kind = tag >> MOVE_KIND_SHIFT;
    if (failed || kind > MOVE_BUFFER_OUT) {
        run_due(e, DUE_STEPS);
    }
    switch (kind) {
    case MOVE_PAGE_OUT:
        flash_free(e, i);
        break;
    case MOVE_BUFFER_IN:
        cache_land(e, i, failed);
        cache_wake(e);
        break;
    case MOVE_BUFFER_OUT:
        cache_unpin(e, i);
        cache_wake(e);
        break;
    case MOVE_META_IN:
        if (e->hil->state == HIL_RESETTING) {
            break; /* the command and its buffer are gone */
        }
        if (failed) {
            hil_complete(e, i, NVME_SC_DATA_TRANSFER_ERROR, 0);
        } else {
            hil_meta_landed(e, i);
        }
        break;
    case MOVE_META_OUT:
        metadata_left(e, i);
        break;
    case MOVE_HOST_MEMORY:
        host_buffer_moved(e, i, failed != 0);
        break;
    default:
        FW_ASSERT(e, kind == MOVE_NOTHING);
        break;
    }
    FW_ASSERT(e, slot < e->front_end->slots);
}

static uint32_t take_dones(struct env* e)
{
    const struct fe_move_done* d;
    uint32_t found = 0;
    while ((d = front_end_done(e)) != NULL) {
        FW_ASSERT(e, d->slot < e->front_end->slots);
        const bool last = (d->tag & MOVE_LAST) != 0; /* its slot may have another command by now */
        if (last) {
            hil_left(e, d->slot);
        } else if (d->tag >> MOVE_KIND_SHIFT != MOVE_HOST_MEMORY) {
            hal_mark(e->hal, d->slot);
        }
        move_done(e, d->tag, d->slot, d->status != FE_DONE_OK);
        if (!last) {
            hal_mark(e->hal, HAL_NO_COMMAND);
        }
        ++found;
    }
    FW_ASSERT(e, found <= e->front_end->done_entries);
    return found;
}

static void begin(struct env* e, uint32_t slot)
{
    FW_ASSERT(e, e->hil->active < e->front_end->slots);
    command_of(e, slot)->state = COMMAND_READ; /* not idle; its handler says what it is */
    hil_begin(e);
}

static void begin_admin(struct env* e, const struct fe_command* f)
{
    FW_ASSERT(e, f->slot < e->front_end->slots);
    run_due(e, DUE_STEPS);
    begin(e, f->slot);
    hil_admin(e, f);
}

bool hil_is_io(const struct env* e, const struct fe_command* f)
{
    FW_ASSERT(e, f->slot < e->front_end->slots);
    return e->hil->ata.on != 0 ? ata_is_io(e, &f->sqe) : f->sq_id != 0;
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
    FW_ASSERT(e, e->hil->active <= e->front_end->slots);
}

/* Commands of the old controller are nobody's any more; the buffer keeps what it holds. */
static void forget_commands(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->state == HIL_READY || h->state == HIL_STOPPING);
    for (uint32_t i = 0; i < e->front_end->slots; ++i) {
        struct command* c = command_of(e, i);
        if (c->buffer != INDEX_NONE && c->state != COMMAND_IDLE) {
            hil_meta_free(e, c->buffer);
        }
        if (c->state != COMMAND_IDLE) {
            c->state = COMMAND_IDLE;
            c->buffer = INDEX_NONE;
        }
    }
    fifo_init(&h->reads_waiting);
    fifo_init(&h->writes_waiting);
    fifo_init(&h->flushes);
    fifo_init(&h->deletes);
    fifo_init(&h->fetched);
    hil_park_clear(e);
    if (e->host_remote == 0) {
        hil_forget_left(e); /* else with the rings */
    }
    h->active = h->queue_up = h->asks_map = 0;
    run_quiet(e, hal_time_ns(e->hal));
    ++h->generation;
    cache_forget_waiters(e);
    hil_reset_queues(e);
    nvme_reset(e);
    FW_ASSERT(e, h->writes_waiting.count == 0);
}

static void start_reset(struct env* e)
{
    struct fe_move move;
    forget_commands(e);
    e->hil->state = HIL_RESETTING;
    e->hil->shutting = SHUTTING_NOT; /* the shutdown is nobody's any more, nor who waits for it */
    e->hil->ata.stopper = 0;
    while (front_end_drop_backlog(e, &move)) {
        move_done(e, move.tag, move.slot, 1);
    }
    FW_ASSERT(e, e->front_end->backlog_count == 0);
    FW_ASSERT(e, e->hil->active == 0);
}

/* The host sees RDY = 0 when nothing moves to or from its memory, and the right image runs. */
static void finish_reset(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, h->state == HIL_RESETTING);
    if (front_end_moving(e) != 0 || nvme_update_pending(e)) {
        return;
    }
    front_end_restart(e);
    h->state = HIL_DISABLED;
    if (h->ata.on != 0) {
        ata_reset(e);
    }
    h->csts = 0;
    front_end_csts(e, 0);
    FW_ASSERT(e, h->active == 0);
}

static void control_shutdown(struct env* e)
{
    struct hil* h = e->hil;
    FW_ASSERT(e, (h->csts & ~0xFu) == 0);
    if (h->shutting == SHUTTING_DRAINS && h->active == 0) {
        host_buffer_reset(e);
        h->shutdown_ticket = cache_flush(e);
        h->shutting = SHUTTING_FLUSHES;
        h->more = 1; /* the flush starts in a round of its own: nothing else may wake us */
    } else if (h->shutting == SHUTTING_FLUSHES && e->maps->hmb.under_way == 0 &&
               cache_flushed(e, h->shutdown_ticket) && recovery_shut_down(e)) {
        h->shutting = SHUTTING_NOT;
        if (h->ata.on != 0) {
            ata_stopped(e);
            return;
        }
        const uint32_t shst = (h->csts & ~NVME_CSTS_SHST_MASK) | NVME_CSTS_SHST_COMPLETE;
        h->csts = nvme_update_stop(e) ? 0 : shst;
        front_end_csts(e, h->csts);
    }
}

/* CC as the host last wrote it: enable, disable, shutdown. */
static void control(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t before = h->cc;
    h->cc = front_end_cc(e);
    h->cc_unchecked = 0;
    nvme_doorbells(e);
    if (h->cc != before || h->state == HIL_RESETTING) {
        run_due(e, DUE_STEPS);
    }
    FW_ASSERT(e, h->state <= HIL_RESETTING);
    if ((h->state == HIL_READY || h->state == HIL_STOPPING) && (h->cc & NVME_CC_EN) == 0) {
        start_reset(e);
    }
    if (h->state == HIL_RESETTING) {
        finish_reset(e);
    }
    h->finding = 0;
    if (h->state == HIL_DISABLED && (h->cc & NVME_CC_EN) != 0 && !zones_find(e)) {
        h->finding = 1; /* not ready yet: another round looks again */
    } else if (h->state == HIL_DISABLED && (h->cc & NVME_CC_EN) != 0) {
        h->state = HIL_READY;
        recovery_go_on(e);
        h->csts = NVME_CSTS_RDY;
        front_end_csts(e, h->csts);
        gc_patrol_run(e, 1);
    }
    if (h->state == HIL_READY && (h->cc & NVME_CC_SHN_MASK) != 0 &&
        (h->csts & NVME_CSTS_SHST_MASK) == 0) {
        gc_patrol_run(e, 0);
        h->csts |= NVME_CSTS_SHST_OCCURRING;
        front_end_csts(e, h->csts);
        zones_close(e);
        h->state = HIL_STOPPING;
        h->shutting = SHUTTING_DRAINS;
        h->more = 1;
    }
    FW_ASSERT(e, h->state != HIL_DISABLED || h->active == 0);
}

/* What the host role passes on of one command. A reset may have come between. */
static void take_passed(struct env* e, const struct host_message* m)
{
    FW_ASSERT(e, m->slot < e->front_end->slots);
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
    FW_ASSERT(e, m->slot < e->front_end->slots);
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
    struct mailbox* events = &e->cores->events;
    const uint32_t end = mailbox_end(events);
    bool asked = false;
    FW_ASSERT(e, e->host_remote != 0);
    for (uint32_t i = events->head; i != end; ++i) {
        const struct host_message* m = mailbox_place(e, events, i);
        hal_mark(e->hal, command_of_message(m));
        switch (m->kind) {
        case HOST_READ:
            take_read(e, m);
            break;
        case HOST_DONE:
            move_done(e, m->value, m->slot, m->failed);
            break;
        case HOST_KNOCK:
            if ((e->hil->closed & CLOSED_POWER) != 0) {
                power_knock(e);
            }
            break;
        case HOST_CONTROL:
            e->front_end->cc = m->value;
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
        finish_reset(e);
    }
    if (asked) {
        control(e);
    }
}

void hil_step(struct env* e, bool nvme_line)
{
    struct hil* h = e->hil;
    const struct fe_command* c;
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
    } else if (h->state == HIL_READY) {
        hil_look_at_door(e);
    } else if (h->state == HIL_STOPPING) { /* a command that comes now has no completion */
        while (front_end_command(e) != NULL) {
            ++found;
        }
    } else if (h->state == HIL_RESETTING) {
        finish_reset(e);
        found = h->state == HIL_DISABLED ? 0 : found;
    }
    /* Reading CC stalls the core, and the rings explain nearly every interrupt. */
    if (nvme_line && found == 0) {
        control(e);
    } else if (nvme_line) {
        h->cc_unchecked = 1;
    }
    FW_ASSERT(e, h->active <= e->front_end->slots);
    FW_ASSERT(e, h->state <= HIL_RESETTING);
}

static void finish_durable(struct env* e)
{
    struct hil* h = e->hil;
    while (cache_has_done(e)) {
        const struct cache_done d = cache_next_done(e);
        hal_mark(e->hal, d.command);
        hil_programmed(e, &d);
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    while (h->flushes.head != INDEX_NONE &&
           cache_flushed(e, command_of(e, h->flushes.head)->until.ticket) &&
           journal_flushed(e, command_of(e, h->flushes.head)->until.journal)) {
        const uint32_t slot = fifo_pop(&h->flushes, wait_links(e));
        FW_ASSERT(e, command_of(e, slot)->state == COMMAND_FLUSH);
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
    }
}

/* A command may have ended that waited for programs. */
static bool may_finish(const struct env* e)
{
    FW_ASSERT(e, e->hil->flushes.count <= e->front_end->slots);
    return cache_has_done(e) || e->hil->flushes.count != 0;
}

void hil_resume(struct env* e)
{
    FW_ASSERT(e, e->hil->active <= e->front_end->slots);
    e->hil->more = 0;
    if (e->hil->finding != 0) {
        control(e);
    }
    if ((e->hil->saves.count | e->hil->transfers.count | e->hil->stepping | e->hil->watch) != 0) {
        nvme_resume(e);
    }
    e->hil->unmap = e->hil->unmap == UNMAP_WAITS ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    e->hil->barren = e->hil->barren == BARREN_NEXT ? BARREN_NOW : BARREN_NOT;
    hil_retry(e);
    e->hil->barren = BARREN_NOT;
    e->hil->unmap = e->hil->unmap == UNMAP_ANYWAY ? UNMAP_GOES : e->hil->unmap;
    if (may_finish(e)) {
        finish_durable(e);
    }
    FW_ASSERT(e, !cache_has_done(e));
}

/* With nothing of ours under way a reset could go unseen behind the last ring entries. */
void hil_look_at_cc(struct env* e)
{
    const struct hil* h = e->hil;
    FW_ASSERT(e, h->active <= e->front_end->slots);
    FW_ASSERT(e, h->cc_unchecked <= 1);
    if (h->cc_unchecked != 0 && (h->active == 0 || flash_in_flight(e) == 0)) {
        control(e);
    }
}

void hil_settle(struct env* e)
{
    struct hil* h = e->hil;
    if (h->deletes.count != 0) {
        hil_retry_deletes(e);
    }
    const uint32_t again = recovery_again(e) | e->ftl->again;
    e->ftl->again = 0;
    if (again == 0 && e->ftl->modes.clearing == 0 &&
        (hil_lacks_room(e) || h->unmap == UNMAP_WAITS) && !gc_hopeful(e)) {
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
        e->maps->out.ready != 0 && e->flash->in_flight == 0 && e->maps->out.urgent == 0) {
        maps_hurry_all(e);
        h->more = 1;
    }
    if (again == 0 && hil_is_barren(e)) {
        h->barren = BARREN_NEXT;
        h->more = 1;
    }
    hil_look_at_cc(e);
    if (h->shutting) {
        control_shutdown(e);
        /* The last checkpoint begins in a round of its own. */
        h->more |= checkpoint_waits(e);
    }
    h->more |= again | recovery_again(e); /* the shutdown may have found that it starves */
    FW_ASSERT(e, h->active <= e->front_end->slots);
    FW_ASSERT(e, h->state != HIL_DISABLED || h->active == 0);
}

bool hil_wants_quiet(struct env* e)
{
    const struct hil* h = e->hil;
    FW_ASSERT(e, h->state <= HIL_RESETTING);
    return h->state == HIL_RESETTING || hil_reads_wait(h) != 0 || h->writes_waiting.count != 0 ||
           h->fetched.count != 0 || h->deletes.count != 0 || cache_is_hungry(e) ||
           h->shutting != 0 || e->flash->passes.held != 0 ||
           (e->maps->hmb.under_way != 0 && e->maps->hmb.places == 0);
}
