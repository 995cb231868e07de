// SPDX-License-Identifier: Apache-2.0
#include "models/host/workload/taken_blocks.h"

#include <algorithm>

namespace ssdvp::host {

namespace {

constexpr std::uint64_t all_taken = ~std::uint64_t{0};

std::uint64_t first_clear_bit(std::uint64_t word)
{
    return static_cast<std::uint64_t>(__builtin_ctzll(~word));
}

} // namespace

taken_blocks::taken_blocks(std::uint64_t blocks) : m_blocks(blocks)
{
    std::uint64_t n = blocks;
    do {
        n = (n + 63) / 64;
        m_levels.emplace_back(n);
    } while (n > 1);
    clear();
}

void taken_blocks::clear()
{
    std::uint64_t n = m_blocks;
    for (bits& level : m_levels) {
        std::fill(level.begin(), level.end(), 0);
        if (n % 64 != 0) {
            level.back() = all_taken << n % 64; // there are no such blocks
        }
        n = level.size();
    }
}

/// Up to a level where something behind `from` is free, and down again to the first of it.
std::optional<std::uint64_t> taken_blocks::find(std::uint64_t from) const
{
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        const std::uint64_t word = from / 64;
        if (word >= m_levels[level].size()) {
            return std::nullopt;
        }
        const std::uint64_t before = (std::uint64_t{1} << from % 64) - 1;
        if (const std::uint64_t taken = m_levels[level][word] | before; taken != all_taken) {
            std::uint64_t at = word * 64 + first_clear_bit(taken);
            while (level > 0) {
                at = at * 64 + first_clear_bit(m_levels[--level][at]);
            }
            return at;
        }
        from = word + 1;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> taken_blocks::next_free(std::uint64_t from) const
{
    const std::optional<std::uint64_t> behind = find(from);
    return behind ? behind : find(0);
}

void taken_blocks::take_one(std::uint64_t block)
{
    for (bits& level : m_levels) {
        std::uint64_t& word = level[block / 64];
        word |= std::uint64_t{1} << block % 64;
        if (word != all_taken) {
            return;
        }
        block /= 64;
    }
}

std::uint64_t taken_blocks::take(std::uint64_t from, std::uint64_t n)
{
    std::uint64_t taken = 0;
    while (taken < n && from + taken < m_blocks) {
        const std::uint64_t block = from + taken;
        if ((m_levels[0][block / 64] >> block % 64 & 1) != 0) {
            break;
        }
        take_one(block);
        ++taken;
    }
    return taken;
}

} // namespace ssdvp::host
