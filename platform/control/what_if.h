// SPDX-License-Identifier: Apache-2.0
//
// ssdvp run --what-if: what limits the drive is made 20 % faster, and the run done again from the
// same state, in the folder what_if of the results.
#pragma once

#include <filesystem>

#include "platform/control/cli.h"
#include "platform/report/what_if_run.h"

namespace ssdvp::platform {

/// Runs this program again with the configuration that lies in `directory`. Returns lines for
/// people: what the faster part brought, or why there is none. Throws write_error when the run
/// fails.
[[nodiscard]] what_if_run what_if(const command_line& line, const std::filesystem::path& directory,
                                  const better_part& tried);

} // namespace ssdvp::platform
