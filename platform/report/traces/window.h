// SPDX-License-Identifier: Apache-2.0
//
// Which part of a run a trace holds: all of it, from power-on to the end, or a window of the
// measured part as timelines have it.
#pragma once

#include <optional>

#include "platform/report/timeline/window.h"

namespace ssdvp::platform {

using trace_window = std::optional<timeline_window>; // none: the whole run

/// All of the measured part.
[[nodiscard]] inline timeline_window measured_window()
{
    timeline_window w;
    w.kind = window_kind::time;
    w.end = sim_time(~std::uint64_t{0} / 2);
    return w;
}

} // namespace ssdvp::platform
