// SPDX-License-Identifier: Apache-2.0
//
// A core's data cache: tags only, set-associative, least recently used line leaves, write-back
// with allocation on writes. It says what an access costs the memory behind it, not what it costs
// in time. Page in docs/models/cpu.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ssdvp::cpu {

struct cache_geometry {
    std::uint64_t size = 0; // bytes, 0 = no cache
    std::uint32_t ways = 4;
    std::uint32_t line = 64; // bytes, power of two; so is the number of sets
};

struct cache_stats {
    std::uint64_t hits = 0; // lines touched
    std::uint64_t misses = 0;
    std::uint64_t writebacks = 0;
};

class data_cache {
public:
    /// The geometry has a whole number of sets, a power of two, or size 0.
    explicit data_cache(const cache_geometry& geometry);

    /// Touches the line at index `line` of the address space (address / line size). True: a hit.
    /// A miss fills it; `leaving` is then the line that has to be written back, if any.
    bool touch(std::uint64_t line, bool write, std::optional<std::uint64_t>& leaving);
    /// Power goes: nothing is in it, and nothing is written back.
    void clear();

    [[nodiscard]] const cache_stats& stats() const { return m_stats; }
    [[nodiscard]] unsigned line_shift() const { return m_line_shift; }

private:
    struct way {
        std::uint64_t tag; // line + 1, 0 = empty
        bool dirty;
    };

    unsigned m_line_shift;
    std::uint32_t m_ways;
    std::uint64_t m_set_mask;
    std::vector<way> m_sets; // of each set the ways in order of use, the latest first
    cache_stats m_stats;
};

} // namespace ssdvp::cpu
