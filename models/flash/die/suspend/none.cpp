// SPDX-License-Identifier: Apache-2.0
//
// Baseline: an erase is never interrupted.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class none final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "none"; }
    [[nodiscard]] bool interrupts() const override { return false; }
    [[nodiscard]] std::optional<sim_time> stop(const erase_progress&, sim_time) const override
    {
        return std::nullopt;
    }
};

} // namespace

const suspend_policy& suspend_none()
{
    static const none policy;
    return policy;
}

} // namespace ssdvp::flash
