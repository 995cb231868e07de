// SPDX-License-Identifier: Apache-2.0
//
// Immediate suspend (I-ES; Wu, He, FAST 2012): the pulse stops where it is; what was executed
// stays executed. No progress is guaranteed: reads that come closer together than overhead and
// read time starve the erase.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class immediate final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "immediate"; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config&, std::uint32_t) const override
    {
        return 0;
    }
};

} // namespace

const suspend_policy& suspend_immediate()
{
    static const immediate policy;
    return policy;
}

} // namespace ssdvp::flash
