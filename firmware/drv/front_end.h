/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver of the NVMe front end: command ring, mover ring and mover completions in SRAM, queue
 * window, CC and CSTS.
 *
 * Every move asks for a completion, quiet unless the caller wants the interrupt, because only
 * completions say how much of the mover ring is free. Moves that find the ring full wait in a
 * backlog that holds as many as all commands together can need.
 */
#ifndef SSDVP_FIRMWARE_DRV_FRONT_END_H
#define SSDVP_FIRMWARE_DRV_FRONT_END_H

#include <stdbool.h>

#include "firmware/lib/env.h"
#include "models/regs/ata_records.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/sata_fe_regs.h"

struct queue_limits {
    uint32_t pairs;
    uint32_t vectors;
    uint32_t entries; /* of the largest queue */
};

enum { FRONT_END_MOVES = 1, FRONT_END_HEADS = 2 };

struct front_end {
    uint64_t commands; /* rings, controller addresses */
    uint64_t moves;
    uint64_t dones;
    uint64_t backlog;
    uint32_t command_entries; /* powers of two */
    uint32_t move_entries;
    uint32_t done_entries;
    uint32_t backlog_entries;
    uint64_t command_at; /* the oldest entry */
    uint32_t command_phase;
    uint32_t command_unreturned;
    uint32_t move_tail;
    uint32_t move_in_flight;
    uint32_t dirty; /* FRONT_END_*: what the device has not been told of */
    uint32_t backlog_count;
    uint32_t tells_all; /* 1 = FE_REG_INT_ENABLE was last written with FE_INT_DONE_QUIET */
    uint32_t always;    /* what wakes the firmware at any time */
    uint64_t done_at;
    uint32_t done_phase;
    uint32_t done_unreturned;
    uint32_t backlog_head;
    uint32_t slots;
    struct queue_limits queues;
    uint32_t mdts;
    uint32_t moved; /* host role on a core of its own: moves that have completed; wraps */
    uint32_t sata;  /* 1 = it is the front end of a SATA device: other registers, the same rings */
    uint32_t wants_quiet; /* host role on a core of its own: as ordered */
    /* Where the host role has a core of its own, the backlog and these are the ftl role's: */
    uint32_t sent;       /* moves ordered; wraps */
    uint32_t quiet;      /* what the host role was told of quiet moves */
    uint32_t cc;         /* as the host role last told */
    uint32_t lookup;     /* SRAM address of struct lookup (lookup.h), 0 = there is no engine */
    uint32_t follows;    /* 1 = another partition has them */
    uint32_t moves_most; /* moves under way at a time, and one more */
};

struct front_end_setup { /* what rings are for, beside the options of the host */
    uint32_t unit;       /* bytes of the smallest piece a transfer is cut into */
    uint32_t partitions; /* that share the rings */
    uint32_t follows;    /* 1 = another partition has them */
    uint32_t beside;     /* moves of no command that there can be at a time */
};

/* 0 = done, -1 = the arena is used up. */
int front_end_init(struct env* e, const struct front_end_setup* setup);
void front_end_stop(struct env* e);

static inline bool front_end_is_sata(const struct env* e)
{
    return e->front_end->sata != 0;
}

/* Commands that there can be at a time; bytes of a transfer; queues: at most. */
static inline uint32_t front_end_slots(const struct env* e)
{
    return e->front_end->slots;
}

static inline uint32_t front_end_mdts(const struct env* e)
{
    return e->front_end->mdts;
}

static inline const struct queue_limits* front_end_queues(const struct env* e)
{
    return &e->front_end->queues;
}

/* Changes with each move that is ordered; moves that wait for room in the ring. */
static inline uint32_t front_end_moves(const struct env* e)
{
    return e->front_end->move_tail + e->front_end->sent;
}

static inline uint32_t front_end_backlog(const struct env* e)
{
    return e->front_end->backlog_count;
}

/* Nothing moves any more: forgets the commands in the ring, and empties all three rings. */
void front_end_restart(struct env* e);
/* Moves that are under way. */
uint32_t front_end_moving(const struct env* e);
/* The host role on a core of its own: the next place of the mover ring, and that it is filled;
 * doorbell, heads, and interrupts wanted during the next sleep (as front_end_sleep). */
struct fe_move* front_end_place(struct env* e);
void front_end_placed(struct env* e);
void front_end_rest(struct env* e, bool quiet);
/* A move has completed; whether any has that the ftl role does not know of. */
static inline void front_end_moved(struct env* e)
{
    ++e->front_end->moved;
}
bool front_end_moved_untold(const struct env* e);
/* Whether that role is told of all moves, as it last ordered. */
static inline void front_end_tell_all(struct env* e, bool all)
{
    e->front_end->wants_quiet = all ? 1u : 0u;
}
static inline bool front_end_tells_all(const struct env* e)
{
    return e->front_end->wants_quiet != 0;
}
/* ... and the ftl role: orders what a flash read has brought to be moved. false = the ring is full.
 */
