// SPDX-License-Identifier: Apache-2.0
//
// What ideal firmware is (run.ideal): a table of what it changes of a drive. All else stays, the
// flash, the link, the memories' speed and what the user chose of the buffer and of collection.
#pragma once

#include <string>

#include "platform/config/config.h"
#include "platform/config/raw.h"

namespace ssdvp::platform {

/// The tree of the drive that the run takes in place of `asked`, which `raw` is the tree of:
/// run.ideal is firmware. A drive that is ideal already stays as it is.
[[nodiscard]] raw_tree with_ideal_policies(const raw_tree& raw, const ssd_config& asked);

/// The table of docs/results.md, for `ssdvp show --ideal`.
[[nodiscard]] std::string list_ideal();

} // namespace ssdvp::platform
