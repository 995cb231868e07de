// SPDX-License-Identifier: Apache-2.0
//
// Heat of the measured part, for people and for programs.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/thermal/stats.h"

namespace ssdvp::platform {

[[nodiscard]] boost::json::object thermal_section(const thermal::thermal_stats& t);
/// Name and value of each row.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
thermal_rows(const thermal::thermal_stats& t);

} // namespace ssdvp::platform
