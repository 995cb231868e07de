// SPDX-License-Identifier: Apache-2.0
//
// The one way of messages to stderr and of text to stdout.
#pragma once

#include <string>

namespace ssdvp::platform {

/// Messages of this process say "ssdvp: LEVEL: text". Whatever a user's files and words put into
/// them, a terminal sees text.
void open_messages();

/// "ssdvp: error: text"
void tell_error(const std::string& text);

/// Everything printed reaches stdout, and every message stderr: `code`, or EXIT_RUN_FAILED and, of
/// stdout, a message.
[[nodiscard]] int flushed(int code);

} // namespace ssdvp::platform
