// SPDX-License-Identifier: Apache-2.0
//
// What of a drive's state is older than the load that runs on it.
#pragma once

#include "platform/config/config.h"
#include "platform/control/precondition.h"
#include "platform/report/drive_description.h"

namespace ssdvp::platform {

[[nodiscard]] load_memory memory_of(const ssd_config& config, const precondition_result& before);

} // namespace ssdvp::platform
