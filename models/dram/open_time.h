// SPDX-License-Identifier: Apache-2.0
//
// How long any bank has had a row open: the union of intervals that are told in any order.
#pragma once

#include <vector>

#include "models/common/time.h"

namespace ssdvp::dram {

class open_time {
public:
    open_time() { m_spans.reserve(64); }

    void add(sim_time begin, sim_time end)
    {
        if (!m_spans.empty() && m_spans.back().begin <= begin && end <= m_spans.back().end) {
            return; // with open pages nearly always: rows stay open until the refresh
        }
        merge(begin, end);
    }
    void forget(sim_time present)
    {
        while (m_first < m_spans.size() && m_spans[m_first].end <= present) {
            m_past += m_spans[m_first].end - m_spans[m_first].begin;
            ++m_first;
        }
        if (m_first >= 32 && m_first >= m_spans.size() / 2) {
            give_room();
        }
    }
    void cut(sim_time present)
    {
        m_past = until(present);
        m_spans.clear();
        m_first = 0;
    }
    [[nodiscard]] sim_time until(sim_time present) const;

private:
    struct span {
        sim_time begin;
        sim_time end;
    };
    void merge(sim_time begin, sim_time end);
    void give_room();

    std::vector<span> m_spans; // disjoint, by time
    std::size_t m_first = 0;
    sim_time m_past;
};

} // namespace ssdvp::dram
