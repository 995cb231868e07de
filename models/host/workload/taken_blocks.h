// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a range are taken; the next free one is found in a few steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ssdvp::host {

class taken_blocks {
public:
    explicit taken_blocks(std::uint64_t blocks = 0);
    /// All are free.
    void clear();
    /// The first free block from `from` on, or else from the start.
    [[nodiscard]] std::optional<std::uint64_t> next_free(std::uint64_t from) const;
    /// Takes up to `n` blocks from `from` on, until one is taken; returns how many.
    std::uint64_t take(std::uint64_t from, std::uint64_t n);

private:
    using bits = std::vector<std::uint64_t>;

    [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t from) const;
    void take_one(std::uint64_t block);

    std::uint64_t m_blocks;
    std::vector<bits> m_levels; // a set bit of a level: 64 bits of the level below are all set
};

} // namespace ssdvp::host
