/* SPDX-License-Identifier: Apache-2.0
 *
 * Telemetry block: counters that firmware keeps in SRAM at BOOT_TELEMETRY_OFFSET and the platform
 * reads for its report, as a vendor's telemetry log would be. All counters only ever grow, unless
 * noted, so that a measured part is a difference of two copies.
 */
#ifndef SSDVP_REGS_TELEMETRY_H
#define SSDVP_REGS_TELEMETRY_H

#include <stdint.h>

#define TELEMETRY_MAGIC 0x4C544453u /* "SDTL" */

#define TELEMETRY_RETRY_LEVELS 8
#define TELEMETRY_REFRESH_REASONS 4
#define TELEMETRY_RETIRE_REASONS 3

/* Shallow programs of the host whose pages have a limited retention. */
struct telemetry_retention {
    uint64_t tracked;       /* gauge: superblocks with pages that are to be rewritten one day */
    uint64_t shallow_pages; /* of the host, as ordered */
    uint64_t deep_pages;
    uint64_t rewritten_units;
    uint64_t late_units;   /* ... after the limit */
    uint64_t shallow_died; /* units that the host overwrote or trimmed before */
    uint64_t deep_died;    /* ... deep ones, of a predictor: shallow would have done */
    uint64_t deep_lived;   /* ... it would not have */
};

/* Zoned namespaces. */
struct telemetry_zones {
    uint64_t opened;        /* zones that went from another state to an open one */
    uint64_t closed;        /* ... by the controller, to open another one */
    uint64_t full;          /* that writes have filled */
    uint64_t too_many_open; /* commands refused, by why */
    uint64_t too_many_active;
};

struct telemetry {
    uint32_t magic;
    uint32_t ready; /* 1 once the boot table has run */

    uint64_t ram_bytes;    /* gauge: DRAM + SRAM that the scheme, cache and tables hold */
    uint64_t mapped;       /* gauge: logical units with a physical address */
    uint64_t valid;        /* gauge: physical units counted valid over all blocks */
    uint64_t free_blocks;  /* gauge: erased superblocks */
    uint64_t bad_blocks;   /* gauge: blocks in the bad-block table */
    uint64_t buffer_dirty; /* gauge: buffered units not yet programmed */

    uint64_t
        host_units_written; /* units that host data programmed, by buffer eviction or directly */
    uint64_t pad_units;     /* units programmed without data to fill a write unit */
    uint64_t gc_runs;       /* victims collected to the end */
    uint64_t gc_units_moved;
    uint64_t gc_pages_moved;   /* pages that moved units were packed into, rounded up at the end */
    uint64_t wear_units_moved; /* moved by static wear levelling */
    uint64_t trimmed_units;

    uint64_t map_hits;
    uint64_t map_misses;
    uint64_t map_evictions;

    uint64_t cache_read_hits;
    uint64_t cache_read_misses;
    uint64_t cache_write_hits;
    uint64_t cache_write_misses;
    uint64_t cache_evictions_clean;
    uint64_t cache_evictions_dirty;

    uint64_t merges_switch;
    uint64_t merges_partial;
    uint64_t merges_full;

    uint64_t erase_min; /* gauges over all good blocks */
    uint64_t erase_max;
    uint64_t erase_sum;
    uint64_t erase_square_sum;
    uint64_t erase_blocks; /* blocks counted in the sums */

    uint64_t read_errors; /* host reads completed with an error */
    uint64_t read_only;   /* 1 = the drive accepts no more writes */

    /* Health: what the flash did wrong, and what firmware did about it. */
    uint64_t retries[TELEMETRY_RETRY_LEVELS]; /* reads at level n + 1; the last: and beyond */
    uint64_t recovered_reads;                 /* right at some level above the plain read */
    uint64_t media_errors;                    /* reads that no level could correct */
    uint64_t lost_units;                      /* gauge: logical units whose data are gone */
    uint64_t units_lost;                      /* ... that have ever been */
    /* Superblocks whose data were to move, by why: many corrected bits, many reads, a high retry
     * level or none that helped, a block of it failed. */
    uint64_t refresh_reasons[TELEMETRY_REFRESH_REASONS];
    uint64_t refresh_runs; /* superblocks refreshed to the end */
    uint64_t refresh_units_moved;
    uint64_t patrol_reads; /* pages */
    /* Blocks, by why: a program failed, an erase failed, too many refreshes. */
    uint64_t retired[TELEMETRY_RETIRE_REASONS];
    uint64_t spare_percent; /* gauge: of the spare units at boot */
    uint64_t used_percent;  /* gauge: P/E cycles of the rated ones, mean */
    uint64_t suspends;      /* of programs and erases, as their completions told */

    /* Maps on the flash, and what power-up found. */
    uint64_t map_units;         /* gauge: units of map pages and journal that are counted valid */
    uint64_t map_units_written; /* padding included */
    uint64_t checkpoints;
    uint64_t recovery_kind;     /* gauge: 0 fresh, 1 clean, 2 power had been lost */
    uint64_t recovery_pages;    /* gauge: whose spare words the power-up read */
    uint64_t recovery_programs; /* gauge: behind the checkpoint that the power-up found */
    uint64_t strayed_units;     /* host and collection: not where their address says */
    uint64_t reserved[8];

    /* Pages read and programmed, by why, of all schemes; pages that were looked into for a newer
     * copy before the one that held the data. */
    uint64_t host_page_reads;
    uint64_t map_page_reads;
    uint64_t scan_page_reads;
    /* Block and hybrid mapping (struct boot_placed). merges_* count merges by what they take. */
    uint64_t copy_page_reads;
    uint64_t copy_page_writes;
    uint64_t erases_data;               /* data blocks given up to be erased */
    uint64_t erases_log;                /* ... spare, replacement, moving and log blocks */
    uint64_t erases_map;                /* superblocks of maps */
    uint64_t merged_logs;               /* merges, one for a log block whatever it takes */
    uint64_t merged_logical_blocks;     /* ... the logical blocks that they merged */
    uint64_t merged_logical_blocks_max; /* gauge: of one of them */
    uint64_t blocking_max_ns;           /* gauge: longest wait of a unit of the host for merges */

    /* The buffer: units that bplru reads to complete blocks; units read ahead, those of them that
     * the host read, and those that left before. */
    uint64_t cache_padding_reads;
    uint64_t cache_ahead_units;
    uint64_t cache_ahead_hits;
    uint64_t cache_ahead_wasted;
    struct telemetry_retention retention;
    struct telemetry_zones zones;
};

#endif
