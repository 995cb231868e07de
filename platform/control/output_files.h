// SPDX-License-Identifier: Apache-2.0
//
// That no file is written which a command reads, and none twice.
#pragma once

#include <filesystem>
#include <vector>

#include "platform/config/loader.h"
#include "platform/control/cli.h"

namespace ssdvp::platform {

/// Before anything is written: compares what `line` writes, to `directory` and elsewhere, with what
/// it reads. Names may differ: links and ../ are followed. Throws output_error, which names both;
/// or the one that leads to what no output is written to.
void check_output_files(const command_line& line, const resolved_config& resolved,
                        const std::filesystem::path& directory);

/// What those files are called until they are whole, and the socket of a server.
[[nodiscard]] std::vector<std::filesystem::path>
partial_names(const command_line& line, const std::filesystem::path& directory);

} // namespace ssdvp::platform
