// SPDX-License-Identifier: Apache-2.0
//
// What stands between a core and its memories: data cache and TLB for tables in DRAM, instruction
// cache for its code.
#pragma once

#include <tlm>
#include <vector>

#include "models/cpu/config.h"
#include "models/cpu/data_cache.h"
#include "models/cpu/instruction_cache.h"

namespace ssdvp::cpu {

/// A line of a cache on the bus. No byte of it is moved: caches are models of time.
class cache_line {
public:
    explicit cache_line(std::uint32_t bytes);
    tlm::tlm_generic_payload& at(std::uint64_t address, tlm::tlm_command command);

private:
    std::vector<unsigned char> m_bytes;
    tlm::tlm_generic_payload m_payload;
};

struct core_caches {
    explicit core_caches(const core_config& config);
    /// Power goes: nothing is in them.
    void clear();

    bool has_dcache, has_tlb, has_icache;
    data_cache dcache;
    data_cache tlb; // its lines are pages: one set, and nothing is written to it
    instruction_cache icache;
    cache_line of_table;
    cache_line of_code;
    std::uint64_t code_address = 0; // of the first byte of code
};

} // namespace ssdvp::cpu
