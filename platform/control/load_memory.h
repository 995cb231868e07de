// SPDX-License-Identifier: Apache-2.0
//
// What of a drive's state is older than the load that runs on it.
#pragma once

#include "platform/config/config.h"
#include "platform/control/precondition.h"
#include "platform/report/drive_description.h"

namespace ssdvp::platform {

/// All that is written is equally likely to be written again.
[[nodiscard]] bool writes_alike(const ssd_config& config);

[[nodiscard]] load_memory memory_of(const ssd_config& config, const precondition_result& before);

/// Random overwrites that a drive of so many units, filled in order, wants before a load with
/// popular places settles on it: from the order of the fill it would swing for four turns. 0: the
/// load mixes the drive as well, or `overwrites` do, which preconditioning writes anyway.
[[nodiscard]] std::uint64_t units_to_mix(const ssd_config& config, std::uint64_t filled,
                                         std::uint64_t overwrites);

} // namespace ssdvp::platform
