/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds: what happens wakes what it concerns. Each round takes in completions and commands. What
 * else a drive does are steps of its parts: one is due only when something was announced here that
 * it looks after, or when the last round left work behind (run/steps.h).
 */
#ifndef SSDVP_FIRMWARE_LIB_RUN_H
#define SSDVP_FIRMWARE_LIB_RUN_H

#include "firmware/lib/env.h"

/* Parts that have steps, in the order in which those that are due have their turn: the host before
 * what runs behind it, room before whoever wants it. */
#define RUN_PARTS(PART)                                                                            \
    PART(HOST, "commands that wait")                                                               \
    PART(GC, "collection")                                                                         \
    PART(TIMER, "times of its own accord")                                                         \
    PART(BUFFER, "buffer")                                                                         \
    PART(LAYOUT, "logical blocks")                                                                 \
    PART(DURABLE, "maps and checkpoints")                                                          \
    PART(HOPE, "waiting in vain")                                                                  \
    PART(FLASH, "erases and failed programs")                                                      \
    PART(PASSES, "word lines that are held")

#define RUN_NUMBER(id, name) PART_##id,
#define RUN_BIT(id, name) DUE_##id = 1u << PART_##id,
enum run_part { RUN_PARTS(RUN_NUMBER) PARTS };
enum due {
    RUN_PARTS(RUN_BIT) DUE_STEPS = (1u << PARTS) - 1u, /* all of them */
    /* The buffer, and who makes room for what leaves it. */
    DUE_LEAVING = DUE_BUFFER | DUE_LAYOUT | DUE_DURABLE,
    /* Those that ask the maps, and who tells when that is in vain. */
    DUE_ASKING = DUE_HOST | DUE_GC | DUE_LEAVING | DUE_HOPE
};
#undef RUN_NUMBER
#undef RUN_BIT

/* The first of two times at which something is due, in ns since power-on; 0 = never. */
static inline uint64_t due_first(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

#define RUN_BUSY UINT64_MAX

struct run {
    uint32_t due;    /* enum due, since they had their turn */
    uint32_t left;   /* ... in the next round, whatever brings it: they left work behind */
    uint32_t begins; /* ... when the first command comes */
    uint32_t reads;  /* ... when a read of the host has ended, and found its data at once */
    uint32_t queues; /* ... when an operation of the flash begins or ends: they go by the queues */
    uint32_t parts;  /* ... of those that this drive has something for */
    uint32_t again;  /* 1 = another round, though no interrupt announces one */
    uint32_t timed;  /* DUE_TIMER where others than the patrol share the timer, else 0 */
    uint32_t checks; /* 1 = whoever is not due is being checked (builds of tests) */
    uint64_t rare;   /* lines of the interrupt controller that make all due */
    uint64_t quiet_ns; /* since when there has been no command; RUN_BUSY = there is one */
};

static inline void run_due(struct env* e, uint32_t due)
{
#ifdef SSDVP_FW_POISON
    FW_ASSERT(e, e->run->checks == 0); /* what has just been found was not announced */
#endif
    e->run->due |= due;
}

/* Some part has a turn in the next round. */
static inline bool run_has_work(const struct env* e)
{
    return (e->run->due | e->run->left) != 0;
}

static inline bool run_is_due(const struct env* e, uint32_t due)
{
    return (e->run->due & due) != 0;
}

/* It is being looked after. */
static inline void run_taken(struct env* e, uint32_t due)
{
    e->run->due &= ~due;
}

/* They have a turn in the next round, which this announces to nobody. */
static inline void run_later(struct env* e, uint32_t due)
{
    e->run->left |= due;
}

static inline void run_again(struct env* e)
{
    e->run->again = 1;
}

/* The first command is there; the last one is done. */
static inline void run_busy(struct env* e)
{
    e->run->quiet_ns = RUN_BUSY;
    e->run->due |= e->run->begins;
}

/* Boot: whoever has a time of its own hears of both, not of the last one alone. */
static inline void run_hears_busy(struct env* e)
{
    e->run->begins |= DUE_TIMER;
}

/* ... of reads that nobody else needs to hear of; one has ended. */
static inline void run_hears_reads(struct env* e, uint32_t due)
{
    e->run->reads |= due;
}

static inline void run_read(struct env* e)
{
    e->run->due |= e->run->reads;
}

/* ... of all operations, where the next place goes by what the LUNs' queues hold; one was
 * submitted. */
static inline void run_hears_queues(struct env* e, uint32_t due)
{
    e->run->reads |= due;
    e->run->queues |= due;
}

static inline void run_submitted(struct env* e)
{
    if (e->run->queues != 0) {
        e->run->due |= e->run->queues;
    }
}

static inline void run_quiet(struct env* e, uint64_t now_ns)
{
    e->run->quiet_ns = now_ns;
    e->run->due |= e->run->timed;
}

static inline bool run_is_quiet(const struct env* e)
{
    return e->run->quiet_ns != RUN_BUSY;
}

/* Nobody has asked for anything for that long: the time at which that is so, UINT64_MAX = a command
 * is there. */
static inline uint64_t run_quiet_at(const struct env* e, uint64_t ns)
{
    const uint64_t since = e->run->quiet_ns;
    return since > UINT64_MAX - ns ? UINT64_MAX : since + ns;
}

#endif
