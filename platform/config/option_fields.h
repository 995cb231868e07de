// SPDX-License-Identifier: Apache-2.0
//
// What option tables are written with: fields of the configuration, and units of their limits.
#pragma once

#include <cstdint>

/// The field that an option sets and shows, for make_option.
#define FIELD(member)                                                                              \
    [](auto& c) -> auto&                                                                           \
    {                                                                                              \
        return c.member;                                                                           \
    }

namespace ssdvp::platform {

/// An enumerator as the word of an option stands for it.
template <class E>
constexpr int number(E e)
{
    return static_cast<int>(e);
}

/// The remedy of keys whose default is the word `default`.
inline constexpr const char* leave_default = "remove it, or set it to `default`";

} // namespace ssdvp::platform

namespace ssdvp::platform::units {

inline constexpr std::uint64_t ns = 1000; // in ps
inline constexpr std::uint64_t us = 1000 * ns;
inline constexpr std::uint64_t ms = 1000 * us;
inline constexpr std::uint64_t s = 1000 * ms;
inline constexpr std::uint64_t mega = 1000 * 1000;
inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;
inline constexpr std::uint64_t GiB = 1024 * MiB;
inline constexpr std::uint64_t TiB = 1024 * GiB;

} // namespace ssdvp::platform::units
