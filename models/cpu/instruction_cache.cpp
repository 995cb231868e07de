// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/instruction_cache.h"

namespace ssdvp::cpu {

instruction_cache::instruction_cache(const cache_geometry& geometry) : m_tags(geometry) {}

void instruction_cache::load(const code_map& code)
{
    clear();
    m_runs.assign(code.blocks.size(), {});
    for (std::size_t block = 0; block < code.blocks.size(); ++block) {
        add(static_cast<std::uint32_t>(block), code.blocks[block]);
    }
}

void instruction_cache::add(std::uint32_t block, const std::vector<code_copy>& copies)
{
    std::uint32_t at = block;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (i > 0) {
            m_runs[at].instead = static_cast<std::uint32_t>(m_runs.size());
            at = m_runs[at].instead;
            m_runs.emplace_back();
        }
        put(at, copies[i]);
    }
}

/// Ranges are in the order of their addresses; those that share a line, or lie in lines one after
/// the other, are one run.
void instruction_cache::put(std::uint32_t at, const code_copy& copy)
{
    bool first = true;
    for (const code_range& range : copy) {
        const std::uint32_t begin = range.begin >> line_shift();
        const std::uint32_t end = ((range.end - 1) >> line_shift()) + 1;
        if (!first && begin <= m_runs[at].end) {
            m_runs[at].end = end;
            continue;
        }
        if (!first) {
            m_runs[at].also = static_cast<std::uint32_t>(m_runs.size());
            at = m_runs[at].also;
            m_runs.emplace_back();
        }
        m_runs[at].first = begin;
        m_runs[at].end = end;
        first = false;
    }
}

/// The copy that runs is the one beside what ran before: there the code generator put it.
const instruction_cache::run& instruction_cache::nearest(const run& first) const
{
    const auto distance = [this](const run& r) {
        return r.first > m_line ? r.first - m_line : m_line - r.first;
    };
    const run* best = &first;
    for (std::uint32_t at = first.instead; at != 0; at = m_runs[at].instead) {
        best = distance(m_runs[at]) < distance(*best) ? &m_runs[at] : best;
    }
    return *best;
}

void instruction_cache::clear()
{
    m_tags.clear();
    m_line = nowhere;
}

cache_stats instruction_cache::stats() const
{
    cache_stats s = m_tags.stats();
    s.hits += m_again;
    return s;
}

} // namespace ssdvp::cpu
