// SPDX-License-Identifier: Apache-2.0
//
// Operations of different LUNs owe each other nothing.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class out_of_order final : public order_policy {
public:
    [[nodiscard]] const char* name() const override { return "out_of_order"; }
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
};

} // namespace

const order_policy& order_out_of_order()
{
    static const out_of_order policy;
    return policy;
}

} // namespace ssdvp::flash