bool front_end_pass_read(struct env* e, uint32_t request, bool last);
void front_end_close(struct env* e, bool closed);   /* it is to take no new commands */
void front_end_told_cc(struct env* e, uint32_t cc); /* what front_end_cc returns from here on */

/* The oldest command; whether it is there; NULL = it is not; consumed. Likewise the oldest
 * completion of a move. Heads go back lazily, when a quarter of the ring has been read. */
static inline const struct fe_command* front_end_oldest_command(const struct env* e)
{
    return (const struct fe_command*)env_sram(e, e->front_end->command_at);
}
static inline bool front_end_has_command(const struct env* e)
{
    return (front_end_oldest_command(e)->phase & 1u) == e->front_end->command_phase;
}
static inline const struct fe_command* front_end_command(struct env* e)
{
    struct front_end* d = e->front_end;
    const struct fe_command* c = front_end_oldest_command(e);
    if (!front_end_has_command(e)) {
        return NULL;
    }
    FW_ASSERT(e, c->slot < d->slots);
    FW_ASSERT(e, d->command_unreturned < d->command_entries);
    if (++d->command_unreturned == d->command_entries / 4) {
        d->dirty |= FRONT_END_HEADS;
    }
    d->command_at += sizeof *c;
    if (d->command_at == d->commands + (uint64_t)d->command_entries * sizeof *c) {
        d->command_at = d->commands;
        d->command_phase ^= 1u;
    }
    return c;
}
static inline const struct fe_move_done* front_end_oldest_done(const struct env* e)
{
    return (const struct fe_move_done*)env_sram(e, e->front_end->done_at);
}
static inline bool front_end_has_done(const struct env* e)
{
    return (front_end_oldest_done(e)->phase & 1u) == e->front_end->done_phase;
}
static inline const struct fe_move_done* front_end_done(struct env* e)
{
    struct front_end* d = e->front_end;
    const struct fe_move_done* m = front_end_oldest_done(e);
    if (!front_end_has_done(e)) {
        return NULL;
    }
    FW_ASSERT(e, d->move_in_flight > 0);
    FW_ASSERT(e, d->done_unreturned < d->done_entries);
    --d->move_in_flight;
    if (++d->done_unreturned == d->done_entries / 4) {
        d->dirty |= FRONT_END_HEADS;
    }
    d->done_at += sizeof *m;
    if (d->done_at == d->dones + (uint64_t)d->done_entries * sizeof *m) {
        d->done_at = d->dones;
        d->done_phase ^= 1u;
    }
    return m;
}
void front_end_move(struct env* e, const struct fe_move* move);
/* Takes a move back that never reached the ring. false = none left. */
bool front_end_drop_backlog(struct env* e, struct fe_move* move);

/* Moves that waited for room; those, doorbell and heads, if there are any. */
void front_end_drain(struct env* e);
void front_end_bring(struct env* e);
static inline void front_end_ring(struct env* e)
{
    if ((e->front_end->backlog_count | e->front_end->dirty) != 0) {
        front_end_bring(e);
    }
}

/* Interrupts wanted during the next sleep. quiet = also for completions of quiet moves. */
void front_end_want(struct env* e, bool quiet);
static inline void front_end_sleep(struct env* e, bool quiet)
{
    const struct front_end* d = e->front_end;
    if (quiet ? d->tells_all == 0 : (d->backlog_count | d->tells_all) != 0) {
        front_end_want(e, quiet);
    }
}
/* The same, asked of a host role that has a core of its own. */
void front_end_sleep_remote(struct env* e, bool quiet);

/* Of a SATA device. speed: generation of the link; option: SFE_OPTIONS_*. */
uint32_t front_end_register(struct env* e, uint32_t offset);
uint32_t front_end_speed(struct env* e);
void front_end_option(struct env* e, uint32_t options);

uint32_t front_end_cc(struct env* e);
void front_end_csts(struct env* e, uint32_t csts);

struct queue_request {
    uint32_t command; /* enum fe_queue_command */
    uint32_t id;
    uint32_t cqid;
    uint32_t entries;
    uint32_t vector;
    uint32_t priority; /* enum fe_queue_priority */
    uint64_t base;
};

int front_end_queue(struct env* e, const struct queue_request* q); /* 0 = done */

/* Features that the hardware carries out; values as in CDW11 of Set Features. A controller reset
 * brings back the first ones. */
void front_end_arbitration(struct env* e, uint32_t value); /* 01h */
void front_end_coalescing(struct env* e, uint32_t value);  /* 08h */
void front_end_vector(struct env* e, uint32_t value);      /* 09h */
/* FE_NS_FORMAT_* of a namespace: its transfers are sized by it. */
void front_end_format(struct env* e, uint32_t nsid, uint32_t format);
/* FE_DOORBELL_ERROR_*, then forgotten: what FE_INT_DOORBELL was about. */
uint32_t front_end_doorbell_error(struct env* e);

#endif
