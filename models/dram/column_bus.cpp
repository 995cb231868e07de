// SPDX-License-Identifier: Apache-2.0
#include "models/dram/column_bus.h"

namespace ssdvp::dram {

sim_time column_bus::fit(sim_time from, const column_span& s, sim_time length) const
{
    sim_time begin = from;
    std::size_t i = m_spans.size();
    while (i > m_first && m_spans[i - 1].last > begin) {
        --i; // most are behind all others, or near the end
    }
    for (;; ++i) {
        if (i > m_first) {
            const column_span& before = m_spans[i - 1];
            begin = later(begin, before.last + gap(before, s));
        }
        if (i == m_spans.size() || begin + length + gap(s, m_spans[i]) <= m_spans[i].first) {
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
    std::size_t i = m_spans.size();
    while (i > m_first && m_spans[i - 1].first > s.first) {
        --i;
    }
    const auto at = m_spans.begin() + static_cast<std::ptrdiff_t>(i);
    const bool before = i > m_first && joins(*(at - 1), s);
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

std::uint64_t column_bus::cut(sim_time present)
{
    std::uint64_t bursts = 0;
    for (std::size_t i = m_first; i < m_spans.size(); ++i) {
        const column_span& s = m_spans[i];
        if (s.last > present) {
            const sim_time used = s.first > present ? sim_time() : present - s.first;
            const std::uint64_t all = (s.last - s.first).ps() / m_t.spacing.ps() + 1;
            bursts += s.first > present ? all : all - (used.ps() / m_t.spacing.ps() + 1);
        }
    }
    m_spans.clear();
    m_first = 0;
    return bursts;
}

void column_bus::give_room()
{
    m_spans.erase(m_spans.begin(), m_spans.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace ssdvp::dram
