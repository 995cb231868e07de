// SPDX-License-Identifier: Apache-2.0
//
// Text of messages, into which words and files of users go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ssdvp::platform {

/// `text` as a terminal may get it: control characters, and bytes that are no UTF-8, as \x1b. Of
/// one that is longer than `most` bytes then, the middle is left out, and how much that is said.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 2000);

} // namespace ssdvp::platform
