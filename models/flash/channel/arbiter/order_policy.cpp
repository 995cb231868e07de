// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/arbiter/order_policy.h"

#include <array>

namespace ssdvp::flash {

namespace {

struct entry {
    arbiter_kind kind;
    const order_policy& (*policy)();
};

constexpr std::array<entry, 4> table = {{
    {arbiter_kind::sequential, order_sequential},
    {arbiter_kind::interleaved, order_interleaved},
    {arbiter_kind::out_of_order, order_out_of_order},
    {arbiter_kind::priorities, order_priorities},
}};

} // namespace

const order_policy& find_order_policy(arbiter_kind kind)
{
    for (const entry& e : table) {
        if (e.kind == kind) {
            return e.policy();
        }
    }
    return order_out_of_order();
}

} // namespace ssdvp::flash
