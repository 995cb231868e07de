// SPDX-License-Identifier: Apache-2.0
//
// Log-linear buckets: each power of two is cut into 2^Bits equal ones; values below 2^Bits have one
// each. Every 64-bit value has a bucket.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ssdvp {

template <unsigned Bits>
struct log_buckets {
    static constexpr std::size_t each = std::size_t{1} << Bits; // of a power of two
    static constexpr std::size_t count = (63 - Bits) * each + 2 * each;

    static constexpr std::size_t index_of(std::uint64_t v)
    {
        const unsigned exponent = 63u - static_cast<unsigned>(__builtin_clzll(v | 1u));
        const unsigned shift = exponent > Bits ? exponent - Bits : 0;
        return (static_cast<std::size_t>(shift) << Bits) + (v >> shift);
    }
    /// Lowest value of bucket `i`.
    static constexpr std::uint64_t lowest(std::size_t i)
    {
        return i < 2 * each ? i : (i % each + each) << (i / each - 1);
    }
    /// How many values it has.
    static constexpr std::uint64_t width(std::size_t i)
    {
        return i < 2 * each ? 1 : std::uint64_t{1} << (i / each - 1);
    }
};

} // namespace ssdvp
