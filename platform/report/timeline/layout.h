// SPDX-License-Identifier: Apache-2.0
//
// A record as a Perfetto trace: requests, tracks of the blocks, counters, and the flow of each
// request through what was done for it.
#pragma once

#include <string>
#include <vector>

#include "platform/report/series.h"
#include "platform/report/timeline/record.h"

namespace ssdvp::platform {

/// `pieces`: of the measured part, which began at `zero`; empty: no counters of the drive.
[[nodiscard]] std::string perfetto_trace(const timeline_record& record,
                                         const std::vector<series_piece>& pieces, sim_time zero);

} // namespace ssdvp::platform
