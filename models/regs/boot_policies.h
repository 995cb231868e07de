/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of the firmware's policies, as the boot parameters carry them (boot_params.h).
 */
#ifndef SSDVP_REGS_BOOT_POLICIES_H
#define SSDVP_REGS_BOOT_POLICIES_H

#include <stdint.h>

/* Schemes that give each page of a logical block its place in a data block. What one of them does
 * not have is 0. The log blocks of bast, kast and sast, the random ones of fast and last, and the
 * update blocks of all superblocks are log_blocks. */
struct boot_placed {
    uint32_t page_order;   /* enum page_order_id of the part */
    uint32_t spare_pages;  /* msbs: of a block; 0 = half of them. The others make a logical block */
    uint32_t ram_index;    /* msbs, fmax: 1 = RAM knows where pages lie; 0 = reads look for them */
    uint32_t merge_switch; /* fmax: 1 = a replacement block that is in order becomes the block */
    uint32_t moving_blocks; /* lm: at a time, from 1 on */
    uint32_t eager_close;   /* lm: 1 = a moving block that is full becomes the block at once */
    uint32_t
        partial_merge; /* bast: 1 = what begins in order takes the rest; fast: enum fast_merge_id */
    uint32_t log_info; /* bast: 1 = each log block begun and each merge writes a page of maps */
    uint32_t non_sequential;    /* fast: enum fast_other_id */
    uint32_t superblock_blocks; /* superblock: logical blocks of one, from 1 on */
    uint32_t update_blocks;     /* superblock: of one at most; sast: log blocks of a set at most */
    uint32_t associativity;     /* kast, sast: logical blocks that a log block may have pages of */
    uint32_t stream_bytes;      /* last: a write of so many or more goes to the sequential part */
    uint32_t stream_blocks;     /* last: log blocks of that part */
    uint32_t hot_blocks; /* last: of the random log blocks those of hot pages, to begin with */
    uint32_t hot_window; /* last: a page is hot when it is written again within so many writes */
    uint32_t hot_adapts; /* last: 1 = hot_blocks follows what dies and what has to be merged */
    uint32_t reserved;
};

struct boot_cache {           /* options of the buffer; 0 = without */
    uint32_t dirty_permille;  /* share that may be dirty; 0 = what the policy takes for itself */
    uint32_t group_units;     /* fab, bplru: units of a logical block */
    uint32_t window_permille; /* rw_cflru: share that is searched for a clean unit */
    uint32_t window_adapts;
    uint32_t program_cost; /* rw_cflru: of a page, in 1/16 of a read */
    uint32_t padding;      /* bplru: a block leaves with what it lacks */
    uint32_t compensation; /* bplru: a block that was written in order leaves first */
    uint32_t whole_units;  /* a unit that is written in part is completed at once */
    uint32_t side_by_side; /* bplru: blocks that leave with pads at a time; 0 = one per LUN */
    uint32_t readings;     /* bplru: BPLRU_... */
    uint64_t idle_ns;      /* without commands, after which dirty units are programmed */
    uint64_t ahead_units;  /* read ahead of sequential reads */
};

struct boot_retention {
    uint64_t limit_ns;  /* how long a shallow page can be read; 0 = as long as any other */
    uint64_t margin_ns; /* data are written again, deep, so long before */
    uint32_t policy;    /* enum shallow_policy_id */
    uint32_t small;     /* bytes of the longest command that is short */
    uint32_t rewrite;   /* 1 = data are written again */
    uint32_t regions;   /* of the predictor */
    uint32_t threshold; /* thousandths of a region's units that may outlive the limit */
    uint32_t reserved;
};

