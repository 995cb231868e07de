// SPDX-License-Identifier: Apache-2.0
//
// Things with numbers in the order of these; equal ones stay in their order. By digits of 11 bits,
// from the lowest to the highest that any number has: a few steps for each, however many there are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ssdvp::platform {

template <typename T>
struct numbered_thing {
    std::uint64_t number;
    T what;
};

template <typename T>
void sort_by_number(std::vector<numbered_thing<T>>& all)
{
    constexpr unsigned bits = 11;
    constexpr std::uint64_t mask = (1u << bits) - 1;
    std::uint64_t most = 0;
    for (const numbered_thing<T>& one : all) {
        most = std::max(most, one.number);
    }
    std::vector<numbered_thing<T>> sorted(all.size());
    for (unsigned shift = 0; shift < 64 && most >> shift != 0; shift += bits) {
        std::array<std::size_t, mask + 1> place{};
        for (const numbered_thing<T>& one : all) {
            ++place[one.number >> shift & mask];
        }
        std::size_t before = 0;
        for (std::size_t& p : place) {
            before += std::exchange(p, before);
        }
        for (const numbered_thing<T>& one : all) {
            sorted[place[one.number >> shift & mask]++] = one;
        }
        all.swap(sorted);
    }
}

} // namespace ssdvp::platform
