// SPDX-License-Identifier: Apache-2.0
//
// A configuration as key and value texts in the order of the tree: groups stay together.
#pragma once

#include <string>
#include <vector>

#include "platform/config/config.h"

namespace ssdvp::platform {

struct key_text {
    std::string key;
    std::string value; // as YAML
};

/// All keys that mean something for `c`; streams as workload.<number>.<key>.
std::vector<key_text> tree_of(const ssd_config& c);

/// `keys` reordered so that every group is in one piece, at the place of its first key.
std::vector<std::string> grouped(const std::vector<std::string>& keys);

} // namespace ssdvp::platform
