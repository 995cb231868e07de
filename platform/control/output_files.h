// SPDX-License-Identifier: Apache-2.0
//
// That no file is written which a command reads, and none twice.
#pragma once

#include <filesystem>
#include <vector>

#include "platform/config/loader.h"
#include "platform/control/cli.h"
#include "platform/report/sinks/sink_set.h"

namespace ssdvp::platform {

/// A folder of results, and the reports that lie there or elsewhere.
struct result_place {
    std::filesystem::path directory;
    const sink_set* sinks = nullptr; // null: none
};

/// Before anything is written: compares what a run of `line` writes with what it reads. Names may
/// differ: links and ../ are followed. Throws output_error, which names both, or the one that leads
/// to what no output is written to.
void check_output_files(const command_line& line, const std::vector<const resolved_config*>& read,
                        const std::vector<result_place>& places);

/// What those files are called until they are whole, and the socket of a server.
[[nodiscard]] std::vector<std::filesystem::path>
partial_names(const command_line& line, const std::vector<result_place>& places);

} // namespace ssdvp::platform
