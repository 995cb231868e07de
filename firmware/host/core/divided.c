/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/host/core/divided.h"

#include "firmware/host/core/hil.h"
#include "firmware/host/nvme/nvme_read.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/mem.h"
#include "firmware/lib/telemetry.h"

/* In the tags of moves, which have kind and index of what they hold on to: the partition. */
#define TAG_PARTITION_SHIFT 24u
#define TAG_INDEX_MASK ((1u << TAG_PARTITION_SHIFT) - 1u)
#define TAG_PARTITION_MASK (MOVE_INDEX_MASK & ~TAG_INDEX_MASK)
/* A move that ends in another stripe than it began is ordered in pieces: all but the last one. */
#define TAG_PIECE (((uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT) | 1u)

_Static_assert(PARTITIONS_MAX - 1 <= TAG_PARTITION_MASK >> TAG_PARTITION_SHIFT, "fits");

int divided_init(struct env* e)
{
    const uint64_t bytes = (uint64_t)front_end_slots(e) * sizeof(struct joined);
    if (e->geo->partition.bits == 0 || e->geo->partition.index != 0) {
        return 0;
    }
    e->hil->joined = dram_take(e, bytes);
    return arenas_result(e);
}

static struct env* first_of(const struct divided* d)
{
    return &d->part[0];
}

static struct joined* joined_of(const struct divided* d, uint32_t slot)
{
    struct env* e = first_of(d);
    return env_dram_entry(e, e->hil->joined, slot, sizeof(struct joined));
}

static uint32_t* commands_of(const struct divided* d, const struct joined* j)
{
    return &first_of(d)->hil->commands_of[j->sq_id < QUEUES_MAX ? j->sq_id : 0];
}

void divided_start(struct divided* d, struct env* part, uint32_t count)
{
    mem_zero(d, sizeof *d);
    d->part = part;
    d->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        hil_host_start(&part[i], &d->host[i]);
    }
    FW_ASSERT(part, count <= PARTITIONS_MAX);
}

/* ---- Moves that have ended ---- */

/* The partition is done with the command, and so may all be. */
static void part_left(struct divided* d, struct env* e, uint32_t slot)
{
    struct joined* j = joined_of(d, slot);
    struct command* c = command_of(e, slot);
    if (!c->posted) { /* a reset came between */
        return;
    }
    FW_ASSERT(e, c->state == COMMAND_IDLE && j->unseen > 0);
    c->posted = false;
    if (--j->unseen == 0) {
        FW_ASSERT(e, *commands_of(d, j) > 0);
        --*commands_of(d, j);
    }
    struct env* first = first_of(d);
    if (first->front_end->wants_quiet != 0 && e != first) { /* it may wait for the queue's last */
        host_tell_done(first, (uint32_t)MOVE_NOTHING << MOVE_KIND_SHIFT, slot, false);
    }
}

static void take_done(struct divided* d, uint32_t part, const struct fe_move_done* done)
{
    struct env* e = &d->part[part];
    struct joined* j = joined_of(d, done->slot);
    const uint32_t tag = done->tag & ~TAG_PARTITION_MASK;
    if (tag == TAG_PIECE) {
        j->broken = j->broken || done->status != FE_DONE_OK;
        return;
    }
    struct fe_move_done own = *done;
    own.tag = tag;
    if (j->broken) {
        own.status = FE_DONE_TRANSFER_ERROR;
        j->broken = false;
    }
    front_end_moved(e);
    if ((tag & MOVE_LAST) != 0) {
        part_left(d, e, done->slot);
    }
    host_release(e, &d->host[part], &own);
}

static uint32_t pass_dones(struct divided* d)
{
    const struct fe_move_done* done;
    uint32_t found = 0;
    while ((done = front_end_done(first_of(d))) != NULL) {
        take_done(d, (done->tag & TAG_PARTITION_MASK) >> TAG_PARTITION_SHIFT, done);
        ++found;
    }
    return found;
}

/* ---- Commands ---- */

/* Of commands that are about a range of blocks. */
static bool is_ranged(uint32_t opcode)
{
    switch (opcode) {
    case NVME_IO_READ:
    case NVME_IO_WRITE:
    case NVME_IO_WRITE_UNCORRECTABLE:
    case NVME_IO_COMPARE:
    case NVME_IO_WRITE_ZEROES:
    case NVME_IO_VERIFY:
        return true;
    default:
        return false;
    }
}

