/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and gauges that the layers keep; boot publishes them as telemetry. Those of the table
 * models/regs/counters.h have a field here unless boot works them out.
 */
#ifndef SSDVP_FIRMWARE_LIB_STATS_H
#define SSDVP_FIRMWARE_LIB_STATS_H

#include <stdint.h>

#include "models/regs/counters.h"

#define STATS_FIELD_STATS(field) uint64_t field;
#define STATS_FIELD_READS(field) uint64_t field;
#define STATS_FIELD_OWN(field)
#define STATS_FIELD(field, source, ...) STATS_FIELD_##source(field)
#define STATS_ARRAY(field, length, ...) uint64_t field[length];

/* Shallow host programs; the same rows are struct telemetry_retention. */
struct retention_stats {
    COUNTERS_RETENTION(STATS_FIELD)
};

/* The SLC cache; the same rows are struct telemetry_slc. */
struct slc_stats {
    COUNTERS_SLC(STATS_FIELD)
};

/* The host memory buffer; the same rows are struct telemetry_hmb. */
struct hmb_stats {
    COUNTERS_HMB(STATS_FIELD)
};

/* Nearly in the order of the telemetry block: the compiler then copies several at a time. */
struct stats {
    COUNTERS_DRIVE(STATS_FIELD)
    uint64_t reserved; /* in the place of buffer_dirty, which the cache knows */
    COUNTERS_WORK(STATS_FIELD)
    COUNTERS_WEAR(STATS_FIELD)
    COUNTERS_HEALTH(STATS_FIELD, STATS_ARRAY)
    COUNTERS_MAPS(STATS_FIELD)
    COUNTERS_READS(STATS_FIELD)
    COUNTERS_MERGE_KINDS(STATS_FIELD)
    COUNTERS_MERGES(STATS_FIELD)
    COUNTERS_BUFFER(STATS_FIELD)

    uint64_t host_read_sectors; /* for the SMART log */
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
    COUNTERS_PLACEMENT(STATS_FIELD)
    struct retention_stats retention;
    struct slc_stats slc;
    struct hmb_stats hmb;
};

#undef STATS_FIELD_STATS
#undef STATS_FIELD_READS
#undef STATS_FIELD_OWN
#undef STATS_FIELD
#undef STATS_ARRAY

#endif
