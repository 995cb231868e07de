/* SPDX-License-Identifier: Apache-2.0
 *
 * Power states (NVM Express base 1.4 section 8.4): which one the drive is in, how it gets from one
 * to the next, and how it keeps within the power of one that works. Where the drive has none of its
 * own, nothing of this runs.
 *
 * In a non-operational state the drive sleeps: it takes no commands. The first one wakes it, as
 * does work of its own that is due; an I/O command, as the specification has it, for good, anything
 * else until there is nothing to do again.
 */
#ifndef SSDVP_FIRMWARE_HOST_POWER_POWER_H
#define SSDVP_FIRMWARE_HOST_POWER_POWER_H

#include <stdbool.h>

#include "firmware/lib/run.h"

#define POWER_STATES 2u /* of a drive without figures for them */
#define POWER_STATE_MASK 0x1Fu
#define POWER_TABLE_SIZE 256u  /* bytes of the table of feature 0Ch */
#define POWER_STATES_MOST 8u   /* that a drive has figures for */
#define POWER_QUIET_NS 10000u  /* without work, and a drive that is to sleep begins to */
#define POWER_LOOK_NS 1000000u /* how often work is looked at that may end unseen */

enum power_phase {
    POWER_AWAKE = 0,
    POWER_ENTERING = 1, /* on the way into a non-operational state */
    POWER_ASLEEP = 2,
    POWER_LEAVING = 3 /* ... into an operational one */
};

struct power {
    uint32_t phase;       /* enum power_phase */
    uint32_t current;     /* as the host is told */
    uint32_t operational; /* the last one of these */
    uint32_t knocked;     /* 1 = a command waits */
    uint32_t autonomous;  /* APSTE */
    uint32_t level;       /* enum heat_level: what is done to keep within the state's power */
    uint32_t metered;     /* uJ at the last look; wraps */
    uint32_t worked;      /* 1 = since then */
    uint32_t moves;       /* of the front end that had been ordered */
    uint32_t table[POWER_STATES_MOST]; /* ITPS and ITPT, as in dword 0 of each entry */
    uint64_t until;                    /* ns, of ENTERING and LEAVING */
    uint64_t idle;                     /* ns since when there is no work, 0 = there is */
    uint64_t looked;                   /* ns, 0 = nothing is metered */
    int64_t debt;                      /* nJ drawn beyond what the state allows */
};

void power_init(struct env* e);
/* The controller is reset: the drive is awake, in state 0, and without transitions of its own. */
void power_reset(struct env* e);

bool power_has_states(const struct env* e); /* of its own */
bool power_is_awake(const struct env* e);

uint32_t power_count(const struct env* e); /* with figures */
uint32_t power_states(const struct env* e);
bool power_works(const struct env* e, uint32_t state);

/* Feature 02h. */
void power_choose(struct env* e, uint32_t state);
/* Feature 0Ch. false = an entry names a state that there is not, or one that works. */
bool power_take_table(struct env* e, const uint8_t* table, uint32_t enable);
void power_put_table(const struct env* e, uint8_t* table);

/* Commands of I/O may have been taken: a state in which the host thinks the drive asleep ends. */
void power_taken(struct env* e);
/* A command waits that is not taken. */
void power_knock(struct env* e);
/* `work`: when something else of the drive wants its turn, 0 = never. When it wants to be called
 * again, in ns; 0 = no timer is needed. */
uint64_t power_step(struct env* e, uint64_t now, uint64_t work);

#endif
