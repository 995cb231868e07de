// SPDX-License-Identifier: Apache-2.0
//
// Counters of one drive, added, taken off each other, and weighted: what only grows goes along;
// gauges, temperatures and extremes are those of the first, or of the later one.
#pragma once

#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// What happened from `begin` to `end`, two readings of one drive.
[[nodiscard]] counters difference(const counters& end, const counters& begin);
[[nodiscard]] telemetry difference(const telemetry& end, const telemetry& begin);
[[nodiscard]] untold_statistics difference(const untold_statistics& end,
                                           const untold_statistics& begin);
[[nodiscard]] power_state_counts difference(const power_state_counts& end,
                                            const power_state_counts& begin);

/// One behind the other: of several power cycles, or of windows of a run. Gauges are those of the
/// second.
[[nodiscard]] counters sum(const counters& first, const counters& second);
[[nodiscard]] telemetry sum(const telemetry& past, const telemetry& now);

/// `factor` times as much of each, rounded.
[[nodiscard]] counters scaled(const counters& c, double factor);

} // namespace ssdvp::platform
