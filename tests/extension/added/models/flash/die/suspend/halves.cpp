// SPDX-License-Identifier: Apache-2.0
//
// An erase stops between its loops and in the middle of each.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class halves final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "halves"; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config&, std::uint32_t) const override
    {
        return 2;
    }
};

} // namespace

const suspend_policy& suspend_halves()
{
    static const halves policy;
    return policy;
}

} // namespace ssdvp::flash
