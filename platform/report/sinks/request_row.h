// SPDX-License-Identifier: Apache-2.0
//
// A request as a line of CSV: times in ns with three decimals, which is every picosecond
// (docs/results.md lists the columns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/host/request.h"

namespace ssdvp::platform {

/// Names of the columns, without a newline.
[[nodiscard]] std::string request_row_header();

constexpr std::size_t longest_request_row = 864; // 33 fields of at most 21 digits, with separators

/// Writes the line without its newline at `at`, and returns its end. Allocates nothing.
[[nodiscard]] char* put_request_row(char* at, const host::request_result& r);
[[nodiscard]] char* put_number(char* at, std::uint64_t n);

} // namespace ssdvp::platform
