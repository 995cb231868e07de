// SPDX-License-Identifier: Apache-2.0
//
// Keys that were given and do not act beside the others, as each row of the table of options says.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/config/raw.h"

namespace ssdvp::platform {

/// Refuses the first one that has a remedy (config_error); returns the others, as
/// "place: key: why". Presets, below the folder `presets`, give whole sets of keys, of which a
/// drive may not need all: what they bring is left alone.
std::vector<std::string> idle_keys(const raw_tree& raw, const ssd_config& c, bool own_firmware,
                                   const std::string& presets);

/// Depths of the workload that the driver's queues do not hold, likewise.
std::vector<std::string> waiting_requests(const raw_tree& raw, const ssd_config& c);

} // namespace ssdvp::platform
