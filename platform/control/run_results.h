// SPDX-License-Identifier: Apache-2.0
//
// What all commands share that run a drive: Ctrl-C, the folder for results, results and exit code.
#pragma once

#include <filesystem>

#include "platform/control/cli.h"
#include "platform/control/simulation.h"

namespace ssdvp::platform {

/// From now on the first SIGINT or SIGTERM is noted; the next one ends the program.
void heed_interrupts();
/// One came.
[[nodiscard]] bool interrupted();

/// --out, else out/<configuration>-<time>.
[[nodiscard]] std::filesystem::path output_directory(const command_line& line,
                                                     const ssd_config& config);

/// Runs it, with errors of native firmware turned into panics.
[[nodiscard]] simulation_result guarded_run(simulation& sim, const ssd_config& config);

/// Writes the files, prints the summary, and returns the exit code.
int write_results(const command_line& line, const std::filesystem::path& directory,
                  const ssd_config& config, const simulation& sim, const simulation_result& r);

} // namespace ssdvp::platform
