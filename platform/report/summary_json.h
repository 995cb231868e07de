// SPDX-License-Identifier: Apache-2.0
//
// summary.json: docs/results.md lists its keys.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

/// The id ends with the version of the schema; the key `version` is that of the program.
constexpr const char* summary_schema = "ssdvp-summary-1";

/// The whole summary. `violations` are the sentences of check_identities.
[[nodiscard]] std::string summary_text(const measurement& m, const request_statistics& requests,
                                       const std::vector<std::string>& violations);

/// The same without sim.wall_s, sim.requests_per_wall_s and sim.peak_rss_bytes, the three that
/// depend on the machine: two runs of one configuration and seed give the same bytes.
[[nodiscard]] std::string deterministic_summary(const measurement& m,
                                                const request_statistics& requests,
                                                const std::vector<std::string>& violations);

/// Drops the same three from the text of a summary.json.
[[nodiscard]] std::string deterministic_summary(const std::string& summary);

/// Writes `directory`/summary.json. Throws output_error.
void write_summary(const std::filesystem::path& directory, const std::string& summary);

} // namespace ssdvp::platform
