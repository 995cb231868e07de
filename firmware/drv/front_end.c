/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/drv/front_end.h"

#include "firmware/drv/cores.h"
#include "firmware/lib/arena.h"
#include "firmware/lib/bits.h"
#include "firmware/lib/run.h"
#include "models/regs/choices/host_interface.h"
#include "models/regs/parts/host.h"

enum { MOVE_ENTRIES = 512, DONE_ENTRIES = 1024, QUEUE_POLLS = 1000 };

/* What both front ends have has the same place and meaning in both. */
_Static_assert(FE_REG_CMD_BASE_LO == SFE_REG_CMD_BASE_LO && FE_REG_MOVE_TAIL == SFE_REG_MOVE_TAIL &&
                   FE_REG_DONE_HEAD == SFE_REG_DONE_HEAD &&
                   FE_REG_INT_ENABLE == SFE_REG_INT_ENABLE &&
                   FE_REG_INT_STATUS == SFE_REG_INT_STATUS && FE_REG_CC == SFE_REG_LINK &&
                   FE_REG_CSTS == SFE_REG_READY && FE_REG_MDTS == SFE_REG_MDTS &&
                   FE_REG_SLOTS == SFE_REG_SLOTS && FE_INT_CC == SFE_INT_LINK &&
                   IRQ_LINE_NVME == IRQ_LINE_SATA,
               "one driver");

static uint64_t place(const struct env* e, uint32_t offset)
{
    return (e->front_end->sata != 0 ? MAP_SATA_BASE : MAP_NVME_BASE) + offset;
}

static uint32_t get(struct env* e, uint32_t offset)
{
    return hal_read32(e->hal, place(e, offset));
}

/* The registers are those of the first partition, which sets them up. */
static void set(struct env* e, uint32_t offset, uint32_t value)
{
    if (e->front_end->follows != 0) {
        return;
    }
    hal_write32(e->hal, place(e, offset), value);
}

static void set_ring(struct env* e, uint32_t base_lo, uint64_t base, uint32_t entries)
{
    FW_ASSERT(e, is_power_of_two(entries));
    FW_ASSERT(e, base != ARENA_FULL);
    set(e, base_lo, (uint32_t)base);
    set(e, base_lo + 4, (uint32_t)(base >> 32));
    set(e, base_lo + 8, entries);
}

/* Those of all partitions lie in the rings of the first, whose completions have room for all. A
 * move that ends in another stripe than it began becomes two. */
static void share_rings(struct front_end* d, uint32_t partitions)
{
    d->move_entries = partitions > 1 ? 2 * MOVE_ENTRIES : MOVE_ENTRIES;
    d->done_entries = partitions > 1 ? 2 * DONE_ENTRIES : DONE_ENTRIES;
    d->moves_most = partitions > 1 ? d->move_entries / partitions / 2 : d->move_entries;
}

static void clear_phases(struct env* e)
{
    struct front_end* d = e->front_end;
    struct fe_command* c = env_sram(e, d->commands);
    struct fe_move_done* m = env_sram(e, d->dones);
    for (uint32_t i = 0; i < d->command_entries; ++i) {
        c[i].phase = 0;
    }
    for (uint32_t i = 0; i < d->done_entries; ++i) {
        m[i].phase = 0;
    }
}

/* Rewrites ring addresses and sizes, which makes all three rings empty. */
static void reset_rings(struct env* e)
{
    struct front_end* d = e->front_end;
    clear_phases(e);
    d->command_at = d->commands;
    d->command_phase = 1;
    d->command_unreturned = 0;
    d->move_tail = 0;
    d->move_in_flight = 0;
    d->dirty = 0;
    d->done_at = d->dones;
    d->done_phase = 1;
    d->done_unreturned = 0;
    set_ring(e, FE_REG_CMD_BASE_LO, d->commands, d->command_entries);
    set_ring(e, FE_REG_MOVE_BASE_LO, d->moves, d->move_entries);
    set_ring(e, FE_REG_DONE_BASE_LO, d->dones, d->done_entries);
}

