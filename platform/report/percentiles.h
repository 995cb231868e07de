// SPDX-License-Identifier: Apache-2.0
//
// The percentiles that are told of latencies.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace ssdvp::platform {

/// Name in summary.json, and parts per million.
constexpr std::array<std::pair<const char*, std::uint32_t>, 7> percentiles = {{
    {"p50", 500000},
    {"p90", 900000},
    {"p99", 990000},
    {"p99.9", 999000},
    {"p99.99", 999900},
    {"p99.999", 999990},
    {"p99.9999", 999999},
}};

} // namespace ssdvp::platform
