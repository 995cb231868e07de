/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/hil.h"

#include "firmware/durable/drive_state.h"
#include "firmware/durable/journal.h"
#include "firmware/lib/telemetry.h"
#include "firmware/ops/passes.h"

_Static_assert((int)CACHE_WAIT_PROGRAM == (int)FE_WAIT_PROGRAM, "same codes");
_Static_assert((int)CACHE_WAIT_GC == (int)FE_WAIT_GC, "same codes");
_Static_assert(sizeof(struct command) == 64, "a line of the cache for each slot");

/* ---- Of the host role ---- */

static uint32_t* commands_of(struct env* e, uint32_t sq_id)
{
    return &e->hil->commands_of[sq_id < QUEUES_MAX ? sq_id : 0];
}

void hil_context(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state == COMMAND_IDLE && !c->posted);
    FW_ASSERT(e, slot < front_end_slots(e));
    env_touch(e, c, sizeof *c, true);
    mem_zero(c, sizeof *c);
    c->sq_id = (uint16_t)sq_id;
    c->cid = (uint16_t)cid;
    c->buffer = INDEX_NONE;
}

void hil_accept(struct env* e, uint32_t slot, uint32_t sq_id, uint32_t cid)
{
    hil_context(e, slot, sq_id, cid);
    ++*commands_of(e, sq_id);
}

void hil_left(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    if (!c->posted) { /* a reset came between */
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_IDLE);
    FW_ASSERT(e, *commands_of(e, c->sq_id) > 0);
    c->posted = false;
    --*commands_of(e, c->sq_id);
}

void hil_forget_left(struct env* e)
{
    for (uint32_t i = 0; i < front_end_slots(e); ++i) {
        command_of(e, i)->posted = false;
    }
    for (uint32_t i = 0; i <= QUEUES_MAX; ++i) {
        e->hil->commands_of[i] = 0;
    }
}

/* ---- Which commands are taken ---- */

void hil_close(struct env* e, uint32_t why, bool on)
{
    struct hil* h = e->hil;
    const uint32_t before = h->closed;
    h->closed = on ? before | why : before & ~why;
    if (before != 0 && h->closed == 0) {
        h->opened = 1; /* commands have come that nobody took */
        run_due(e, DUE_STEPS);
    }
    hil_takes_anew(h);
    if (e->host_remote != 0 && (before != 0) != (h->closed != 0)) {
        front_end_close(e, h->closed != 0);
    }
}

void hil_kept_out(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->wait == FE_WAIT_FIRMWARE && c->state == COMMAND_IDLE);
    c->wait = FE_WAIT_POWER;
    hal_mark(e->hal, HAL_KEPT_OUT);
    hal_mark(e->hal, slot);
}

bool hil_may_look_up(const struct env* e)
{
    const struct hil* h = e->hil;
    return h->state == HIL_READY && h->plain != 0 && h->zoned == 0 && h->protect == 0 &&
           h->spoilt == 0;
}

/* ---- Pages ---- */

uint32_t hil_meta_take(struct env* e)
{
    struct hil* h = e->hil;
    const uint32_t i = fifo_pop(&h->meta_free, h->meta_links);
    if (i != INDEX_NONE) {
        mem_zero(env_dram(e, hil_meta_address(e, i)), META_SIZE);
    }
    return i;
}

void hil_meta_free(struct env* e, uint32_t buffer)
{
    FW_ASSERT(e, buffer < META_BUFFERS);
    FW_ASSERT(e, e->hil->meta_free.count < META_BUFFERS);
    fifo_push(&e->hil->meta_free, e->hil->meta_links, buffer);
}

uint8_t* hil_page(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer == INDEX_NONE);
    c->buffer = hil_meta_take(e);
    return c->buffer == INDEX_NONE ? NULL : env_dram(e, hil_meta_address(e, c->buffer));
}

void hil_send_page(struct env* e, uint32_t slot, struct fe_move* move)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->buffer != INDEX_NONE && move->buffer + move->length <= META_SIZE);
    move->op = FE_MOVE_TO_HOST;
    move->slot = (uint16_t)slot;
    move->flags |= FE_MOVE_METADATA;
    move->buffer += hil_meta_address(e, c->buffer);
    move->tag = ((uint32_t)MOVE_META_OUT << MOVE_KIND_SHIFT) | c->buffer;
    c->buffer = INDEX_NONE;
    hil_finish_move(e, move, true);
}