int front_end_init(struct env* e, const struct front_end_setup* setup)
{
    struct front_end* d = e->front_end;
    const uint32_t mdts = e->told.host->mdts;
    FW_ASSERT(e, is_power_of_two(mdts) && mdts >= 4096);
    d->sata = e->told.host->interface == HOST_INTERFACE_SATA;
    d->follows = setup->follows;
    d->mdts = mdts;
    d->slots = get(e, FE_REG_SLOTS);
    if (d->sata != 0) {
        d->queues.pairs = 1;
    } else {
        d->queues.pairs = get(e, FE_REG_QUEUE_MAX);
        d->queues.vectors = get(e, FE_REG_VECTORS);
        d->queues.entries = get(e, FE_REG_QUEUE_ENTRIES);
        set(e, FE_REG_LBA_SHIFT, 9);
    }
    if (d->slots == 0 || d->slots >= 0xFFFFu) {
        return -1;
    }
    /* A ring holds a power of two; twice the slots lets the head return lazily. */
    d->command_entries = 1u << bits_for(2 * d->slots);
    share_rings(d, setup->partitions);
    d->backlog_entries = 1u << bits_for(d->slots * (mdts / setup->unit + 2) + setup->beside);
    if (d->follows == 0) {
        d->commands = sram_take(e, (uint64_t)d->command_entries * sizeof(struct fe_command));
        d->moves = sram_take(e, (uint64_t)d->move_entries * sizeof(struct fe_move));
        d->dones = sram_take(e, (uint64_t)d->done_entries * sizeof(struct fe_move_done));
    }
    d->backlog = dram_take(e, (uint64_t)d->backlog_entries * sizeof(struct fe_move));
    if (e->arenas->absent != 0) {
        return arenas_result(e);
    }
    if (d->follows == 0) {
        reset_rings(e);
    }
    set(e, FE_REG_MDTS, mdts);
    d->always = FE_INT_COMMAND | FE_INT_DONE | FE_INT_CC;
    d->always |= d->sata != 0 ? 0u : FE_INT_DOORBELL; /* which SATA has not */
    d->tells_all = 0;
    set(e, FE_REG_INT_ENABLE, d->always);
    return 0;
}

void front_end_stop(struct env* e)
{
    e->front_end->tells_all = 0;
    set(e, FE_REG_INT_ENABLE, 0);
}

struct fe_move* front_end_place(struct env* e)
{
    struct front_end* d = e->front_end;
    FW_ASSERT(e, d->move_in_flight + 1 < d->move_entries);
    return env_sram_entry(e, d->moves, d->move_tail, sizeof(struct fe_move));
}

void front_end_placed(struct env* e)
{
    struct front_end* d = e->front_end;
    d->move_tail = (d->move_tail + 1) & (d->move_entries - 1);
    ++d->move_in_flight;
    d->dirty |= FRONT_END_MOVES;
}

static void order(struct env* e, uint32_t kind, uint32_t value)
{
    struct front_message* m = cores_message(e, cores_orders(e));
    FW_ASSERT(e, e->host_remote != 0);
    FW_ASSERT(e, kind > FRONT_MOVE && kind <= FRONT_CLOSE);
    m->kind = kind;
    m->value = value;
}

/* To the ring, or to the core that has it. */
static void pass_on(struct env* e, const struct fe_move* move)
{
    if (e->host_remote == 0) {
        *front_end_place(e) = *move;
        front_end_placed(e);
        return;
    }
    struct front_message* m = cores_message(e, cores_orders(e));
    FW_ASSERT(e, front_end_moving(e) + 1 < e->front_end->moves_most);
    m->kind = FRONT_MOVE;
    m->move = *move;
    ++e->front_end->sent;
}

uint32_t front_end_moving(const struct env* e)
{
    const struct front_end* d = e->front_end;
    return e->host_remote != 0 ? d->sent - __atomic_load_n(&e->cores->moved, __ATOMIC_ACQUIRE)
                               : d->move_in_flight;
}

bool front_end_pass_read(struct env* e, uint32_t request, bool last)
{
    struct front_end* d = e->front_end;
    FW_ASSERT(e, e->host_remote != 0 && request < FRONT_READ_LAST);
    if (d->backlog_count != 0 || front_end_moving(e) + 1 >= d->moves_most) {
        return false;
    }
    struct front_message* m = cores_message(e, cores_orders(e));
    m->kind = FRONT_READ;
    m->value = request | (last ? FRONT_READ_LAST : 0);
    ++d->sent;
    return true;
}

