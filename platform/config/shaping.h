// SPDX-License-Identifier: Apache-2.0
//
// Which keys shape the state of a preconditioned drive: what its cells hold, and what firmware has
// in memory before the first request. A kept state is right for every run that agrees on these.
#pragma once

#include <string>
#include <vector>

#include "platform/config/tree.h"

namespace ssdvp::platform {

/// The keys that do, with their values, in the order of the tree: options say it in their rows.
[[nodiscard]] std::vector<key_text> shaping_keys(const ssd_config& c);

/// Keys that do not where nothing else is asked for, and groups of keys (they end in a dot).
[[nodiscard]] std::vector<std::string> free_keys();

} // namespace ssdvp::platform
