/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and gauges that the layers keep; boot publishes them as telemetry.
 */
#ifndef SSDVP_FIRMWARE_LIB_STATS_H
#define SSDVP_FIRMWARE_LIB_STATS_H

#include <stdint.h>

struct stats {
    uint64_t mapped; /* gauges */
    uint64_t valid;
    uint64_t free_blocks;
    uint64_t bad_blocks;
    uint64_t buffer_dirty;
    uint64_t erase_min;
    uint64_t erase_max;
    uint64_t erase_sum;
    uint64_t erase_square_sum;
    uint64_t erase_blocks;
    uint64_t read_only;

    uint64_t host_units_written; /* counters */
    uint64_t pad_units;
    uint64_t gc_runs;
    uint64_t gc_units_moved;
    uint64_t gc_pages_moved;
    uint64_t wear_units_moved;
    uint64_t trimmed_units;
    uint64_t map_hits;
    uint64_t cache_read_hits;
    uint64_t cache_read_misses;
    uint64_t cache_write_hits;
    uint64_t cache_write_misses;
    uint64_t cache_evictions_clean;
    uint64_t cache_evictions_dirty;
    uint64_t read_errors;

    uint64_t host_read_sectors; /* for the SMART log */
    uint64_t host_write_sectors;
    uint64_t host_read_commands;
    uint64_t host_write_commands;
    uint64_t media_errors;
    uint64_t error_entries;
};

#endif