void front_end_move(struct env* e, const struct fe_move* move)
{
    struct front_end* d = e->front_end;
    FW_ASSERT(e, (move->flags & FE_MOVE_NOTIFY) != 0);
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, e->run->checks == 0); /* nobody is due (run/steps.c) */
#endif
    if ((d->backlog_count | e->host_remote) == 0 && d->move_in_flight + 1 < d->moves_most) {
        *front_end_place(e) = *move; /* nearly always */
        front_end_placed(e);
        return;
    }
    if (d->backlog_count == 0 && front_end_moving(e) + 1 < d->moves_most) {
        pass_on(e, move);
        return;
    }
    FW_ASSERT(e, d->backlog_count < d->backlog_entries);
    struct fe_move* backlog = env_dram(e, d->backlog);
    backlog[(d->backlog_head + d->backlog_count) & (d->backlog_entries - 1)] = *move;
    ++d->backlog_count;
}

bool front_end_drop_backlog(struct env* e, struct fe_move* move)
{
    struct front_end* d = e->front_end;
    if (d->backlog_count == 0) {
        return false;
    }
    *move = ((const struct fe_move*)env_dram(e, d->backlog))[d->backlog_head];
    d->backlog_head = (d->backlog_head + 1) & (d->backlog_entries - 1);
    --d->backlog_count;
    return true;
}

/* Once that many entries have been read. */
static void return_heads(struct env* e, uint32_t commands, uint32_t dones)
{
    struct front_end* d = e->front_end;
    if (d->command_unreturned >= commands) {
        const uint64_t read = d->command_at - d->commands;
        set(e, FE_REG_CMD_HEAD, (uint32_t)(read / sizeof(struct fe_command)));
        d->command_unreturned = 0;
    }
    if (d->done_unreturned >= dones) {
        const uint64_t read = d->done_at - d->dones;
        set(e, FE_REG_DONE_HEAD, (uint32_t)(read / sizeof(struct fe_move_done)));
        d->done_unreturned = 0;
    }
}

static void tell(struct env* e)
{
    struct front_end* d = e->front_end;
    const uint32_t dirty = d->dirty;
    if ((dirty & FRONT_END_MOVES) != 0) {
        set(e, FE_REG_MOVE_TAIL, d->move_tail);
    }
    d->dirty = 0;
    if ((dirty & FRONT_END_HEADS) != 0) {
        return_heads(e, d->command_entries / 4, d->done_entries / 4);
    }
}

void front_end_drain(struct env* e)
{
    const struct front_end* d = e->front_end;
    struct fe_move move;
    while (front_end_moving(e) + 1 < d->moves_most && front_end_drop_backlog(e, &move)) {
        pass_on(e, &move);
    }
}

void front_end_bring(struct env* e)
{
    if (e->front_end->backlog_count != 0) {
        front_end_drain(e);
    }
    tell(e);
}

/* quiet: completions of quiet moves as well, while there are moves. */
static void want(struct env* e, bool quiet)
{
    struct front_end* d = e->front_end;
    const uint32_t all = quiet && d->move_in_flight != 0 ? 1u : 0u;
    FW_ASSERT(e, (d->dirty & FRONT_END_MOVES) == 0);
    if (all == d->tells_all) {
        return;
    }
    /* Enabling an interrupt raises it for entries whose head has not returned. */
    return_heads(e, 1, 1);
    d->tells_all = all;
    set(e, FE_REG_INT_ENABLE, d->always | (all != 0 ? FE_INT_DONE_QUIET : 0u));
}

void front_end_want(struct env* e, bool quiet)
{
    FW_ASSERT(e, e->host_remote == 0);
    want(e, quiet || e->front_end->backlog_count != 0);
}

void front_end_sleep_remote(struct env* e, bool quiet)
{
    struct front_end* d = e->front_end;
    const uint32_t all = quiet || d->backlog_count != 0 ? 1u : 0u;
    if (all != d->quiet && mailbox_spacious(cores_orders(e))) {
        d->quiet = all; /* else in another round: who is that far behind has news for us */
        order(e, FRONT_QUIET, all);
    }
}

void front_end_close(struct env* e, bool closed)
{
    order(e, FRONT_CLOSE, closed ? 1 : 0);
}

