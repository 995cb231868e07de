// SPDX-License-Identifier: Apache-2.0
//
// Energy in summary.json and in the text summary.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// Joules by part. What is not counted is absent.
[[nodiscard]] boost::json::object energy_section(const measurement& m,
                                                 const request_statistics& requests);

/// Rows of name and value, for people.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
energy_rows(const measurement& m, const request_statistics& requests);

} // namespace ssdvp::platform
