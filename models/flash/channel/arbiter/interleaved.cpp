// SPDX-License-Identifier: Apache-2.0
//
// Busy times of LUNs overlap; operations start and complete in the order of arrival.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class interleaved final : public order_policy {
public:
    [[nodiscard]] const char* name() const override { return "interleaved"; }
    [[nodiscard]] std::optional<sim_time> may_start(const order_state& s,
                                                    std::uint64_t order) const override
    {
        return order == s.oldest_unstarted ? std::optional<sim_time>(s.last_start) : std::nullopt;
    }
    [[nodiscard]] std::optional<sim_time> may_complete(const order_state& s,
                                                       std::uint64_t order) const override
    {
        return order == s.oldest_unfinished ? std::optional<sim_time>(s.last_completion)
                                            : std::nullopt;
    }
    [[nodiscard]] bool may_overtake() const override { return false; }
};

} // namespace

const order_policy& order_interleaved()
{
    static const interleaved policy;
    return policy;
}

} // namespace ssdvp::flash
