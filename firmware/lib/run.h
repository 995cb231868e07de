/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds: what happens wakes what it concerns. Each round takes in completions and commands; what
 * else a drive does (its steps, run/main.c) is due only when something was announced here that
 * a step looks after, or when the last one left work behind.
 */
#ifndef SSDVP_FIRMWARE_LIB_RUN_H
#define SSDVP_FIRMWARE_LIB_RUN_H

#include "firmware/lib/env.h"

enum due {
    DUE_STEPS = 1, /* all of them */
    DUE_TIMER = 2, /* times at which the drive works of its own accord are others now */
    DUE_ALL = DUE_STEPS | DUE_TIMER
};

/* The first of two times at which something is due, in ns since power-on; 0 = never. */
static inline uint64_t due_first(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

#define RUN_BUSY UINT64_MAX

struct run {
    uint32_t due;      /* enum due, since they were done */
    uint32_t settled;  /* 1 = the steps, done last, ordered nothing, and nobody waits for them */
    uint64_t quiet_ns; /* since when there has been no command; RUN_BUSY = there is one */
};

static inline void run_due(struct env* e, uint32_t due)
{
    e->run->due |= due;
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

static inline void run_settle(struct env* e, bool settled)
{
    e->run->settled = settled;
}

static inline bool run_is_settled(const struct env* e)
{
    return e->run->settled != 0;
}

/* The first command is there; the last one is done. */
static inline void run_busy(struct env* e)
{
    e->run->quiet_ns = RUN_BUSY;
}

static inline void run_quiet(struct env* e, uint64_t now_ns)
{
    e->run->quiet_ns = now_ns;
    e->run->due |= DUE_TIMER;
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
