// SPDX-License-Identifier: Apache-2.0
//
// Values of options: what a text may say, and the text that says a value again exactly.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::platform {

enum class value_kind {
    count,
    size,          // bytes
    time,          // picoseconds
    time_list,     // one time, or one per page of a word line
    step_list,     // one count, or a count by P/E cycles
    count_list,    // one count or several
    number_list,   // one plain number or several
    transfer_rate, // transfers per second
    frequency,     // cycles per second
    request_rate,  // requests per second
    current,       // microamperes
    voltage,       // millivolts
    power,         // microwatts
    fraction,      // plain number or percent
    number,        // plain number
    boolean,
    choice,
    text,
    count_or_time
};

/// A step of a step_list: from so many P/E cycles on, so many safe points.
struct count_step {
    std::uint64_t pe_cycles = 0;
    std::uint64_t safe_points = 0;
};

/// Times as sim_time; sizes, rates and counts in base units; fractions, numbers and request rates
/// as double; choices and texts as the text.
using option_value =
    std::variant<std::uint64_t, double, bool, std::string, sim_time, std::vector<sim_time>,
                 std::vector<count_step>, std::vector<std::uint64_t>, std::vector<double>>;

/// A name of a choice and the enumerator it stands for.
struct choice_name {
    std::string name;
    int value = 0;
    std::string about = {}; // one line; empty: the option's own description says it
};

/// A word allowed in place of a number, e.g. `all`.
struct special_word {
    std::string name;
    std::uint64_t value = 0;
};

struct value_spec {
    value_kind kind = value_kind::count;
    std::uint64_t min = 0; // integer kinds, base units
    std::uint64_t max = UINT64_MAX;
    double low = 0.0; // real kinds
    double high = 1.0;
    bool low_open = false;              // low itself is not allowed
    std::vector<std::uint64_t> allowed; // when not empty: only these
    std::uint64_t multiple_of = 1;
    std::vector<choice_name> choices;
    special_word word;
    std::string limit_note; // why the range ends where it does
};

/// What is wrong with a value, and the remedy; the caller knows where it stands.
class value_error : public std::runtime_error {
public:
    value_error(const std::string& what, std::string remedy)
        : std::runtime_error(what), m_remedy(std::move(remedy))
    {}
    [[nodiscard]] const std::string& remedy() const { return m_remedy; }

private:
    std::string m_remedy;
};

/// `items`: the scalar, or the entries of the list. Throws value_error.
option_value parse_value(const value_spec& spec, const std::vector<std::string>& items,
                         bool is_list);

/// Shortest text of `value` that parse_value reads back to the same value.
std::string format_value(const value_spec& spec, const option_value& value);

/// Units a kind knows, for messages: "ps, ns, us, ms, s".
std::string unit_names(value_kind kind);
/// The same as a regular expression alternative, for the schema.
std::string unit_pattern(value_kind kind);
/// What a value of `spec` looks like, with range and choices: "size, 512B..64KiB".
std::string describe(const value_spec& spec);

std::string format_time(sim_time t);
std::string format_size(std::uint64_t bytes);

} // namespace ssdvp::platform
