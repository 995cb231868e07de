// SPDX-License-Identifier: Apache-2.0
//
// `ssdvp run` with a list of drives, and of arrays of them: all on one clock, each with its own
// firmware, seed and results.
#pragma once

#include "platform/control/cli.h"

namespace ssdvp::platform {

/// Returns the exit code: that of the drive that fared worst.
int run_drives(const command_line& line, const run_plan& plan);

} // namespace ssdvp::platform