/* A range that is not on the drive is not in the partition either, which says so. */
static void put_beyond(const struct env* e, struct nvme_sqe* q, uint64_t lba)
{
    lba = lba < e->geo->sectors ? e->geo->sectors : lba;
    q->cdw10 = (uint32_t)lba;
    q->cdw11 = (uint32_t)(lba >> 32);
}

static void pass_to(struct divided* d, uint32_t part, const struct fe_command* c)
{
    struct env* e = &d->part[part];
    struct joined* j = joined_of(d, c->slot);
    ++j->left;
    ++j->unseen;
    hil_context(e, c->slot, c->sq_id, c->sqe.cid);
    command_of(e, c->slot)->awaits_event = !j->counts;
    host_pass(e, &d->host[part], c);
}

/* The part of a range that lies in the partition, if any does. */
static void pass_range(struct divided* d, uint32_t part, const struct fe_command* c,
                       uint32_t sectors)
{
    const struct partition* p = &d->part[part].geo->partition;
    const uint64_t lba = joined_of(d, c->slot)->lba;
    const uint64_t begin = partition_before(p, part, lba);
    const uint64_t end = partition_before(p, part, lba + sectors);
    struct fe_command own = *c;
    if (begin == end) {
        return;
    }
    own.sqe.cdw10 = (uint32_t)begin;
    own.sqe.cdw11 = (uint32_t)(begin >> 32);
    own.sqe.cdw12 = (c->sqe.cdw12 & ~0xFFFFu) | (uint32_t)(end - begin - 1);
    pass_to(d, part, &own);
}

/* Partitions count the commands they get. */
static void count_parts(struct divided* d, uint32_t opcode, uint32_t parts)
{
    struct smart* s = first_of(d)->smart;
    if (opcode == NVME_IO_READ || opcode == NVME_IO_VERIFY) {
        s->more_reads += parts - 1;
    } else if (opcode == NVME_IO_WRITE) {
        s->more_writes += parts - 1;
    }
}

static void pass_ranged(struct divided* d, const struct fe_command* c)
{
    const struct env* e = first_of(d);
    const struct partition* p = &e->geo->partition;
    struct joined* j = joined_of(d, c->slot);
    const uint64_t lba = c->sqe.cdw10 | (uint64_t)c->sqe.cdw11 << 32;
    const uint32_t sectors = (c->sqe.cdw12 & 0xFFFFu) + 1;
    j->lba = lba;
    if (lba >= e->geo->sectors_all || sectors > e->geo->sectors_all - lba) {
        struct fe_command beyond = *c;
        put_beyond(e, &beyond.sqe, lba);
        pass_to(d, 0, &beyond);
        return;
    }
    j->striped = (lba ^ (lba + sectors - 1)) >> p->stripe != 0;
    if (!j->striped) {
        pass_range(d, partition_of(p, lba), c, sectors);
        return;
    }
    for (uint32_t i = 0; i < d->count; ++i) {
        pass_range(d, i, c, sectors);
    }
    count_parts(d, c->sqe.opcode, j->left);
}

static void pass_to_all(struct divided* d, const struct fe_command* c)
{
    for (uint32_t i = 0; i < d->count; ++i) {
        pass_to(d, i, c);
    }
}

static void pass_command(struct divided* d, const struct fe_command* c)
{
    struct joined* j = joined_of(d, c->slot);
    const uint32_t opcode = c->sqe.opcode;
    mem_zero(j, sizeof *j);
    j->sq_id = c->sq_id;
    /* One that waits for an event may stay for ever. Without CC.EN nobody completes any. */
    j->counts = c->sq_id != 0 || opcode != NVME_ADMIN_ASYNC_EVENT;
    d->active += j->counts && (d->cc & NVME_CC_EN) != 0 ? 1u : 0u;
    ++*commands_of(d, j);
    if (c->sq_id == 0 ? opcode == NVME_ADMIN_SET_FEATURES
                      : opcode == NVME_IO_FLUSH || opcode == NVME_IO_DSM) {
        pass_to_all(d, c);
    } else if (c->sq_id != 0 && is_ranged(opcode) && c->status == NVME_SC_SUCCESS) {
        pass_ranged(d, c);
    } else {
        pass_to(d, 0, c);
    }
    FW_ASSERT(first_of(d), j->left != 0);
}

