// SPDX-License-Identifier: Apache-2.0
#include "models/dram/column_bus.h"

#include <algorithm>

namespace ssdvp::dram {

sim_time column_bus::fit(sim_time from, const column_span& s, sim_time length,
                         std::uint64_t& looked) const
{
    sim_time begin = from;
    const auto ended = [begin](const column_span& b) { return b.last <= begin; };
    const auto booked = m_spans.begin() + static_cast<std::ptrdiff_t>(m_first);
    auto at = std::partition_point(booked, m_spans.end(), ended);
    for (std::size_t n = 0;; ++at, ++n) {
        if (n == reach) {
            at = m_spans.end();
        }
        if (at != booked) {
            begin = later(begin, (at - 1)->last + gap(*(at - 1), s));
        }
        if (at == m_spans.end() || begin + length + gap(s, *at) <= at->first) {
            looked += n;
            return begin;
        }
    }
}

bool column_bus::joins(const column_span& a, const column_span& b) const
{
    return a.write == b.write && a.last + m_t.spacing == b.first;
}

void column_bus::take(const column_span& s)
{
    const auto booked = m_spans.begin() + static_cast<std::ptrdiff_t>(m_first);
    const auto at = std::partition_point(booked, m_spans.end(),
                                         [&s](const column_span& b) { return b.first <= s.first; });
    const bool before = at != booked && joins(*(at - 1), s);
    const bool after = at != m_spans.end() && joins(s, *at);
    if (before) {
        column_span& a = *(at - 1);
        a.last = after ? at->last : s.last;
        a.last_group = after ? at->last_group : s.last_group;
        if (after) {
            m_spans.erase(at);
        }
    } else if (after) {
        at->first = s.first;
        at->first_group = s.first_group;
    } else {
        m_spans.insert(at, s);
    }
}

sim_time column_bus::ahead(sim_time present) const
{
    sim_time sum;
    for (std::size_t i = m_first; i < m_spans.size(); ++i) {
        const column_span& s = m_spans[i];
        const std::uint64_t bursts = (s.last - s.first).ps() / m_t.spacing.ps() + 1;
        sim_time used;
        if (s.last + m_t.burst <= present) {
            used = bursts * m_t.burst;
        } else if (s.first < present) {
            const std::uint64_t ended = (present - s.first).ps() / m_t.spacing.ps();
            const sim_time in_last = present - (s.first + ended * m_t.spacing);
            used = ended * m_t.burst + earlier(in_last, m_t.burst);
        }
        sum += bursts * m_t.burst - used;
    }
    return sum;
}

void column_bus::cut()
{
    m_spans.clear();
    m_first = 0;
}

void column_bus::give_room()
{
    m_spans.erase(m_spans.begin(), m_spans.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace ssdvp::dram
