// SPDX-License-Identifier: Apache-2.0
//
// What the summaries of drives and of arrays have in common: the host's requests, and faults.
#pragma once

#include <boost/json/object.hpp>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

[[nodiscard]] boost::json::object host_section(const measurement& m,
                                               const request_statistics& requests);
[[nodiscard]] boost::json::object faults_section(const measurement& m);

} // namespace ssdvp::platform
