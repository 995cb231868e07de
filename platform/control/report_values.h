// SPDX-License-Identifier: Apache-2.0
//
// Values of the options that say how a run is reported.
#pragma once

#include <string>

#include "platform/report/timeline/window.h"
#include "platform/report/traces/window.h"

namespace ssdvp::platform {

/// Of --series-interval. Throws value_error.
[[nodiscard]] sim_time interval_of(const std::string& text);

constexpr const char* window_forms = "requests=A..B|time=T..T|slowest=K";
/// Of --timeline-window, in one of these forms. Throws value_error.
[[nodiscard]] timeline_window window_of(const std::string& text);

constexpr const char* trace_window_forms = "measured|requests=A..B|time=T..T|slowest=K";
/// The same of --trace-window.
[[nodiscard]] trace_window trace_window_of(const std::string& text);

} // namespace ssdvp::platform
