// SPDX-License-Identifier: Apache-2.0
//
// Values that are lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/input/value.h"

namespace ssdvp::platform {

/// Throws value_error where `item`, written as one value, was meant as a list.
void check_brackets(const value_spec& spec, const std::string& item);
/// Throws value_error, also when `spec` takes no list.
option_value parse_list(const value_spec& spec, const std::vector<std::string>& items);
/// Text of a list that parses back to it; nothing when the value is no list.
std::optional<std::string> format_list(const option_value& value);

/// Shortest decimal text without an exponent that reads back to the same double.
std::string format_real(double v);

} // namespace ssdvp::platform
