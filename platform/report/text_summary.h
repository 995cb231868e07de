// SPDX-License-Identifier: Apache-2.0
//
// The summary for people: tables of at most 100 columns.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct text_style {
    bool colour = false;  // ANSI escapes
    bool unicode = false; // block characters for bars
};

/// Colour when `out` is a terminal (and NO_COLOR is not set), blocks when it also speaks UTF-8.
[[nodiscard]] text_style style_for(std::FILE* out);

/// Of an array of drives: what its host saw.
[[nodiscard]] std::string array_text(const measurement& m, const request_statistics& requests,
                                     const std::vector<std::string>& violations,
                                     const text_style& style);
/// `violations` are the sentences of check_identities.
[[nodiscard]] std::string text_summary(const measurement& m, const request_statistics& requests,
                                       const std::vector<std::string>& violations,
                                       const text_style& style);

} // namespace ssdvp::platform
