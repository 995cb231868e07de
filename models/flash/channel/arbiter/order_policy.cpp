// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

const order_policy& find_order_policy(arbiter_kind kind)
{
    switch (kind) {
#define SSDVP_ARBITER_CASE(id, about)                                                              \
    case arbiter_kind::id:                                                                         \
        return order_##id();
        FLASH_ARBITERS(SSDVP_ARBITER_CASE)
#undef SSDVP_ARBITER_CASE
    }
    return order_out_of_order();
}

} // namespace ssdvp::flash
