// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/data_cache.h"

#include <algorithm>

namespace ssdvp::cpu {

namespace {

unsigned log2_of(std::uint64_t v)
{
    unsigned bits = 0;
    while ((std::uint64_t{1} << bits) < v) {
        ++bits;
    }
    return bits;
}

} // namespace

data_cache::data_cache(const cache_geometry& geometry)
    : m_line_shift(log2_of(geometry.line)), m_ways(geometry.ways),
      m_set_mask(geometry.size == 0 ? 0 : geometry.size / geometry.ways / geometry.line - 1),
      m_sets(geometry.size / geometry.line, way{0, false})
{}

bool data_cache::touch(std::uint64_t line, bool write, std::optional<std::uint64_t>& leaving)
{
    way* const set = &m_sets[(line & m_set_mask) * m_ways];
    const std::uint64_t tag = line + 1;
    if (set->tag == tag) { // the line used last, as most are
        set->dirty |= write;
        ++m_stats.hits;
        return true;
    }
    way* const end = set + m_ways;
    way* at = std::find_if(set + 1, end, [tag](const way& w) { return w.tag == tag; });
    const bool hit = at != end;
    way used{tag, write};
    if (hit) {
        ++m_stats.hits;
        used.dirty |= at->dirty;
    } else {
        --at;
        ++m_stats.misses;
        if (at->dirty) {
            ++m_stats.writebacks;
            leaving = at->tag - 1;
        }
    }
    std::move_backward(set, at, at + 1);
    *set = used;
    return hit;
}

void data_cache::clear()
{
    std::fill(m_sets.begin(), m_sets.end(), way{0, false});
}

} // namespace ssdvp::cpu
