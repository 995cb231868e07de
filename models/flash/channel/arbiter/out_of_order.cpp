// SPDX-License-Identifier: Apache-2.0
//
// Operations of different LUNs owe each other nothing; which goes first is as they came.
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

namespace {

class out_of_order final : public free_order {
public:
    [[nodiscard]] const char* name() const override { return "out_of_order"; }
};

} // namespace

const order_policy& order_out_of_order()
{
    static const out_of_order policy;
    return policy;
}

} // namespace ssdvp::flash
