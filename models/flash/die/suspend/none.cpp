// SPDX-License-Identifier: Apache-2.0
//
// Baseline: an erase is never interrupted.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class never_suspends final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "none"; }
    [[nodiscard]] bool interrupts() const override { return false; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config&, std::uint32_t) const override
    {
        return 1;
    }
};

} // namespace

const suspend_policy& suspend_none()
{
    static const never_suspends policy;
    return policy;
}

} // namespace ssdvp::flash
