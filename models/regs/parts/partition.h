/* SPDX-License-Identifier: Apache-2.0
 *
 * Boot parameters of a drive that several cores share (boot_params.h).
 */
#ifndef SSDVP_REGS_PARTS_PARTITION_H
#define SSDVP_REGS_PARTS_PARTITION_H

#include <stdint.h>

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

#endif
