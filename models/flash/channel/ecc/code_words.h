// SPDX-License-Identifier: Apache-2.0
//
// What crosses the bus with the data of a page, so that they can be decoded: their code words
// whole, and the parity of each.
#pragma once

#include <cstdint>
#include <vector>

#include "models/flash/config.h"

namespace ssdvp::flash {

class code_words {
public:
    explicit code_words(const channel_config& config);

    /// Bytes on the wire beside `length` bytes of data from `column` of a page on; 0 without
    /// parity.
    [[nodiscard]] std::uint32_t beside(std::uint32_t column, std::uint32_t length) const
    {
        if (m_parity.empty() || length == 0) {
            return 0;
        }
        const std::uint32_t first = column / m_size;
        const std::uint32_t words = (column + length - 1) / m_size - first + 1;
        return words * m_size - length + m_parity[words];
    }

private:
    std::uint32_t m_size; // data bytes of a word
    /// Bytes, by the number of words; empty = none crosses the bus.
    std::vector<std::uint32_t> m_parity;
};

} // namespace ssdvp::flash
