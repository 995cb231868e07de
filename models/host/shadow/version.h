// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of sector versions: they count 1 .. 2^24-1 and then start again at 1; 0 means never
// written.
#pragma once

#include <cstdint>

#include "models/common/data_mode.h"

namespace ssdvp::host {

constexpr std::uint32_t version_mask = static_cast<std::uint32_t>(tag_version_mask);

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