static uint32_t pass_commands(struct divided* d)
{
    struct env* e = first_of(d);
    const struct fe_command* c;
    uint32_t found = pass_dones(d);
    while ((c = front_end_command(e)) != NULL) {
        if (joined_of(d, c->slot)->unseen != 0) { /* the slot is taken again: they are here */
            found += pass_dones(d);
        }
        ++found;
        hal_mark(e->hal, c->slot);
        pass_command(d, c);
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    return found;
}

/* ---- What partitions order ---- */

static void put(struct divided* d, uint32_t part, const struct fe_move* move)
{
    struct env* e = first_of(d);
    struct fe_move* to = front_end_place(e);
    FW_ASSERT(e, (move->tag & TAG_PARTITION_MASK) == 0);
    *to = *move;
    to->tag |= part << TAG_PARTITION_SHIFT;
    front_end_placed(e);
}

/* Its data lie in one stripe each, in the host's memory one behind the other with those of other
 * partitions between. */
static void put_striped(struct divided* d, uint32_t part, const struct fe_move* move)
{
    const struct partition* p = &d->part[part].geo->partition;
    const uint64_t lba = joined_of(d, move->slot)->lba;
    const uint64_t stripe = UINT64_C(1) << (p->stripe + SECTOR_SHIFT);
    const uint64_t begin = partition_before(p, part, lba) << SECTOR_SHIFT;
    uint64_t at = begin + move->offset; /* of the partition, bytes */
    uint32_t left = move->length;
    struct fe_move piece = *move;
    while (left != 0) {
        const uint64_t sector = partition_sector(p, part, at >> SECTOR_SHIFT);
        const uint64_t room = stripe - (at & (stripe - 1));
        piece.offset = (uint32_t)(((sector - lba) << SECTOR_SHIFT) + (at & (SECTOR_SIZE - 1)));
        piece.length = room < left ? (uint32_t)room : left;
        left -= piece.length;
        at += piece.length;
        if (left == 0) {
            piece.flags = move->flags;
            piece.tag = move->tag;
        } else {
            piece.flags = (uint8_t)(move->flags & FE_MOVE_METADATA) | FE_MOVE_NOTIFY;
            piece.tag = TAG_PIECE;
        }
        put(d, part, &piece);
        piece.buffer += piece.length;
        piece.wait = FE_WAIT_FIRMWARE;
    }
}

/* The last move of a partition: the command's completion entry goes with that of the last one. */
static void join(struct divided* d, uint32_t part, struct fe_move* move)
{
    struct joined* j = joined_of(d, move->slot);
    FW_ASSERT(first_of(d), j->left > 0);
    if (part == 0) {
        j->dw0 = move->dw0;
    }
    j->status = j->status == NVME_SC_SUCCESS ? move->status : j->status;
    if (--j->left != 0) {
        move->flags = (uint8_t)(move->flags & ~FE_MOVE_CQE);
        return;
    }
    move->status = j->status;
    move->dw0 = j->dw0;
    d->active -= d->active != 0 && j->counts && (d->cc & NVME_CC_EN) != 0 ? 1u : 0u;
}

static void order(struct divided* d, uint32_t part, struct fe_move* move)
{
    if ((move->flags & FE_MOVE_CQE) != 0) {
        join(d, part, move);
    }
    if (move->operation != 0) { /* each partition has numbers of its own */
        move->operation = (move->operation - 1) * d->count + part + 1;
    }
    if (move->op == FE_MOVE_COMPLETE && (move->flags & FE_MOVE_CQE) == 0) {
        const struct fe_move_done done = {.tag = move->tag, .slot = move->slot};
        take_done(d, part, &done); /* there is nothing to be moved */
        return;
    }
    if (joined_of(d, move->slot)->striped && move->length != 0) {
        put_striped(d, part, move);
    } else {
        put(d, part, move);
    }
}

static void move_read(struct divided* d, uint32_t part, uint32_t value)
{
    struct env* e = &d->part[part];
    const uint32_t request = value & ~FRONT_READ_LAST;
    struct fe_move move;
    hil_page_move(e, &move, request);
    move.flags = FE_MOVE_NOTIFY;
    if ((value & FRONT_READ_LAST) != 0) {
        move.flags = FE_MOVE_NOTIFY | FE_MOVE_CQE;
        move.tag |= MOVE_LAST;
    }
    hal_mark(e->hal, move.slot);
    order(d, part, &move);
}

/* Nothing of the partition is under way. Rings begin anew when that is true of all. */
static void restart(struct divided* d, uint32_t part)
{
    struct env* e = first_of(d);
    d->restarts |= 1u << part;
    if (d->restarts != (1u << d->count) - 1u) {
        return;
    }
    d->restarts = 0;
    front_end_restart(e);
    for (uint32_t i = 0; i < d->count; ++i) {
        hil_forget_left(&d->part[i]);
    }
    mem_zero(joined_of(d, 0), (size_t)front_end_slots(e) * sizeof(struct joined));
}

/* Ready when all are, not ready when none is; shut down when all are; a fault is the drive's. */
static void control(struct divided* d, uint32_t part, uint32_t value)
{
    uint32_t all = ~0u;
    uint32_t any = 0;
    uint32_t stopped = NVME_CSTS_SHST_COMPLETE;
    d->csts_of[part] = value;
    for (uint32_t i = 0; i < d->count; ++i) {
        const uint32_t shst = d->csts_of[i] & NVME_CSTS_SHST_MASK;
        all &= d->csts_of[i];
        any |= d->csts_of[i];
        stopped = shst < stopped ? shst : stopped;
    }
    const uint32_t ready =
        (d->csts & NVME_CSTS_RDY) != 0 ? any & NVME_CSTS_RDY : all & NVME_CSTS_RDY;
    const bool begins = stopped == 0 && (any & NVME_CSTS_SHST_MASK) != 0 && ready != 0;
    const uint32_t csts =
        ready | (any & NVME_CSTS_CFS) | (begins ? (uint32_t)NVME_CSTS_SHST_OCCURRING : stopped);
    if (csts != d->csts) {
        d->csts = csts;
        front_end_csts(first_of(d), csts);
    }
}

static void obey(struct divided* d, uint32_t part)
{
    struct env* e = &d->part[part];
    struct mailbox* orders = cores_orders(e);
    const uint32_t end = mailbox_end(orders);
    for (uint32_t i = orders->head; i != end; ++i) {
        const struct front_message* m = mailbox_place(e, orders, i);
        struct fe_move move;
        switch (m->kind) {
        case FRONT_READ:
            move_read(d, part, m->value);
            break;
        case FRONT_MOVE:
            move = m->move;
            hal_mark(e->hal, move.slot);
            order(d, part, &move);
            break;
        case FRONT_RESTART:
            restart(d, part);
            break;
        case FRONT_CSTS:
            control(d, part, m->value);
            break;
        default:
            FW_ASSERT(e, m->kind == FRONT_QUIET);
            host_open(e, &d->host[part], m->value);
            break;
        }
        hal_mark(e->hal, HAL_NO_COMMAND);
    }
    mailbox_taken(e, orders, end);
}

/* ---- Rounds ---- */

static void look_at_cc(struct divided* d)
{
    const uint32_t cc = front_end_cc(first_of(d));
    d->unchecked = 0;
    if (cc == d->cc) {
        return;
    }
    d->cc = cc;
    for (uint32_t i = 0; i < d->count; ++i) {
        host_tell(&d->part[i], HOST_CONTROL, 0)->value = cc;
    }
    if ((cc & NVME_CC_EN) == 0) {
        d->active = 0; /* nobody completes them */
    }
}

static bool wants_quiet(const struct divided* d)
{
    bool wants = false;
    for (uint32_t i = 0; i < d->count; ++i) {
        wants = wants || front_end_tells_all(&d->part[i]);
    }
    return wants;
}

void divided_serve(struct divided* d, bool nvme_line)
{
    const uint32_t found = pass_commands(d);
    if (nvme_line && found == 0) {
        look_at_cc(d);
    } else if (nvme_line) {
        d->unchecked = 1;
    }
    for (uint32_t i = 0; i < d->count; ++i) {
        obey(d, i);
    }
    front_end_rest(first_of(d), wants_quiet(d));
    if (d->unchecked != 0 && d->active == 0) {
        look_at_cc(d);
    }
}
