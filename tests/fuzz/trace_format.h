// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ssdvp::fuzz {

/// Of the traces that a program takes, as a file's name ends.
extern const char* const trace_format;

} // namespace ssdvp::fuzz
