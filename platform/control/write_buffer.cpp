// SPDX-License-Identifier: Apache-2.0
#include "platform/control/write_buffer.h"

namespace ssdvp::platform {

write_buffer::write_buffer(std::uint64_t room, bool keeps_reads)
    : m_room(room), m_keeps_reads(keeps_reads), m_slots({{0, 0, 0, false}})
{
    m_found.reserve(2 * m_room); // units come and go: room for what the map leaves behind
}

void write_buffer::unlink(std::uint32_t i)
{
    m_slots[m_slots[i].before].behind = m_slots[i].behind;
    m_slots[m_slots[i].behind].before = m_slots[i].before;
}

void write_buffer::link_last(std::uint32_t i)
{
    m_slots[i].before = m_slots[0].before;
    m_slots[i].behind = 0;
    m_slots[m_slots[0].before].behind = i;
    m_slots[0].before = i;
}

std::optional<std::uint64_t> write_buffer::write(std::uint64_t unit)
{
    return m_room == 0 ? std::optional(unit) : use(unit, true);
}

std::optional<std::uint64_t> write_buffer::read(std::uint64_t unit)
{
    return m_room == 0 || !m_keeps_reads ? std::nullopt : use(unit, false);
}

std::vector<write_buffer::held> write_buffer::content() const
{
    std::vector<held> all;
    for (std::uint32_t i = m_slots[0].behind; i != 0; i = m_slots[i].behind) {
        all.push_back({m_slots[i].unit, m_slots[i].dirty});
    }
    return all;
}

std::optional<std::uint64_t> write_buffer::use(std::uint64_t unit, bool written)
{
    if (const auto found = m_found.find(unit); found != m_found.end()) {
        unlink(found->second);
        link_last(found->second);
        m_slots[found->second].dirty = m_slots[found->second].dirty || written;
        return std::nullopt;
    }
    if (m_found.size() < m_room) {
        const auto i = static_cast<std::uint32_t>(m_slots.size());
        m_slots.push_back({unit, 0, 0, written});
        m_found.emplace(unit, i);
        link_last(i);
        return std::nullopt;
    }
    const std::uint32_t oldest = m_slots[0].behind;
    const std::uint64_t leaves = m_slots[oldest].unit;
    const bool to_flash = m_slots[oldest].dirty;
    m_found.erase(leaves);
    m_found.emplace(unit, oldest);
    m_slots[oldest].unit = unit;
    m_slots[oldest].dirty = written;
    unlink(oldest);
    link_last(oldest);
    return to_flash ? std::optional(leaves) : std::nullopt;
}

} // namespace ssdvp::platform
