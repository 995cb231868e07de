// SPDX-License-Identifier: Apache-2.0
//
// One operation at a time in the order of arrival, even when another LUN and the bus are idle.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class sequential final : public order_policy {
public:
    [[nodiscard]] const char* name() const override { return "sequential"; }
    [[nodiscard]] std::optional<sim_time> may_start(const order_state& s,
                                                    std::uint64_t order) const override
    {
        return order == s.oldest_unfinished ? std::optional<sim_time>(s.last_completion)
                                            : std::nullopt;
    }
    [[nodiscard]] std::optional<sim_time> may_complete(const order_state&,
                                                       std::uint64_t) const override
    {
        return sim_time();
    }
    [[nodiscard]] bool may_overtake() const override { return false; }
};

} // namespace

const order_policy& order_sequential()
{
    static const sequential policy;
    return policy;
}

} // namespace ssdvp::flash
