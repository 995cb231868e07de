// SPDX-License-Identifier: Apache-2.0
//
// What each key of summary.json means. Those of the firmware's counters have their own table,
// models/regs/counters.h; everything else is here, and a test holds both to what is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ssdvp::platform {

/// `path` is dotted. In it <kind> stands for a kind of request, another word in angle brackets for
/// any name, and [] for the entries of a list.
struct summary_key {
    std::string_view path;
    std::string_view meaning;
    std::string_view only_with; // empty: in each summary
};

/// In the order of summary.json.
[[nodiscard]] const std::vector<summary_key>& summary_keys();

/// The table of docs/results.md, for `ssdvp show --summary-keys`.
[[nodiscard]] std::string list_summary_keys();

} // namespace ssdvp::platform
