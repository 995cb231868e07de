// SPDX-License-Identifier: Apache-2.0
//
// SSR(s) (Kim, Seo, Kim, J. KICS 50(9), 2025, 3.3): as many safe points per loop as the worst block
// stands at the end of its life; a read waits for one segment at most.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class safe_point_static final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "safe_point_static"; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config& config,
                                            std::uint32_t) const override
    {
        constexpr std::uint32_t worst_case = 10;
        return config.safe_points.empty() ? worst_case : config.safe_points.front().safe_points;
    }
};

} // namespace

const suspend_policy& suspend_safe_point_static()
{
    static const safe_point_static policy;
    return policy;
}

} // namespace ssdvp::flash
