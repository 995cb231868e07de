// SPDX-License-Identifier: Apache-2.0
//
// SSR(d) (Kim, Seo, Kim, J. KICS 50(9), 2025, 3.3): the fewer P/E cycles a block has behind it, the
// more suspends its cells stand, and the more safe points its erase has.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

/// The paper's anchors: 30 at 100 P/E cycles, 10 at 1,000; N = round(30 - 20 * (PEC - 100) / 900).
std::uint32_t between_anchors(std::uint32_t pe_cycles)
{
    constexpr std::uint32_t first = 100;
    constexpr std::uint32_t last = 1000;
    if (pe_cycles <= first) {
        return 30;
    }
    return pe_cycles >= last ? 10 : (30 * 900 - 20 * (pe_cycles - first) + 450) / 900;
}

/// The last step whose P/E cycles have been reached; before the first step, the first.
std::uint32_t stepwise(const std::vector<safe_point_step>& steps, std::uint32_t pe_cycles)
{
    std::uint32_t points = steps.front().safe_points;
    for (const safe_point_step& step : steps) {
        points = step.pe_cycles <= pe_cycles ? step.safe_points : points;
    }
    return points;
}

class safe_point_dynamic final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "safe_point_dynamic"; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config& config,
                                            std::uint32_t pe_cycles) const override
    {
        return config.safe_points.empty() ? between_anchors(pe_cycles)
                                          : stepwise(config.safe_points, pe_cycles);
    }
};

} // namespace

const suspend_policy& suspend_safe_point_dynamic()
{
    static const safe_point_dynamic policy;
    return policy;
}

} // namespace ssdvp::flash
