/* SPDX-License-Identifier: Apache-2.0
 *
 * Why firmware held a command before it handed it on to a block: telemetry, attributed in the
 * latency parts.
 */
#ifndef SSDVP_REGS_FE_WAIT_H
#define SSDVP_REGS_FE_WAIT_H

enum fe_wait {
    FE_WAIT_FIRMWARE = 0, /* for nothing but a core */
    FE_WAIT_PROGRAM = 1,  /* for programs to end */
    FE_WAIT_GC = 2,       /* for collection, or a merge, to make room */
    FE_WAIT_ERASE = 3,
    FE_WAIT_READ = 4,   /* for a read that fills the write buffer */
    FE_WAIT_MAP = 5,    /* for a page of the map */
    FE_WAIT_BUFFER = 6, /* for a slot of the write buffer, or the page buffer of a read */
    FE_WAIT_POWER = 7,  /* for a drive that was asleep, or took no commands for heat or power */
    FE_WAITS = 8
};

#endif
