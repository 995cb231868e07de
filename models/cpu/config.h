// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/common/time.h"
#include "models/cpu/core_timing.h"
#include "models/cpu/data_cache.h"

namespace ssdvp::cpu {

/// For accesses to tables in DRAM. Fully associative; the entry used longest ago leaves.
struct tlb_config {
    std::uint32_t entries = 0; // 0: addresses are not translated
    std::uint32_t page_size = 4096;
    std::uint32_t walk_cycles = 60; // of a look-up that misses
};

/// Where a core's instructions come from when its instruction cache lacks them.
enum class code_memory : std::uint8_t { dram, sram, nor };

struct icache_config {
    cache_geometry cache; // size 0: instructions come from memory as fast as the core
    code_memory memory = code_memory::dram;
    std::uint32_t miss_cycles = 8; // beside what the memory takes
};

struct core_config {
    std::string core = "flat"; // whose instructions firmware is counted in
    rate clock;                // cycles per second
    core_timing timing;        // but of "flat"
    // Level "flat": each call of a HAL function stands for the firmware code around it.
    std::uint32_t instructions_per_call = 250;
    double cycles_per_instruction = 1.0;
    std::uint32_t mmio_read_cycles = 40;  // bus round trip of a register read
    std::uint32_t mmio_write_cycles = 10; // posted
    std::uint32_t interrupt_cycles = 60;  // entry and exit
    std::uint64_t on_chip_base = 0;       // of tables that are no further away than SRAM ...
    std::uint64_t on_chip_size = 0;       // ... and are not cached
    cache_geometry dcache;                // size 0: table accesses are part of the instructions
    std::uint32_t dcache_hit_cycles = 1;  // of a line that is in it, and before a miss
    tlb_config tlb;
    icache_config icache;
};

} // namespace ssdvp::cpu
