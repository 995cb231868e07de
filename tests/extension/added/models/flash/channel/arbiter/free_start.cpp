// SPDX-License-Identifier: Apache-2.0
//
// Operations start in any order, and complete in that of their arrival.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class free_start final : public free_order {
public:
    [[nodiscard]] const char* name() const override { return "free_start"; }
    [[nodiscard]] std::optional<sim_time> may_complete(const order_state& s,
                                                       std::uint64_t order) const override
    {
        return order == s.oldest_unfinished ? std::optional<sim_time>(s.last_completion)
                                            : std::nullopt;
    }
    [[nodiscard]] bool may_overtake() const override { return false; }
};

} // namespace

const order_policy& order_free_start()
{
    static const free_start policy;
    return policy;
}

} // namespace ssdvp::flash
