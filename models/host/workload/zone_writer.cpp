// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/zone_writer.h"

#include <algorithm>

namespace ssdvp::host {

zone_writer::zone_writer(std::uint64_t zones, std::uint64_t zone_sectors, std::uint32_t open)
    : m_size(zone_sectors), m_most(open == 0 ? zones : std::min<std::uint64_t>(open, zones)),
      m_written(zones)
{
    m_open.reserve(m_most);
}

std::uint64_t zone_writer::next(rng& random)
{
    if (m_open.size() == m_most) {
        m_turn = random.below(m_most);
    } else {
        const std::uint64_t zone = random.below(m_written.size());
        const auto found = std::find(m_open.begin(), m_open.end(), zone);
        m_turn = static_cast<std::size_t>(found - m_open.begin());
        if (found == m_open.end()) {
            m_open.push_back(zone);
            m_written[zone] = 0;
        }
    }
    return m_open[m_turn] * m_size + m_written[m_open[m_turn]];
}

void zone_writer::wrote(std::uint32_t sectors)
{
    std::uint64_t& written = m_written[m_open[m_turn]];
    written += sectors;
    if (written >= m_size) { // room for another
        m_open[m_turn] = m_open.back();
        m_open.pop_back();
    }
}

} // namespace ssdvp::host
