// SPDX-License-Identifier: Apache-2.0
//
// Sector versions: they count 1 .. 2^24-1 and then start again at 1; 0 means never written. A
// sector's tag, its address and version, stands in its first eight bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/common/data_mode.h"

namespace ssdvp::host {

constexpr std::uint32_t version_mask = static_cast<std::uint32_t>(tag_version_mask);

constexpr std::uint64_t lba_mask = (1ull << (64 - tag_version_bits)) - 1; // of a tag

inline std::uint64_t load_tag(const unsigned char* from)
{
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline void store_tag(unsigned char* to, std::uint64_t value)
{
    std::memcpy(to, &value, sizeof value);
}

constexpr std::uint32_t next_version(std::uint32_t v)
{
    return v == version_mask ? 1 : v + 1;
}

/// Steps from version a to version b, both not 0.
constexpr std::uint32_t distance(std::uint32_t a, std::uint32_t b)
{
    return b >= a ? b - a : b + version_mask - a;
}

constexpr bool in_range(std::uint32_t floor, std::uint32_t newest, std::uint32_t v)
{
    if (floor == 0) {
        return v <= newest;
    }
    return v != 0 && distance(floor, v) <= distance(floor, newest);
}

/// Was a given out after b?
constexpr bool newer(std::uint32_t a, std::uint32_t b)
{
    if (a == b || a == 0) {
        return false;
    }
    return b == 0 || distance(b, a) < version_mask / 2;
}

} // namespace ssdvp::host
