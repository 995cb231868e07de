// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/common/data_mode.h"

namespace ssdvp {

/// Byte enables of tag mode, twice: pattern + n is the pattern of data that starts n bytes into a
/// sector.
constexpr std::array<unsigned char, 2 * sector_size> make_tag_pattern()
{
    std::array<unsigned char, 2 * sector_size> p{};
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = i % sector_size < tag_size ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    return p;
}
inline constexpr auto tag_pattern = make_tag_pattern();

} // namespace ssdvp
