// SPDX-License-Identifier: Apache-2.0
//
// Of summary.json: what the numbers are worth, what limits the drive, what drive it was.
#pragma once

#include <boost/json/object.hpp>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// validity, confidence, bottleneck: what there is of them.
void put_trust(boost::json::object& o, const measurement& m, const request_statistics& requests);
/// overrides, precondition, geometry.
void put_drive(boost::json::object& o, const measurement& m);

} // namespace ssdvp::platform
