// SPDX-License-Identifier: Apache-2.0
//
// flash.arbiter: what order a channel keeps. A row is an enumerator, which is also the word of the
// configuration, and what `ssdvp show --policies` says of it. An arbiter is order_<id>() in
// <id>.cpp.
#pragma once

#include <cstdint>

#define FLASH_ARBITERS(ROW)                                                                        \
    ROW(sequential, "operations start and complete in the order of their arrival")                 \
    ROW(interleaved, "they start in that order, and complete in it")                               \
    ROW(out_of_order, "those of different LUNs owe each other nothing")                            \
    ROW(priorities, "likewise, and urgent ones go first")

namespace ssdvp::flash {

#define SSDVP_ARBITER_ID(id, about) id,
enum class arbiter_kind : std::uint8_t { FLASH_ARBITERS(SSDVP_ARBITER_ID) };
#undef SSDVP_ARBITER_ID

} // namespace ssdvp::flash
