// SPDX-License-Identifier: Apache-2.0
#include "platform/serve/hole_map.h"

#include <algorithm>
#include <iterator>

namespace ssdvp::platform {

hole_map::hole_map(std::uint64_t bytes) : m_bytes(bytes)
{
    add(0, bytes);
}

void hole_map::add(std::uint64_t begin, std::uint64_t end)
{
    if (begin < end && m_holes.size() < most) {
        m_holes.emplace(begin, end);
    }
}

void hole_map::trimmed(std::uint64_t begin, std::uint64_t end)
{
    if (begin >= end) {
        return;
    }
    auto next = m_holes.upper_bound(begin);
    if (next != m_holes.begin() && std::prev(next)->second >= begin) {
        --next;
    }
    while (next != m_holes.end() && next->first <= end) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = m_holes.erase(next);
    }
    add(begin, end);
}

void hole_map::written(std::uint64_t begin, std::uint64_t end)
{
    if (begin >= end) {
        return;
    }
    auto next = m_holes.upper_bound(begin);
    if (next != m_holes.begin() && std::prev(next)->second > begin) {
        --next;
    }
    while (next != m_holes.end() && next->first < end) {
        const auto [first, last] = *next;
        next = m_holes.erase(next);
        // The larger part first: it is the one that stays when there are too many.
        const bool front = begin > first && begin - first >= (last > end ? last - end : 0);
        if (front) {
            add(first, begin);
        }
        if (last > end) {
            add(end, last);
        }
        if (!front && begin > first) {
            add(first, begin);
        }
    }
}

hole_map::range hole_map::at(std::uint64_t byte) const
{
    const auto next = m_holes.upper_bound(byte);
    if (next != m_holes.begin() && std::prev(next)->second > byte) {
        return {std::prev(next)->second, true};
    }
    return {next == m_holes.end() ? m_bytes : next->first, false};
}

} // namespace ssdvp::platform
