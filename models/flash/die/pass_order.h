// SPDX-License-Identifier: Apache-2.0
//
// Parts that program a word line in two passes: a coarse one, that brings its cells near their
// levels, and a fine one behind the coarse pass of the next word line, whose cells would shift them
// again. The order of a block is 0c 1c 0f 2c 1f 3c 2f ..., and its last word line ends the block.
// Each pass takes every page of the word line. Pure functions of what the block has had.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

/// Pages of a block, from its first one on.
struct pass_counts {
    std::uint32_t coarse = 0; // that have been loaded for their coarse pass
    std::uint32_t fine = 0;   // ... for their fine pass
    std::uint32_t done = 0;   // whose word line has ended its fine pass
};

class pass_order {
public:
    pass_order(std::uint32_t pages_per_block, std::uint32_t bits)
        : m_pages(pages_per_block), m_bits(bits)
    {}

    [[nodiscard]] std::uint32_t word_line(page_index page) const { return page.value() / m_bits; }
    /// Behind its last page; the block's last word line may have fewer.
    [[nodiscard]] std::uint32_t end_of(std::uint32_t word_line) const
    {
        return std::min((word_line + 1) * m_bits, m_pages);
    }
    [[nodiscard]] bool ends_word_line(page_index page) const
    {
        return page.value() + 1 == end_of(word_line(page));
    }
    /// A page that has had its coarse pass gets its fine one.
    [[nodiscard]] static bool is_fine(page_index page, const pass_counts& had)
    {
        return page.value() < had.coarse;
    }
    /// Null = the page may be programmed now; else what it breaks.
    [[nodiscard]] const char* refusal(page_index page, const pass_counts& had) const
    {
        const std::uint32_t line = word_line(page);
        if (is_fine(page, had)) {
            return page.value() != had.fine ? "fine pass out of page order"
                   : had.coarse < end_of(end_of(line) < m_pages ? line + 1 : line)
                       ? "fine pass before the coarse pass of the next word line"
                       : nullptr;
        }
        return page.value() != had.coarse ? "coarse pass out of page order"
               : line >= 2 && had.fine < end_of(line - 2)
                   ? "coarse pass before the fine pass of the word line before the last"
                   : nullptr;
    }

private:
    std::uint32_t m_pages;
    std::uint32_t m_bits;
};

} // namespace ssdvp::flash
