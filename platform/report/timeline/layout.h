// SPDX-License-Identifier: Apache-2.0
//
// A record as a Perfetto trace: requests, tracks of the blocks, counters, and the flow of each
// request through what was done for it.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "platform/report/series.h"
#include "platform/report/timeline/record.h"

namespace ssdvp::platform {

/// Hands it to `to` piece by piece. `pieces`: of the measured part, which began at `zero`; empty:
/// no counters of the drive.
void perfetto_trace(const timeline_record& record, const std::vector<series_piece>& pieces,
                    sim_time zero, const std::function<void(std::string_view)>& to);

} // namespace ssdvp::platform
