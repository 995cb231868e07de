// SPDX-License-Identifier: Apache-2.0
//
// What the array of a LUN is at while R/B# is low.
#pragma once

#include <cstdint>

#include "models/flash/die/array_time.h"

namespace ssdvp::flash {

enum class array_operation : std::uint8_t {
    idle,
    read,
    program,
    erase,
    reset,
    stopping,      // of a program or erase, for a suspend
    cache_read,    // tRCBSY of 31h: the page behind comes forward, the next one starts
    cache_end,     // tRCBSY of 3Fh: the page behind comes forward
    cache_program, // tCBSY of 15h: the data go to the array, which programs behind
    parameter_page,
    features
};

[[nodiscard]] constexpr bool within_cache(array_operation what)
{
    return what == array_operation::cache_read || what == array_operation::cache_end ||
           what == array_operation::cache_program;
}

/// Precondition: not stopping, which is part of what stops.
[[nodiscard]] constexpr array_use use_of(array_operation what)
{
    switch (what) {
    case array_operation::read:
    case array_operation::cache_read:
        return array_use::read;
    case array_operation::program:
    case array_operation::cache_program:
        return array_use::program;
    case array_operation::erase:
        return array_use::erase;
    default:
        return array_use::other;
    }
}

} // namespace ssdvp::flash
