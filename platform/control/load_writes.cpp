// SPDX-License-Identifier: Apache-2.0
#include "platform/control/load_writes.h"

#include "platform/config/derived.h"

namespace ssdvp::platform {

load_writes::load_writes(const ssd_config& config, std::uint64_t filled)
    : m_addresses(config, overwrite_source::own, filled), m_room(buffer_held(config)),
      m_slots({{0, 0, 0}})
{
    m_found.reserve(2 * m_room); // units come and go: room for what the map leaves behind
}

void load_writes::unlink(std::uint32_t i)
{
    m_slots[m_slots[i].before].behind = m_slots[i].behind;
    m_slots[m_slots[i].behind].before = m_slots[i].before;
}

void load_writes::link_last(std::uint32_t i)
{
    m_slots[i].before = m_slots[0].before;
    m_slots[i].behind = 0;
    m_slots[m_slots[0].before].behind = i;
    m_slots[0].before = i;
}

std::uint64_t load_writes::next()
{
    for (;;) {
        const std::uint64_t unit = m_addresses.next();
        if (m_room == 0) {
            return unit;
        }
        if (const auto found = m_found.find(unit); found != m_found.end()) {
            unlink(found->second);
            link_last(found->second);
            continue;
        }
        if (m_found.size() < m_room) {
            const auto i = static_cast<std::uint32_t>(m_slots.size());
            m_slots.push_back({unit, 0, 0});
            m_found.emplace(unit, i);
            link_last(i);
            continue;
        }
        const std::uint32_t oldest = m_slots[0].behind;
        const std::uint64_t leaves = m_slots[oldest].unit;
        m_found.erase(leaves);
        m_found.emplace(unit, oldest);
        m_slots[oldest].unit = unit;
        unlink(oldest);
        link_last(oldest);
        return leaves;
    }
}

} // namespace ssdvp::platform
