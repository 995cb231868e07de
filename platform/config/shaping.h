// SPDX-License-Identifier: Apache-2.0
//
// Which keys shape the state of a preconditioned drive: what its cells hold, and what firmware has
// in memory before the first request. A kept state is right for every run that agrees on these.
#pragma once

#include <string>
#include <vector>

#include "platform/config/tree.h"

namespace ssdvp::platform {

/// Whether the key shapes the state; what is not known to leave it alone does.
[[nodiscard]] bool shapes_state(const std::string& key);

/// The keys that do, with their values, in the order of the tree.
[[nodiscard]] std::vector<key_text> shaping_keys(const ssd_config& c);

/// Keys and groups of keys (they end in a dot) that do not.
[[nodiscard]] std::vector<std::string> free_keys();

} // namespace ssdvp::platform
