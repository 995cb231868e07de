// SPDX-License-Identifier: Apache-2.0
//
// Quantities as text: for people three significant digits and a unit, for files all of them.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/time.h"

namespace ssdvp::platform {

[[nodiscard]] std::string text_time(double picoseconds); // "61.2 us"
[[nodiscard]] std::string text_time(sim_time t);
[[nodiscard]] std::string text_wall(double seconds);     // "4.21 s", "3 min 05 s", "2 h 10 min"
[[nodiscard]] std::string text_bytes(double bytes);      // "2.67 GiB"
[[nodiscard]] std::string text_byte_rate(double per_s);  // "1.22 GB/s": decimal, as data sheets
[[nodiscard]] std::string text_energy(double joules);    // "4.56 mJ"
[[nodiscard]] std::string text_power(double watts);      // "1.23 W"
[[nodiscard]] std::string text_count(std::uint64_t n);   // "1,234,567"
[[nodiscard]] std::string text_rough(double n);          // "1.23 M"
[[nodiscard]] std::string text_percent(double fraction); // "63.1 %"

/// Picoseconds as nanoseconds with three decimals: 1500 = "1.500".
[[nodiscard]] std::string exact_ns(std::uint64_t ps);

} // namespace ssdvp::platform
