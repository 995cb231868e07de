// SPDX-License-Identifier: Apache-2.0
//
// Energy of the measured part, from its counts and times and what the parts draw: current x voltage
// x time (docs/energy.md).
#pragma once

#include "platform/report/energy_parts.h"
#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// Of the measured part.
[[nodiscard]] energy_parts energy_of(const measurement& m);
/// Of what happened between two readings.
[[nodiscard]] energy_parts energy_of(const energy_figures& f, const counters& happened);

/// Where it becomes heat.
[[nodiscard]] energy_places energy_places_of(const energy_figures& f, const counters& happened);

/// The same total, added up block by block.
[[nodiscard]] uint128 energy_of_blocks(const measurement& m);

[[nodiscard]] double joules(uint128 energy);

} // namespace ssdvp::platform
