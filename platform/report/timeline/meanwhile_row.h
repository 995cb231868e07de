// SPDX-License-Identifier: Apache-2.0
//
// A line of worst_meanwhile.csv (docs/results.md lists the columns).
#pragma once

#include <string>

#include "platform/report/timeline/flush_times.h"
#include "platform/report/timeline/meanwhile.h"

namespace ssdvp::platform {

/// Names of the columns, without a newline.
[[nodiscard]] std::string meanwhile_row_header();
void put_meanwhile_row(std::string& to, const host::request_result& r, const meanwhile_piece& p,
                       const flush_times& flushes);

/// What the firmware did it for, in words; empty: nobody knows. `flushing`: a flush of the host was
/// under way.
[[nodiscard]] const char* firmware_action(const flash_piece& what, bool flushing);

} // namespace ssdvp::platform
