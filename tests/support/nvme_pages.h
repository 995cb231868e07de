// SPDX-License-Identifier: Apache-2.0
//
// Bytes of what commands carry: log pages, lists of ranges. Little-endian.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace ssdvp::test {

inline std::uint64_t get(const std::vector<std::uint8_t>& page, std::size_t at, unsigned bytes)
{
    std::uint64_t v = 0;
    for (unsigned i = 0; i < bytes; ++i) {
        v |= std::uint64_t{page.at(at + i)} << (8 * i);
    }
    return v;
}

inline void put(std::vector<std::uint8_t>& page, std::size_t at, std::uint64_t value)
{
    std::memcpy(&page.at(at), &value, sizeof value);
}

/// Source ranges of Copy, format 0: first block, blocks.
inline std::vector<std::uint8_t>
copy_ranges(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& from)
{
    std::vector<std::uint8_t> list(from.size() * 32);
    for (std::size_t i = 0; i < from.size(); ++i) {
        put(list, i * 32 + 8, from[i].first);
        put(list, i * 32 + 16, from[i].second - 1);
    }
    return list;
}

} // namespace ssdvp::test
