// SPDX-License-Identifier: Apache-2.0
//
// latency.csv: the distribution of the latencies, for plots. docs/results.md lists its columns.
#pragma once

#include <filesystem>
#include <string>

#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

[[nodiscard]] std::string latency_csv(const request_statistics& requests);

/// Writes `directory`/latency.csv. Throws output_error.
void write_latencies(const std::filesystem::path& directory, const request_statistics& requests);

} // namespace ssdvp::platform
