// SPDX-License-Identifier: Apache-2.0
//
// As out_of_order, but the urgent goes first: host reads before host writes before background, by
// the priority in the descriptor (Ozone, ALGORITHMS.md section 4). An operation that has waited for
// the age limit is as urgent as any, and then the older goes first: nobody starves.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class priorities final : public order_policy {
public:
    [[nodiscard]] const char* name() const override { return "priorities"; }
    [[nodiscard]] std::optional<sim_time> may_start(const order_state&,
                                                    std::uint64_t) const override
    {
        return sim_time();
    }
    [[nodiscard]] std::optional<sim_time> may_complete(const order_state&,
                                                       std::uint64_t) const override
    {
        return sim_time();
    }
    [[nodiscard]] bool may_overtake() const override { return true; }
    [[nodiscard]] bool by_priority() const override { return true; }
};

} // namespace

const order_policy& order_priorities()
{
    static const priorities policy;
    return policy;
}

} // namespace ssdvp::flash
