// SPDX-License-Identifier: Apache-2.0
//
// As out_of_order, but the urgent goes first: host reads before host writes before background, by
// the priority in the descriptor (Nam et al., Ozone, IEEE TC 60(5), 2011). An operation that has
// waited for the age limit is as urgent as any, and then the older goes first: nobody starves.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class priorities final : public free_order {
public:
    [[nodiscard]] const char* name() const override { return "priorities"; }
    [[nodiscard]] bool by_priority() const override { return true; }
};

} // namespace

const order_policy& order_priorities()
{
    static const priorities policy;
    return policy;
}

} // namespace ssdvp::flash
