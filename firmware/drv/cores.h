/* SPDX-License-Identifier: Apache-2.0
 *
 * Roles of several cores, and the mailboxes between them. With one core there is none of it.
 *
 * A role owns its structures: no other core looks at them. What goes between is a message, and
 * what a message names changes its owner with it (docs/firmware.md, "Several cores").
 */
#ifndef SSDVP_FIRMWARE_DRV_CORES_H
#define SSDVP_FIRMWARE_DRV_CORES_H

#include <stdbool.h>

#include "firmware/drv/mailbox.h"
#include "models/regs/nvme_fe_regs.h"
#include "models/regs/parts/cores.h"

struct boot_params;

/* Flash reads that the host role keeps for commands to come, at most. */
#define CORES_SPARE_READS 64u

enum host_event {
    HOST_COMMAND = 1, /* of an I/O queue, checked; its context says the rest */
    HOST_ADMIN = 2,   /* as it was fetched */
    HOST_DONE = 3,    /* a mover completion that the ftl role has to act on */
    HOST_CONTROL = 4, /* the host wrote CC */
    HOST_READ = 5,    /* a read in which nothing is wrong; likewise of an I/O queue */
    HOST_KNOCK = 6    /* commands wait that it was told not to take */
};

struct host_request { /* what the host role makes of an I/O command, beside its context */
    uint8_t opcode;
    uint8_t reserved;
    uint16_t status; /* nvme_status of what is wrong with its form */
};

struct host_message { /* host to ftl */
    uint8_t kind;     /* enum host_event */
    uint8_t failed;   /* HOST_DONE: the data did not move */
    uint16_t slot;
    struct host_request request; /* HOST_COMMAND */
    uint32_t value; /* HOST_READ: a flash read to be used for it, INDEX_NONE = none; HOST_DONE:
                       the move's tag; HOST_CONTROL: CC */
    uint32_t reserved;
    struct nvme_sqe sqe; /* HOST_ADMIN */
};

enum front_order {
    FRONT_MOVE = 1,
    FRONT_RESTART = 2, /* forget commands that were fetched, empty rings */
    FRONT_CSTS = 3,
    FRONT_QUIET = 4, /* wake me for completions of quiet moves, and tell me all of them: 1, 0 */
    FRONT_CLOSE = 5, /* take no new commands: 1, 0 */
    FRONT_READ = 6   /* move what a flash read has brought: its number, and whether it is the last
                        move of its command */
};
#define FRONT_READ_LAST (1u << 31)

struct front_message { /* ftl to host */
    uint32_t kind;     /* enum front_order */
    uint32_t value;
    struct fe_move move; /* FRONT_MOVE */
};

struct flash_message { /* ftl to flash: the request is the flash role's until its completion */
    uint32_t request;
    uint32_t channel;
};

struct cores {
    uint32_t started; /* 1 = roles go their own ways */
    uint32_t host;    /* cores of the roles */
    uint32_t ftl;
    uint32_t flash;
    uint32_t rests[MAP_CORES_MAX]; /* each core's: 1 = it sleeps, or is about to: a message needs a
                                      doorbell */
    uint32_t skips[MAP_CORES_MAX]; /* ... rounds since it looked at the interrupt controller */
    uint32_t moved;                /* host role: moves done, as of its last post; wraps */
    struct mailbox events;         /* host_message, host to ftl */
    struct mailbox orders;         /* front_message, ftl to host */
    struct mailbox operations;     /* flash_message, ftl to flash */
    struct mailbox completions;    /* flash_completion, flash to ftl */
};

/* true = each role is on one core; or, where the drive is divided, the host role on core 0, all
 * else of a partition on one of the others. */
bool cores_agree(const struct boot_params* p);
/* Room for all that can be under way: moves of the mover ring, a command in each slot, and
 * operations. 0 = done, -1 = memory. */
int cores_init(struct env* e, const struct boot_params* p, uint32_t slots, uint32_t operations);
/* The roles part: from here on this core's env is that of `roles`. */
void cores_start(struct env* e);
/* Publishes what this core has sent. */
void cores_post(struct env* e);
/* Waits for an interrupt, unless messages have come meanwhile: then no line is pending, 0. */
uint64_t cores_wait(struct env* e);
/* The same of a core that has mailboxes with several partitions, each of which has an env. */
uint64_t cores_wait_all(struct env* each, uint32_t count);
/* Lines of the interrupt controller that a core with these roles listens to. */
uint64_t cores_lines(const struct env* e, uint32_t roles, const struct boot_params* p, bool timer);
/* Those lines wake the core that runs. */
void cores_listen(struct env* e, uint64_t lines);
uint32_t cores_roles(struct env* e, const struct boot_params* p); /* of the core that runs */

/* Roles go their own ways. */
static inline bool cores_started(const struct env* e)
{
    return __atomic_load_n(&e->cores->started, __ATOMIC_ACQUIRE) != 0;
}

static inline struct mailbox* cores_events(const struct env* e)
{
    return &e->cores->events;
}

static inline struct mailbox* cores_orders(const struct env* e)
{
    return &e->cores->orders;
}

static inline struct mailbox* cores_operations(const struct env* e)
{
    return &e->cores->operations;
}

static inline struct mailbox* cores_completions(const struct env* e)
{
    return &e->cores->completions;
}

/* The next message of a mailbox that is never full. */
static inline void* cores_message(struct env* e, struct mailbox* m)
{
    void* next = mailbox_next(e, m);
    FW_ASSERT(e, next != NULL);
    mailbox_send(e, m);
    return next;
}

#endif
