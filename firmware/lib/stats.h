/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and gauges that the layers keep; boot publishes them as telemetry.
 */
#ifndef SSDVP_FIRMWARE_LIB_STATS_H
#define SSDVP_FIRMWARE_LIB_STATS_H

#include <stdint.h>

enum { STATS_RETRY_LEVELS = 8 }; /* the last counts all beyond */

enum refresh_reason {
    REFRESH_CORRECTED = 0, /* many corrected bits */
    REFRESH_READS = 1,     /* read disturb */
    REFRESH_RETRY = 2,     /* a high retry level, or none was enough */
    REFRESH_FAILED = 3,    /* a block of it has left service, its data are to follow */
    REFRESH_REASONS = 4
};

enum retire_reason {
    RETIRE_PROGRAM = 0, /* a program failed */
    RETIRE_ERASE = 1,
    RETIRE_REFRESHED = 2, /* it asked for too many refreshes */
    RETIRE_REASONS = 3
};

/* Shallow host programs, in the order of struct telemetry_retention. */
struct retention_stats {
    uint64_t tracked; /* gauge: superblocks */
    uint64_t shallow_pages;
    uint64_t deep_pages;
    uint64_t rewritten_units;
    uint64_t late_units;   /* ... after the limit, as far as ages are known */
    uint64_t shallow_died; /* units overwritten or trimmed in time */
    uint64_t deep_died;    /* ... that shallow programs would have done for; only if predicted */
    uint64_t deep_lived;
};

/* In the order of the telemetry block: the compiler then copies several at a time. */
struct stats {
    uint64_t mapped; /* gauges */
    uint64_t valid;
    uint64_t free_blocks;
    uint64_t bad_blocks;
    uint64_t buffer_dirty;

    uint64_t host_units_written; /* counters */
    uint64_t pad_units;
    uint64_t gc_runs;
    uint64_t gc_units_moved;
    uint64_t gc_pages_moved;
    uint64_t wear_units_moved;
    uint64_t trimmed_units;
    uint64_t map_hits; /* where the map is paged */
    uint64_t map_misses;
    uint64_t map_evictions;
    uint64_t cache_read_hits;
    uint64_t cache_read_misses;
    uint64_t cache_write_hits;
    uint64_t cache_write_misses;
    uint64_t cache_evictions_clean;
    uint64_t cache_evictions_dirty;

    uint64_t erase_min; /* gauges */
    uint64_t erase_max;
    uint64_t erase_sum;
    uint64_t erase_square_sum;
    uint64_t erase_blocks;
    uint64_t read_errors; /* counter */
    uint64_t read_only;   /* gauge */

    uint64_t retries[STATS_RETRY_LEVELS]; /* health */
    uint64_t recovered_reads;
    uint64_t media_errors;
    uint64_t lost_units; /* gauge */
    uint64_t units_lost;
    uint64_t refresh_reasons[REFRESH_REASONS];
    uint64_t refresh_runs;
    uint64_t refresh_units_moved;
    uint64_t patrol_reads;
    uint64_t retired[RETIRE_REASONS];
    uint64_t spare_percent; /* gauge */
    uint64_t used_percent;  /* gauge */
    uint64_t suspends;
    uint64_t map_valid; /* gauge: valid units of map pages and journal */
    uint64_t map_units_written;
    uint64_t checkpoints;

    uint64_t host_page_reads; /* by why, of all schemes */
    uint64_t map_page_reads;
    uint64_t scan_page_reads;
    uint64_t merges_switch; /* block and hybrid mapping */
    uint64_t merges_partial;
    uint64_t merges_full;
    uint64_t copy_page_reads;
    uint64_t copy_page_writes;
    uint64_t erases_data;
    uint64_t erases_log;
    uint64_t erases_map;
    uint64_t merged_logs;
    uint64_t merged_logical_blocks;
    uint64_t merged_logical_blocks_max;
    uint64_t blocking_max_ns;

    uint64_t cache_padding_reads; /* of the buffer: units that bplru reads, ... */
    uint64_t cache_ahead_units;   /* ... read ahead, read by the host in time, and never */
    uint64_t cache_ahead_hits;
    uint64_t cache_ahead_wasted;

    uint64_t host_read_sectors; /* for the SMART log */
    uint64_t host_write_sectors;
    uint64_t host_read_commands;
    uint64_t host_write_commands;
    uint64_t error_entries;
    uint64_t busy_ns;       /* with commands of the host */
    uint64_t strayed_units; /* not where their address says */
    struct retention_stats retention;
};

#endif
