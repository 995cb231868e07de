// SPDX-License-Identifier: Apache-2.0
//
// With hot_probability uniform over the first hot_fraction of the range, otherwise uniform over
// the rest.
#include "models/host/workload/hot_cold.h"

#include <algorithm>
#include <cmath>

#include "models/host/workload/pattern.h"

namespace ssdvp::host {

hot_cold_parts::hot_cold_parts(const stream_config& config, std::uint64_t blocks)
    : m_probability(config.hot_probability)
{
    const double share = std::round(config.hot_fraction * static_cast<double>(blocks));
    const auto wanted = static_cast<std::uint64_t>(std::max(share, 1.0));
    m_hot = std::min(wanted, std::max<std::uint64_t>(blocks - 1, 1));
    m_cold = blocks - m_hot;
}

namespace {

class hot_cold final : public pattern {
public:
    hot_cold(const stream_config& config, std::uint64_t blocks) : m_parts(config, blocks) {}
    std::uint64_t next(rng& random) override
    {
        return m_parts.hot(random) ? random.below(m_parts.hot_blocks())
                                   : m_parts.hot_blocks() + random.below(m_parts.cold_blocks());
    }

private:
    hot_cold_parts m_parts;
};

} // namespace

std::unique_ptr<pattern> make_hot_cold(const stream_config& config, std::uint64_t blocks)
{
    return std::make_unique<hot_cold>(config, blocks);
}

} // namespace ssdvp::host
