// SPDX-License-Identifier: Apache-2.0
//
// Power states of the measured part, for people and for programs.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/power_account.h"

namespace ssdvp::platform {

[[nodiscard]] boost::json::array power_state_section(const power_state_counts& p);
/// Name and value of each row.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
power_state_rows(const power_state_counts& p);

} // namespace ssdvp::platform
