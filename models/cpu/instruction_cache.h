// SPDX-License-Identifier: Apache-2.0
//
// A core's instruction cache: tags only, set-associative, the line used longest ago leaves. The
// program tells which of its blocks run; where those lie says which lines are touched. Page in
// docs/models/cpu.md.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cpu/code_map.h"
#include "models/cpu/data_cache.h"

namespace ssdvp::cpu {

class instruction_cache {
public:
    /// The geometry is that of a data cache; size 0: there is none.
    explicit instruction_cache(const cache_geometry& geometry);

    /// The program that runs from now on. Nothing of it is in the cache.
    void load(const code_map& code);
    /// Touches what `block` needs, in the order of its addresses. A line that is not in is filled;
    /// miss(line) before it is (address in the code / line size).
    template <typename Miss>
    void fetch(std::uint64_t block, Miss miss);
    /// Power goes.
    void clear();

    /// Lines that blocks touched.
    [[nodiscard]] cache_stats stats() const;
    [[nodiscard]] unsigned line_shift() const { return m_tags.line_shift(); }

private:
    /// Lines that lie one after another. The first runs are those of the blocks, by their number.
    struct run {
        std::uint32_t first = 0;
        std::uint32_t end = 0;
        std::uint32_t also = 0;    // the next run of the same copy; 0: that was all
        std::uint32_t instead = 0; // first run of another copy; 0: there is none
    };
    void add(std::uint32_t block, const std::vector<code_copy>& copies);
    void put(std::uint32_t at, const code_copy& copy);
    [[nodiscard]] const run& nearest(const run& first) const;
    bool touch(std::uint64_t line);

    static constexpr std::uint64_t nowhere = ~0ull;

    data_cache m_tags;
    std::vector<run> m_runs;
    std::uint64_t m_line = nowhere; // touched last
    std::uint64_t m_again = 0;      // touches of the line that was touched last: hits
};

// Most touches are of the line before: that is the one used last in its set, too.
inline bool instruction_cache::touch(std::uint64_t line)
{
    if (line == m_line) {
        ++m_again;
        return true;
    }
    m_line = line;
    std::optional<std::uint64_t> leaving; // nothing that was written
    return m_tags.touch(line, false, leaving);
}

template <typename Miss>
void instruction_cache::fetch(std::uint64_t block, Miss miss)
{
    const run* r = &m_runs[block];
    if (r->instead != 0) {
        r = &nearest(*r);
    }
    for (;;) {
        for (std::uint64_t line = r->first; line < r->end; ++line) {
            if (!touch(line)) {
                miss(line);
            }
        }
        if (r->also == 0) {
            return;
        }
        r = &m_runs[r->also];
    }
}

} // namespace ssdvp::cpu
