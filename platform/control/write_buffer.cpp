// SPDX-License-Identifier: Apache-2.0
#include "platform/control/write_buffer.h"

namespace ssdvp::platform {

namespace {

/// Bits of an index: twice as many as there is room, or more, so that few slots share one.
std::uint32_t index_bits(std::uint64_t room)
{
    std::uint32_t bits = 1;
    while ((room >> (bits - 1)) != 0) {
        ++bits;
    }
    return bits;
}

} // namespace

write_buffer::write_buffer(std::uint64_t room, bool keeps_reads)
    : m_room(room), m_keeps_reads(keeps_reads), m_slots({{0, 0, 0, 0, false}}),
      m_shift(64 - index_bits(room)), m_first(std::size_t{1} << index_bits(room))
{
    m_slots.reserve(m_room + 1);
}

std::uint32_t& write_buffer::first_with_hash_of(std::uint64_t unit)
{
    return m_first[(unit * 0x9e3779b97f4a7c15) >> m_shift]; // Fibonacci hashing
}

std::uint32_t write_buffer::slot_of(std::uint64_t unit)
{
    std::uint32_t i = first_with_hash_of(unit);
    while (i != 0 && m_slots[i].unit != unit) {
        i = m_slots[i].next;
    }
    return i;
}

void write_buffer::find_by(std::uint32_t i)
{
    std::uint32_t& first = first_with_hash_of(m_slots[i].unit);
    m_slots[i].next = first;
    first = i;
}

void write_buffer::forget(std::uint32_t i)
{
    std::uint32_t* at = &first_with_hash_of(m_slots[i].unit);
    while (*at != i) {
        at = &m_slots[*at].next;
    }
    *at = m_slots[i].next;
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
    const bool kept = m_room != 0 && (m_keeps_reads || slot_of(unit) != 0);
    return kept ? use(unit, false) : std::nullopt;
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
    if (const std::uint32_t found = slot_of(unit); found != 0) {
        unlink(found);
        link_last(found);
        m_slots[found].dirty = m_slots[found].dirty || written;
        return std::nullopt;
    }
    if (m_slots.size() <= m_room) {
        const auto i = static_cast<std::uint32_t>(m_slots.size());
        m_slots.push_back({unit, 0, 0, 0, written});
        find_by(i);
        link_last(i);
        return std::nullopt;
    }
    const std::uint32_t oldest = m_slots[0].behind;
    const std::uint64_t leaves = m_slots[oldest].unit;
    const bool to_flash = m_slots[oldest].dirty;
    forget(oldest);
    m_slots[oldest].unit = unit;
    m_slots[oldest].dirty = written;
    find_by(oldest);
    unlink(oldest);
    link_last(oldest);
    return to_flash ? std::optional(leaves) : std::nullopt;
}

} // namespace ssdvp::platform
