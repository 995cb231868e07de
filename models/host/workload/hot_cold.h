// SPDX-License-Identifier: Apache-2.0
//
// A range in two parts, the first one hot.
#pragma once

#include <cstdint>

#include "models/common/rng.h"
#include "models/host/config.h"

namespace ssdvp::host {

class hot_cold_parts {
public:
    /// Both parts hold at least one block, unless there is only one.
    hot_cold_parts(const stream_config& config, std::uint64_t blocks);
    /// Whether the next request goes to the hot part.
    bool hot(rng& random) const { return random.chance(m_probability) || m_cold == 0; }
    [[nodiscard]] std::uint64_t hot_blocks() const { return m_hot; }
    [[nodiscard]] std::uint64_t cold_blocks() const { return m_cold; }

private:
    std::uint64_t m_hot;
    std::uint64_t m_cold;
    double m_probability;
};

} // namespace ssdvp::host
