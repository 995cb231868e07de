/* SPDX-License-Identifier: Apache-2.0
 *
 * The host role on a core of its own.
 */
#ifndef SSDVP_FIRMWARE_HOST_CORE_HOST_CORE_H
#define SSDVP_FIRMWARE_HOST_CORE_HOST_CORE_H

#include <stdbool.h>

#include "firmware/drv/cores.h"
#include "firmware/lib/env.h"
#include "firmware/lib/list.h"

struct host_core {
    uint32_t cc;        /* as told to the ftl role */
    uint32_t unchecked; /* the line was pending, but rings explained it */
    uint32_t active;    /* commands whose completion entry is not ordered */
    uint32_t most;      /* flash reads that it may keep */
    uint32_t closed;    /* 1 = it takes no new commands, ... */
    uint32_t knocked;   /* ... and has told that some wait */
    struct fifo spare;  /* flash reads whose data have moved, for commands to come */
};

/* The first round, and one of the others. */
void hil_host_start(struct env* e, struct host_core* h);
void hil_serve(struct env* e, struct host_core* h, bool nvme_line);

/* What a divided drive's host role has in common with it (divided.c). */
struct host_message* host_tell(struct env* e, uint32_t kind, uint32_t slot);
void host_tell_done(struct env* e, uint32_t tag, uint32_t slot, bool failed);
/* What a move held on to, which has ended. */
void host_release(struct env* e, struct host_core* h, const struct fe_move_done* d);
/* The ftl role waits for something, or no more. */
void host_open(struct env* e, struct host_core* h, uint32_t on);
/* Tells the ftl role of a command that has a context. */
void host_pass(struct env* e, struct host_core* h, const struct fe_command* c);

#endif
