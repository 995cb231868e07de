/* SPDX-License-Identifier: Apache-2.0
 *
 * What firmware counts: the telemetry block in SRAM, env.telemetry, and env.smart.
 */
#ifndef SSDVP_FIRMWARE_LIB_TELEMETRY_H
#define SSDVP_FIRMWARE_LIB_TELEMETRY_H

#include "models/regs/telemetry_join.h"

/* What SMART logs tell of this power cycle, beside the counters of the telemetry block
 * (models/regs/telemetry.h); struct drive_life has that of the cycles before it. */
struct smart {
    uint64_t host_read_sectors;
    uint64_t host_write_sectors;
    uint64_t host_read_commands;
    uint64_t host_write_commands;
    /* Host role of a divided drive, of its first partition: parts beside the first of each. */
    uint64_t more_reads;
    uint64_t more_writes;
    uint64_t error_entries;
    uint64_t busy_ns;         /* with commands of the host */
    uint64_t hot_ns[2];       /* above WCTEMP, CCTEMP */
    uint64_t throttled_ns[2]; /* because of heat: light, heavy */
    uint64_t throttled[2];    /* times that it began */
};

#endif
