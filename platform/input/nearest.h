// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace ssdvp::platform {

/// The candidate nearest to `word` by edit distance; empty when there is none at all.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

} // namespace ssdvp::platform
