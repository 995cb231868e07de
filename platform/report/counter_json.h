// SPDX-License-Identifier: Apache-2.0
//
// Firmware's part of summary.json: the keys of models/regs/counters.h, and figures worked out of
// them.
#pragma once

#include <boost/json/object.hpp>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// To be called where firmware has published its telemetry (m.measured.ftl).
void put_counters(boost::json::object& summary, const measurement& m,
                  const request_statistics& requests);

} // namespace ssdvp::platform
