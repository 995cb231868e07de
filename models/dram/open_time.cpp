// SPDX-License-Identifier: Apache-2.0
#include "models/dram/open_time.h"

#include <algorithm>

namespace ssdvp::dram {

void open_time::merge(sim_time begin, sim_time end)
{
    const auto behind =
        std::partition_point(m_spans.begin() + static_cast<std::ptrdiff_t>(m_first), m_spans.end(),
                             [end](const span& s) { return s.begin <= end; });
    const auto last = static_cast<std::size_t>(behind - m_spans.begin());
    std::size_t i = last; // spans [i, last) touch the new one
    while (i > m_first && m_spans[i - 1].end >= begin) {
        --i;
    }
    const auto at = m_spans.begin() + static_cast<std::ptrdiff_t>(i);
    if (i == last) {
        m_spans.insert(at, {begin, end});
        return;
    }
    at->begin = earlier(at->begin, begin);
    at->end = later(m_spans[last - 1].end, end);
    m_spans.erase(at + 1, m_spans.begin() + static_cast<std::ptrdiff_t>(last));
}

sim_time open_time::until(sim_time present) const
{
    sim_time sum = m_past;
    for (std::size_t i = m_first; i < m_spans.size(); ++i) {
        sum += earlier(m_spans[i].end, present) - m_spans[i].begin;
    }
    return sum;
}

void open_time::give_room()
{
    m_spans.erase(m_spans.begin(), m_spans.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace ssdvp::dram
