// SPDX-License-Identifier: Apache-2.0
#include "platform/report/text_shares.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace ssdvp::platform {

std::string share_bar(double share, std::size_t columns, bool unicode)
{
    const auto eighths =
        static_cast<std::size_t>(std::lround(share * static_cast<double>(columns * 8)));
    if (!unicode) {
        return std::string((eighths + 4) / 8, '#');
    }
    static constexpr std::array<const char*, 8> partial = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    std::string text;
    for (std::size_t i = 0; i < eighths / 8; ++i) {
        text += "█";
    }
    return text + partial[eighths % 8];
}

std::string shares_text::text() const
{
    return fmt::format("{:.1f} % on average ({:.1f} .. {:.1f})",
                       100.0 * m_sum / static_cast<double>(m_count), 100.0 * m_low, 100.0 * m_high);
}

} // namespace ssdvp::platform
