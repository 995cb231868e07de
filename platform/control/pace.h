// SPDX-License-Identifier: Apache-2.0
//
// How simulated time is cut into pieces, and how long a drive may take.
#pragma once

#include "models/common/time.h"

namespace ssdvp::platform {

/// Between looks at Ctrl-C, the progress bar and other members.
inline constexpr sim_time slice = literals::operator""_ms(2);
/// A full buffer on a slow part.
inline constexpr sim_time shutdown_limit = literals::operator""_s(600);

} // namespace ssdvp::platform
