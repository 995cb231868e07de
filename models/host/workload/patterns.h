// SPDX-License-Identifier: Apache-2.0
//
// workload.<stream>.pattern: which block of its range a stream touches next. A row is an
// enumerator, which is also the word of the configuration, and what `ssdvp show --policies` says of
// it. A pattern is make_<id>() in <id>.cpp.
#pragma once

#include <cstdint>

#define HOST_PATTERNS(ROW)                                                                         \
    ROW(uniform, "each block alike")                                                               \
    ROW(sequential, "one after the other, from the start again at the end")                        \
    ROW(hot_cold, "a share of the blocks takes a share of the requests")                           \
    ROW(lru, "by the depth in the stack of the blocks used last")                                  \
    ROW(hclru, "hot blocks by such a stack, the others alike")                                     \
    ROW(zipf, "by rank, the n-th with a share of 1 / n^theta")

namespace ssdvp::host {

#define SSDVP_PATTERN_ID(id, about) id,
enum class pattern_kind : std::uint8_t { HOST_PATTERNS(SSDVP_PATTERN_ID) };
#undef SSDVP_PATTERN_ID

} // namespace ssdvp::host