struct boot_thermal {  /* limits in hundredths of a kelvin; 0 = never */
    uint32_t on;       /* 0 = nothing models heat */
    uint32_t step_us;  /* from one look at the sensors to the next */
    uint32_t warning;  /* WCTEMP, K */
    uint32_t critical; /* CCTEMP, K */
    uint32_t light;    /* throttling, and the default of TMT1 */
    uint32_t heavy;    /* ... of TMT2 */
    uint32_t shutdown;
    uint32_t hysteresis;
    uint32_t light_programs; /* of the host at a time: thousandths of what there is otherwise */
    uint32_t heavy_programs;
    uint32_t clock_exponent; /* of heavy throttling: cpu.clock / (2^exponent) */
    uint32_t reserved;
};

#define BOOT_POWER_STATES 8u

struct boot_power_state { /* in 100 uW */
    uint32_t max_power;
    uint32_t idle; /* drawn while it is not operational; 0 for one that is */
    uint32_t entry_us;
    uint32_t exit_us;
};

struct boot_power {       /* NVMe power states */
    uint32_t count;       /* 0 = the drive has no figures for its states */
    uint32_t operational; /* the first so many work */
    uint32_t step_us;     /* from one look at the power drawn to the next */
    uint32_t reserved;
    struct boot_power_state state[BOOT_POWER_STATES];
};

enum boot_map_memory { BOOT_MAP_DRAM = 0, BOOT_MAP_SRAM = 1, BOOT_MAP_HMB = 2 };

struct boot_map {       /* memory of the map and of what is cached of it */
    uint64_t bank;      /* on-chip bytes for it, the last ones of dram_size; 0 = it is in DRAM */
    uint64_t preferred; /* HMPRE, bytes; 0 = there is no host memory buffer */
    uint64_t minimum;   /* HMMIN, bytes */
    uint32_t memory;    /* enum boot_map_memory */
    uint32_t reserved;
};

/* A drive whose FTL runs on several cores: each serves a partition, channels and memory of its own,
 * with a table of its own, and knows nothing of the others. Sectors go to the partitions in turn,
 * 2^stripe_shift at a time. All else here is about the partition. */
struct boot_partition {
    uint32_t count; /* of partitions, a power of two; 0 = the drive is not divided */
    uint32_t index; /* this one: core 1 + index has it */
    uint32_t stripe_shift;
    uint32_t channel; /* its first one */
    uint64_t sram; /* bytes in front of its sram_size, its dram_size: as much for each before it */
    uint64_t dram;
};

struct boot_slc {            /* SLC cache */
    uint32_t fixed;          /* superblocks that are in SLC mode for good, the first ones */
    uint32_t dynamic;        /* ... that may be in it as long as they are not needed otherwise */
    uint32_t pages;          /* of a block in it; 0 = there is no cache */
    uint32_t policy;         /* enum slc_policy_id */
    uint32_t goal_permille;  /* share of it that idle time makes free */
    uint32_t low_permille;   /* ... below which writes of the host drain it */
    uint32_t drain_permille; /* units folded then per unit that the host writes */
    uint32_t endurance;      /* rated P/E cycles in SLC mode; 0 = none */
    uint64_t idle_ns;        /* without a command, after which the drive is idle */
    /* Share of a superblock outside that has to be garbage for idle time to make room of it for the
     * dynamic part; 1000 = none is collected for that. */
    uint32_t reclaim_permille;
    uint32_t copyback; /* 1 = whole pages leave it by copyback where they can */
    uint64_t close_ns; /* ... after which the superblock that is open leaves it too; 0 = never */
    uint32_t taper_permille; /* free share below which it takes less of the host's writes */
    uint32_t reserved;       /* no hole: what lies in memory is the same in each run */
};

struct boot_zones {       /* of zoned namespaces */
    uint64_t size;        /* bytes of a zone, a multiple of 4096; 0 = there are none */
    uint64_t capacity;    /* bytes of it that can be written */
    uint32_t open;        /* zones of a namespace at a time; 0 = no limit */
    uint32_t active;      /* likewise */
    uint32_t read_across; /* 1 = a read may cross the end of a zone */
    uint32_t reserved;
};

#endif
