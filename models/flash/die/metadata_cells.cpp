// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/metadata_cells.h"

#include <algorithm>
#include <cstring>

namespace ssdvp::flash {

namespace {

using entries = std::array<std::uint32_t, 16>; // of a line

entries entries_at(const unsigned char* bytes)
{
    entries e;
    std::memcpy(e.data(), bytes, sizeof e);
    return e;
}

} // namespace

metadata_cells::metadata_cells(std::uint32_t page_size)
    : m_page_size(page_size),
      m_lines(page_size / line), m_pools{
                                     buffer_pool(kinds_bytes() + m_lines * sizeof(std::uint32_t)),
                                     buffer_pool(page_size / 4), buffer_pool(page_size)}
{}

metadata_cells::line_kind metadata_cells::kind_of(const unsigned char* bytes)
{
    const entries e = entries_at(bytes);
    const std::uint32_t step = e[1] - e[0];
    for (std::uint32_t i = 1; i < e.size() && step <= 1; ++i) {
        if (e.at(i) - e.at(i - 1) != step) {
            return whole;
        }
    }
    return step == 0 ? repeats : step == 1 ? counts : whole;
}

/// The kinds of all lines, then what is kept of each.
void metadata_cells::pack(unsigned char* to, const unsigned char* bytes) const
{
    unsigned char* kept = to + kinds_bytes();
    std::memset(to, 0, kinds_bytes());
    for (std::uint32_t i = 0; i < m_lines; ++i) {
        const line_kind kind = kind_of(bytes + i * line);
        to[i / 4] = static_cast<unsigned char>(to[i / 4] | kind << 2 * (i % 4));
        std::memcpy(kept, bytes + i * line, kept_of(kind));
        kept += kept_of(kind);
    }
}

std::uint32_t metadata_cells::keep(const unsigned char* bytes)
{
    std::uint32_t needed = kinds_bytes();
    for (std::uint32_t i = 0; i < m_lines; ++i) {
        needed += kept_of(kind_of(bytes + i * line));
    }
    const std::uint64_t least_bytes = kinds_bytes() + m_lines * sizeof(std::uint32_t);
    const page_pool size = needed <= least_bytes       ? least
                           : needed <= m_page_size / 4 ? quarter
                                                       : full;
    const std::uint32_t number = m_pools.at(size).take();
    if (size == full) {
        std::memcpy(m_pools[full].at(number), bytes, m_page_size);
    } else {
        pack(m_pools.at(size).at(number), bytes);
    }
    return number << size_bits | size;
}

void metadata_cells::release(std::uint32_t page)
{
    m_pools.at(page & ((1u << size_bits) - 1)).give_back(page >> size_bits);
}

/// fn(offset in the page, entries) of lines [first, end).
template <typename Fn>
void metadata_cells::for_each_line(const unsigned char* from, std::uint32_t first,
                                   std::uint32_t end, Fn fn) const
{
    const unsigned char* kept = from + kinds_bytes();
    for (std::uint32_t i = 0; i < end; ++i) {
        const auto kind = static_cast<line_kind>(from[i / 4] >> 2 * (i % 4) & 3);
        if (i >= first) {
            entries e{};
            std::memcpy(e.data(), kept, kept_of(kind));
            for (std::uint32_t k = 1; k < e.size() && kind != whole; ++k) {
                e.at(k) = e[0] + (kind == counts ? k : 0);
            }
            fn(i * line, reinterpret_cast<const unsigned char*>(e.data()));
        }
        kept += kept_of(kind);
    }
}

void metadata_cells::read(std::uint32_t page, const page_slice& slice, data_form form,
                          unsigned char* to) const
{
    const std::uint32_t size = page & ((1u << size_bits) - 1);
    const unsigned char* from = m_pools.at(size).at(page >> size_bits);
    const bool tags = form == data_form::tags;
    if (size == full) {
        copy_payload(tags ? data_mode::tag : data_mode::full, to, from + slice.column,
                     slice.length);
        return;
    }
    const std::uint32_t last = slice.column + slice.length;
    for_each_line(from, slice.column / line, (last + line - 1) / line,
                  [&](std::uint32_t at, const unsigned char* bytes) {
                      const std::uint32_t begin = std::max(at, slice.column);
                      const std::uint32_t end = std::min(at + line, last);
                      if (!tags) {
                          std::memcpy(to + begin - slice.column, bytes + begin - at, end - begin);
                      } else if (at % sector_size == 0) {
                          std::memcpy(to + at - slice.column, bytes, tag_size);
                      }
                  });
}

std::uint64_t metadata_cells::bytes() const
{
    std::uint64_t sum = 0;
    for (const buffer_pool& pool : m_pools) {
        sum += pool.bytes();
    }
    return sum;
}

void metadata_cells::keep(state_archive& archive)
{
    for (buffer_pool& pool : m_pools) {
        pool.keep(archive);
    }
}

} // namespace ssdvp::flash
