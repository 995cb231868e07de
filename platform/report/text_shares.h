// SPDX-License-Identifier: Apache-2.0
//
// Shares of a whole as the text has them: a bar, or the mean of several with the ends of their
// range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace ssdvp::platform {

/// So much of so many columns: in eighths of a column with Unicode, else in whole #.
[[nodiscard]] std::string share_bar(double share, std::size_t columns, bool unicode);

class shares_text { // over LUNs or channels
public:
    void add(double share)
    {
        m_low = std::min(m_low, share);
        m_high = std::max(m_high, share);
        m_sum += share;
        ++m_count;
    }
    [[nodiscard]] bool empty() const { return m_count == 0; }
    [[nodiscard]] std::string text() const; // "12.3 % on average (1.0 .. 40.2)"

private:
    double m_low = 1.0;
    double m_high = 0.0;
    double m_sum = 0.0;
    std::size_t m_count = 0;
};

} // namespace ssdvp::platform
