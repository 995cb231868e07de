// SPDX-License-Identifier: Apache-2.0
//
// ssdvp run --beside-ideal: the run is done again with ideal firmware, in the folder ideal of the
// results.
#pragma once

#include <filesystem>

#include "platform/control/cli.h"
#include "platform/report/ideal_run.h"

namespace ssdvp::platform {

/// Runs this program again with the configuration that lies in `directory`; with a drive from a
/// file, or firmware of the user's own, firmware's time alone is left out. Throws write_error when
/// the run fails.
[[nodiscard]] beside_ideal_run beside_ideal(const command_line& line,
                                            const std::filesystem::path& directory);

} // namespace ssdvp::platform
