// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/written_pieces.h"

#include <algorithm>

namespace ssdvp::host {

written_pieces::written_pieces(std::uint64_t sectors, std::uint32_t unit)
    : m_units(sectors / unit), m_unit(unit), m_written(m_units / 64 + 1), m_starts(m_written)
{}

void written_pieces::set(bits& b, std::uint64_t i, bool value)
{
    const std::uint64_t bit = std::uint64_t{1} << i % 64;
    b[i / 64] = value ? b[i / 64] | bit : b[i / 64] & ~bit;
}

void written_pieces::mark(const fio_place& at, bool written)
{
    const std::uint64_t from = at.first / m_unit;
    const std::uint64_t to = std::min((at.first + at.sectors) / m_unit, m_units);
    for (std::uint64_t u = from; u < to; ++u) {
        set(m_written, u, written);
        set(m_starts, u, written && u == from);
    }
    if (to < m_units && get(m_written, to)) { // the rest of a longer piece, or the next one
        set(m_starts, to, true);
    }
}

bool written_pieces::next(fio_place& out)
{
    while (m_cursor < m_units && !get(m_written, m_cursor)) {
        const bool empty = m_written[m_cursor / 64] >> m_cursor % 64 == 0;
        m_cursor = empty ? (m_cursor / 64 + 1) * 64 : m_cursor + 1;
    }
    if (m_cursor >= m_units) {
        std::fill(m_written.begin(), m_written.end(), 0);
        std::fill(m_starts.begin(), m_starts.end(), 0);
        m_cursor = 0;
        return false;
    }
    const std::uint64_t from = m_cursor++;
    while (m_cursor < m_units && get(m_written, m_cursor) && !get(m_starts, m_cursor)) {
        ++m_cursor;
    }
    out = {from * m_unit, static_cast<std::uint32_t>((m_cursor - from) * m_unit)};
    return true;
}

} // namespace ssdvp::host