void hil_drop_page(struct env* e, struct command* c)
{
    if (c->buffer != INDEX_NONE) {
        hil_meta_free(e, c->buffer);
        c->buffer = INDEX_NONE;
    }
}

/* ---- What writes, in order of arrival ---- */

void hil_note_wait(struct env* e, struct command* c)
{
    const enum cache_wait why = cache_waits_for(e);
    FW_ASSERT(e, c->state != COMMAND_IDLE);
    if (why == CACHE_WAIT_GC || (why != CACHE_WAIT_PROGRAM && e->hil->unmap == UNMAP_WAITS)) {
        c->wait = FE_WAIT_GC;
    } else if (why == CACHE_WAIT_MAP) {
        c->wait = FE_WAIT_MAP;
    } else {
        c->wait = c->state == COMMAND_WRITE && !cache_writes_through(e) ? FE_WAIT_BUFFER
                                                                        : FE_WAIT_PROGRAM;
    }
}

static void queue_write(struct env* e, uint32_t slot)
{
    struct hil* h = e->hil;
    hil_note_wait(e, command_of(e, slot));
    h->waits = 1;
    fifo_push(&h->writes_waiting, hil_wait_links(e), slot);
    /* Else the end of a program comes, and is announced. */
    if (flash_owned(e, OWNER_PROGRAM) == 0 || passes_held(e) != 0) {
        run_due(e, DUE_STEPS);
    }
    hal_mark(e->hal, HAL_WAITS);
}

void hil_start_write(struct env* e, uint32_t slot)
{
    const uint32_t state = command_of(e, slot)->state;
    if (e->hil->writes_waiting.count != 0 || !e->commands->resume[state](e, slot)) {
        queue_write(e, slot);
    }
}

/* ---- The end ---- */

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
    FW_ASSERT(e, move->slot < front_end_slots(e));
    env_touch(e, c, sizeof *c, true);
    move->flags |= FE_MOVE_NOTIFY;
    if (c->divert == DIVERT_VERIFY) {
        move->op = FE_MOVE_COMPLETE;
    } else if (c->divert != DIVERT_NOT) {
        last = e->commands->divert[c->divert](e, c, move, last);
    }
    if (last) {
        move->flags |= FE_MOVE_CQE;
        move->status = c->status;
        if (c->status != NVME_SC_SUCCESS) {
            e->commands->failed(e, c);
        }
        move->tag |= MOVE_LAST;
        if (e->hil->ata.on != 0) {
            ata_finish(e, c, move);
        }
        hil_retire(e, move->slot);
    }
    front_end_move(e, move);
}

void hil_complete(struct env* e, uint32_t slot, uint32_t status, uint32_t dw0)
{
    struct fe_move move;
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, slot < front_end_slots(e) && status <= 0x7FFFu);
    mem_zero(&move, sizeof move);
    c->status = (uint16_t)status;
    if (status != NVME_SC_SUCCESS) {
        run_due(e, DUE_STEPS);
    }
    hil_drop_page(e, c);
    move.op = FE_MOVE_COMPLETE;
    move.slot = (uint16_t)slot;
    move.wait = hil_waited(c);
    move.operation = c->state == COMMAND_DURABLE ? c->io.operation : 0;
    move.dw0 = dw0;
    move.tag = (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT;
    hil_finish_move(e, &move, true);
}

bool hil_is_flushed(struct env* e, const struct command* c)
{
    return cache_flushed(e, c->until.ticket) && journal_flushed(e, c->until.journal);
}

void hil_end_flushed(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    if (hil_is_flushed(e, c)) {
        hil_complete(e, slot, NVME_SC_SUCCESS, 0);
        return;
    }
    hil_drop_page(e, c);
    c->state = COMMAND_FLUSH;
    c->wait = FE_WAIT_PROGRAM;
    fifo_push(&e->hil->flushes, hil_wait_links(e), slot);
}

void hil_save(struct env* e, uint32_t slot, uint32_t dw0)
{
    command_of(e, slot)->until.state = drive_state_save(e);
    command_of(e, slot)->until.dw0 = dw0;
    hil_await_save(e, slot);
}

void hil_await_save(struct env* e, uint32_t slot)
{
    struct command* c = command_of(e, slot);
    FW_ASSERT(e, c->state != COMMAND_IDLE && c->buffer == INDEX_NONE);
    c->state = COMMAND_SAVE;
    fifo_push(&e->hil->saves, hil_wait_links(e), slot);
    e->hil->more = 1;
}
