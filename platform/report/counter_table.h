// SPDX-License-Identifier: Apache-2.0
//
// The rows of models/regs/counters.h as the reports walk them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

#define SSDVP_NAME(name, ...) name,
enum class counter_kind { COUNTER_KINDS(SSDVP_NAME) };
enum class counter_where { COUNTER_PLACES(SSDVP_NAME) };
#undef SSDVP_NAME

/// A field of struct telemetry, or a named element of an array there.
struct counter_row {
    const char* field;
    counter_kind kind;
    counter_where where;
    std::string_view key;
    std::string_view text;
    std::string_view description;
    std::uint64_t (*read)(const telemetry& t); // null: an array, whose elements have rows
};

/// In the order of the reports.
[[nodiscard]] const std::vector<counter_row>& counter_rows();

/// Whether a drive with such firmware readings has the key.
[[nodiscard]] bool has(counter_where where, const measurement& m);

/// "3 runs, 12 pages moved": the counts of a row of the text summary; empty when there are none.
[[nodiscard]] std::string counted(const measurement& m, std::string_view row);

/// Names of the rows of counts of the text summary.
[[nodiscard]] std::vector<std::string_view> counted_rows();

/// The table of docs/results.md, for `ssdvp show --counters`.
[[nodiscard]] std::string list_counters();

} // namespace ssdvp::platform