uint32_t front_end_register(struct env* e, uint32_t offset)
{
    FW_ASSERT(e, e->front_end->sata != 0);
    FW_ASSERT(e, offset < MAP_SATA_SIZE);
    return get(e, offset);
}

uint32_t front_end_speed(struct env* e)
{
    FW_ASSERT(e, e->front_end->sata != 0);
    return get(e, SFE_REG_SPEED) & SFE_SPEED_GENERATION_MASK;
}

void front_end_option(struct env* e, uint32_t options)
{
    FW_ASSERT(e, e->front_end->sata != 0);
    FW_ASSERT(e, (options & ~SFE_OPTIONS_AUTO_ACTIVATE) == 0);
    set(e, SFE_REG_OPTIONS, options);
}

uint32_t front_end_cc(struct env* e)
{
    return e->host_remote != 0 ? e->front_end->cc : get(e, FE_REG_CC);
}

void front_end_told_cc(struct env* e, uint32_t cc)
{
    e->front_end->cc = cc;
}

void front_end_csts(struct env* e, uint32_t csts)
{
    FW_ASSERT(e, (csts & ~0xFu) == 0);
    if (e->host_remote != 0) { /* behind what was ordered before */
        order(e, FRONT_CSTS, csts);
    } else {
        set(e, FE_REG_CSTS, csts);
    }
}

void front_end_restart(struct env* e)
{
    FW_ASSERT(e, e->front_end->backlog_count == 0);
    if (e->host_remote != 0) {
        FW_ASSERT(e, front_end_moving(e) == 0);
        order(e, FRONT_RESTART, 0);
        return;
    }
    while (front_end_command(e) != NULL) {
    }
    reset_rings(e);
}

void front_end_rest(struct env* e, bool quiet)
{
    FW_ASSERT(e, e->host_remote == 0 && e->cores->host != e->cores->ftl);
    if (e->front_end->dirty != 0) {
        tell(e);
    }
    want(e, quiet);
}

bool front_end_moved_untold(const struct env* e)
{
    return e->front_end->moved != e->cores->moved;
}

int front_end_queue(struct env* e, const struct queue_request* q)
{
    FW_ASSERT(e, q->id >= 1 && q->priority <= FE_PRIORITY_LOW);
    FW_ASSERT(e, q->command >= FE_Q_CREATE_SQ && q->command <= FE_Q_DELETE_CQ);
    set(e, FE_REG_Q_ID, q->id);
    set(e, FE_REG_Q_BASE_LO, (uint32_t)q->base);
    set(e, FE_REG_Q_BASE_HI, (uint32_t)(q->base >> 32));
    set(e, FE_REG_Q_SIZE, q->entries);
    set(e, FE_REG_Q_CQID, q->cqid);
    set(e, FE_REG_Q_VECTOR, q->vector);
    set(e, FE_REG_Q_PRIORITY, q->priority);
    set(e, FE_REG_Q_COMMAND, q->command);
    for (uint32_t i = 0; i < QUEUE_POLLS; ++i) {
        if (get(e, FE_REG_Q_COMMAND) == 0) {
            return 0;
        }
    }
    return -1;
}

void front_end_arbitration(struct env* e, uint32_t value)
{
    set(e, FE_REG_ARBITRATION, value);
}

void front_end_coalescing(struct env* e, uint32_t value)
{
    FW_ASSERT(e, (value >> 16) == 0);
    set(e, FE_REG_COALESCING, value);
}

void front_end_vector(struct env* e, uint32_t value)
{
    FW_ASSERT(e, (value & 0xFFFFu) < e->front_end->queues.vectors);
    FW_ASSERT(e, (value >> 17) == 0);
    set(e, FE_REG_VEC_ID, value & 0xFFFFu);
    set(e, FE_REG_VEC_CONTROL, value >> 16);
}

void front_end_format(struct env* e, uint32_t nsid, uint32_t format)
{
    FW_ASSERT(e, nsid != 0);
    FW_ASSERT(e, (format & FE_NS_FORMAT_SHIFT_MASK) <= 16);
    set(e, FE_REG_NS_ID, nsid);
    set(e, FE_REG_NS_FORMAT, format);
}

uint32_t front_end_doorbell_error(struct env* e)
{
    return get(e, FE_REG_DOORBELL_ERROR);
}
