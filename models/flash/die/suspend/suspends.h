// SPDX-License-Identifier: Apache-2.0
//
// flash.suspend.policy: where an erase may stop for a read. A row is the value FLASH_SUSPEND_<ID>
// of Set Features (models/regs/channel.rdl), an enumerator, which is also the word of the
// configuration, and what `ssdvp show --policies` says of it. A policy is suspend_<id>() in
// <id>.cpp.
#pragma once

#include <cstdint>

#define FLASH_SUSPENDS(ROW)                                                                        \
    ROW(NONE, none, "an erase ends first")                                                         \
    ROW(IMMEDIATE, immediate, "at once; the pulse it stops is done again")                         \
    ROW(DEFERRED, deferred, "behind the pulse")                                                    \
    ROW(SAFE_POINT_STATIC, safe_point_static, "at safe points, the same number at each age")       \
    ROW(SAFE_POINT_DYNAMIC, safe_point_dynamic, "at safe points, their number by P/E cycles")

namespace ssdvp::flash {

#define SSDVP_SUSPEND_ID(ID, id, about) id,
enum class suspend_kind : std::uint8_t { FLASH_SUSPENDS(SSDVP_SUSPEND_ID) };
#undef SSDVP_SUSPEND_ID

} // namespace ssdvp::flash
