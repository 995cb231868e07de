// SPDX-License-Identifier: Apache-2.0
//
// JSON as text with the same bytes on every machine: keys in the order of insertion, two spaces of
// indent, numbers as the shortest decimal that reads back to the same value.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace ssdvp::platform {

/// Ends with a newline. Precondition: every number is finite.
[[nodiscard]] std::string to_text(const boost::json::value& value);

} // namespace ssdvp::platform
