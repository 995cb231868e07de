// SPDX-License-Identifier: Apache-2.0
//
// Deferred suspend (D-ES; Kim, Seo, Kim, J. KICS 50(9), 2025, 3.1): an erase stops between two
// loops. A read waits for the rest of a loop; an erase gains at least one loop between two
// suspends.
#include "models/flash/die/suspend/suspend_policy.h"

namespace ssdvp::flash {

namespace {

class deferred final : public suspend_policy {
public:
    [[nodiscard]] const char* name() const override { return "deferred"; }
    [[nodiscard]] std::uint32_t safe_points(const suspend_config&, std::uint32_t) const override
    {
        return 1;
    }
};

} // namespace

const suspend_policy& suspend_deferred()
{
    static const deferred policy;
    return policy;
}

} // namespace ssdvp::flash
