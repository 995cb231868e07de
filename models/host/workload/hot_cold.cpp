// SPDX-License-Identifier: Apache-2.0
//
// With hot_probability uniform over the first hot_fraction of the range, otherwise uniform over
// the rest.
#include "models/host/workload/pattern.h"

#include <algorithm>
#include <cmath>

namespace ssdvp::host {

namespace {

class hot_cold final : public pattern {
public:
    hot_cold(const stream_config& config, std::uint64_t blocks)
        : m_blocks(blocks), m_probability(config.hot_probability)
    {
        // Both parts hold at least one block, unless there is only one.
        const double share = std::round(config.hot_fraction * static_cast<double>(blocks));
        const auto wanted = static_cast<std::uint64_t>(std::max(share, 1.0));
        m_hot = std::min(wanted, std::max<std::uint64_t>(blocks - 1, 1));
    }
    std::uint64_t next(rng& random) override
    {
        const bool hot = random.chance(m_probability);
        if (hot || m_hot == m_blocks) {
            return random.below(m_hot);
        }
        return m_hot + random.below(m_blocks - m_hot);
    }

private:
    std::uint64_t m_blocks;
    std::uint64_t m_hot = 0;
    double m_probability;
};

} // namespace

std::unique_ptr<pattern> make_hot_cold(const stream_config& config, std::uint64_t blocks)
{
    return std::make_unique<hot_cold>(config, blocks);
}

} // namespace ssdvp::host
