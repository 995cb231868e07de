// SPDX-License-Identifier: Apache-2.0
//
// What order a channel keeps between operations (Nam et al., Ozone, IEEE TC 60(5), 2011). LUNs keep
// their own order under every policy; a policy adds what operations on different LUNs owe each
// other. One file per policy and one line in
// arbiters.h.
#pragma once

#include <cstdint>
#include <optional>

#include "models/common/time.h"
#include "models/flash/config.h"

namespace ssdvp::flash {

/// The channel's operations as far as order goes. Order numbers rise with arrival.
struct order_state {
    std::uint64_t oldest_unfinished; // order number
    std::uint64_t oldest_unstarted;
    sim_time last_start;      // when the latest start phase began
    sim_time last_completion; // when the latest completion phase ended
};

class order_policy {
public:
    order_policy() = default;
    order_policy(const order_policy&) = delete;
    order_policy& operator=(const order_policy&) = delete;
    virtual ~order_policy() = default;

    [[nodiscard]] virtual const char* name() const = 0;
    /// Since when the order lets operation `order` start; nothing = not yet.
    [[nodiscard]] virtual std::optional<sim_time> may_start(const order_state& state,
                                                            std::uint64_t order) const = 0;
    /// Since when the order lets it use the bus for its completion.
    [[nodiscard]] virtual std::optional<sim_time> may_complete(const order_state& state,
                                                               std::uint64_t order) const = 0;
    /// May a read overtake an erase that was suspended for it?
    [[nodiscard]] virtual bool may_overtake() const = 0;
    /// Do urgent operations go first: on the bus, and past waiting ones of their own LUN?
    [[nodiscard]] virtual bool by_priority() const { return false; }
};

/// Operations of different LUNs owe each other nothing.
class free_order : public order_policy {
public:
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

[[nodiscard]] const order_policy& find_order_policy(arbiter_kind kind);

#define SSDVP_ARBITER_OF(id, about) const order_policy& order_##id();
FLASH_ARBITERS(SSDVP_ARBITER_OF)
#undef SSDVP_ARBITER_OF

} // namespace ssdvp::flash
