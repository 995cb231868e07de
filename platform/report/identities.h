// SPDX-License-Identifier: Apache-2.0
//
// Statistics that add up: what must hold between the numbers of a run whatever it did. Blocks
// count independently, so that a lost request, an uncounted program or a wrong time shows as a
// contradiction between two of them.
#pragma once

#include <string>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// One sentence with both numbers for each identity that does not hold; empty when all do.
[[nodiscard]] std::vector<std::string> check_identities(const measurement& m,
                                                        const request_statistics& requests);

/// Those of them that hold however a run ends: nobody is busy for longer than has passed, no core
/// works for more cycles than it is busy, and no share is above 1.
[[nodiscard]] std::vector<std::string> check_busy(const measurement& m);

} // namespace ssdvp::platform
