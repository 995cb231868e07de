// SPDX-License-Identifier: Apache-2.0
//
// Column commands (RD, WR) of all banks, booked ahead. A span is a sequence of them at the spacing
// of bursts; a new one takes the first gap that holds it and the turns of the data bus before and
// after it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dram/bank_timing.h"

namespace ssdvp::dram {

struct column_span {
    sim_time first; // column commands
    sim_time last;
    bool write;
    std::uint8_t first_group; // of banks, that the bursts go to
    std::uint8_t last_group;
};

class column_bus {
public:
    /// So many spans are looked at for a gap; one that finds none there goes behind all of them.
    static constexpr std::size_t reach = 256;

    explicit column_bus(const bank_timing& timing) : m_t(timing) { m_spans.reserve(64); }

    /// The first moment from `from` on at which the commands of `s`, `length` from the first to the
    /// last, may begin. `looked` grows by the spans that were looked at.
    [[nodiscard]] sim_time fit(sim_time from, const column_span& s, sim_time length,
                               std::uint64_t& looked) const;
    void take(const column_span& s);

    /// What no booking from `present` on can meet any more.
    void forget(sim_time present)
    {
        while (m_first + 1 < m_spans.size() && m_spans[m_first + 1].first <= present) {
            ++m_first;
        }
        if (m_first >= 32 && m_first >= m_spans.size() / 2) { // so that few are moved for each
            give_room();
        }
    }
    /// Data bus time that is booked behind `present`; a burst takes it from its command on, as if
    /// its data came at once.
    [[nodiscard]] sim_time ahead(sim_time present) const;
    /// The users are gone: all is free.
    void cut();
    /// Whether no more than `n` spans lie ahead: for tests.
    [[nodiscard]] std::size_t pending() const { return m_spans.size() - m_first; }

private:
    /// Column command of `a` to that of `b` behind it, at least.
    [[nodiscard]] sim_time gap(const column_span& a, const column_span& b) const
    {
        if (a.write == b.write) {
            return a.last_group == b.first_group ? m_t.same_group : m_t.spacing;
        }
        return a.write ? m_t.write_to_read : m_t.read_to_write;
    }
    [[nodiscard]] bool joins(const column_span& a, const column_span& b) const;
    void give_room();

    const bank_timing& m_t;
    std::vector<column_span> m_spans; // by time
    std::size_t m_first = 0;          // those before it are forgotten
};

} // namespace ssdvp::dram
