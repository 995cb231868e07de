// SPDX-License-Identifier: Apache-2.0
//
// How far what is seen in a part of a long record may be off the level of all of it. Slow waves
// pass through a short part as if they were its level. A longer record of the same process, here
// write amplification while a drive settled, has the variance of each wave (its cosines), and a
// mean over a window takes so much of it as the window is short beside the wave (Fejer's kernel).
// The sum is the variance of the window's mean; how surely it is known follows from how many waves
// it rests on (Welch-Satterthwaite).
#pragma once

#include <optional>
#include <vector>

#include "platform/report/confidence.h"

namespace ssdvp::platform {

/// Of a window as long as `window` entries of the record, as a share of its mean. None with fewer
/// than 8.
[[nodiscard]] std::optional<estimate> window_error(const std::vector<double>& record,
                                                   double window);

} // namespace ssdvp::platform
