// SPDX-License-Identifier: Apache-2.0
#include "platform/input/value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "platform/input/value_list.h"

namespace ssdvp::platform {
namespace {

struct unit {
    const char* name;
    std::uint64_t factor;
};

constexpr std::size_t longest_text = 4096; // bytes: a path's
constexpr std::size_t longest_word = 200;  // of all other values

constexpr std::uint64_t kilo = 1000;
constexpr std::uint64_t mega = kilo * kilo;
constexpr std::uint64_t giga = kilo * mega;
constexpr std::uint64_t tera = kilo * giga;

/// Units of a kind, smallest first. Plain kinds have none.
const std::vector<unit>& units(value_kind kind)
{
    static const std::vector<unit> none;
    static const std::vector<unit> time = {
        {"ps", 1}, {"ns", kilo}, {"us", mega}, {"ms", giga}, {"s", tera}};
    static const std::vector<unit> size = {
        {"B", 1},      {"kB", kilo},        {"MB", mega},        {"GB", giga},       {"TB", tera},
        {"KiB", 1024}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}, {"TiB", 1ull << 40}};
    static const std::vector<unit> transfers = {
        {"T/s", 1}, {"kT/s", kilo}, {"MT/s", mega}, {"GT/s", giga}};
    static const std::vector<unit> frequency = {
        {"Hz", 1}, {"kHz", kilo}, {"MHz", mega}, {"GHz", giga}};
    static const std::vector<unit> requests = {{"/s", 1},        {"k/s", kilo},   {"M/s", mega},
                                               {"IOPS", 1},      {"kIOPS", kilo}, {"MIOPS", mega},
                                               {"k IOPS", kilo}, {"M IOPS", mega}};
    static const std::vector<unit> current = {{"uA", 1}, {"mA", kilo}, {"A", mega}};
    static const std::vector<unit> voltage = {{"mV", 1}, {"V", kilo}};
    static const std::vector<unit> power = {{"uW", 1}, {"mW", kilo}, {"W", mega}};
    switch (kind) {
    case value_kind::time:
    case value_kind::time_list:
    case value_kind::count_or_time:
        return time;
    case value_kind::current:
        return current;
    case value_kind::voltage:
        return voltage;
    case value_kind::power:
        return power;
    case value_kind::size:
        return size;
    case value_kind::transfer_rate:
        return transfers;
    case value_kind::frequency:
        return frequency;
    case value_kind::request_rate:
        return requests;
    default:
        return none;
    }
}

/// The units that a value is printed with.
const std::vector<unit>& print_units(value_kind kind)
{
    static const std::vector<unit> binary = {
        {"B", 1}, {"KiB", 1024}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}, {"TiB", 1ull << 40}};
    return kind == value_kind::size ? binary : units(kind);
}

/// "12.5 MT/s" taken apart. Spaces inside the unit are kept to one.
struct quantity_text {
    std::string digits;
    std::string fraction;
    std::string unit;

    [[nodiscard]] bool is_zero() const
    {
        return (digits + fraction).find_first_not_of('0') == std::string::npos;
    }
};

/// Moves the point of 1.5e-7 to where it is without the exponent.
void move_point(quantity_text& q, bool left, std::size_t places)
{
    std::string& from = left ? q.digits : q.fraction;
    const std::string zeros(places > from.size() ? places - from.size() : 0, '0');
    if (left) {
        from = zeros + from;
        q.fraction = from.substr(from.size() - places) + q.fraction;
        from.resize(from.size() - places);
        q.digits = from.empty() ? "0" : from;
    } else {
        from += zeros;
        q.digits += from.substr(0, places);
        from.erase(0, places);
    }
    const std::size_t first = q.digits.find_first_not_of('0');
    q.digits.erase(0, first == std::string::npos ? q.digits.size() - 1 : first);
}

/// The exponent at text[i], as far as there is one; `i` is behind it then.
void take_exponent(quantity_text& q, const std::string& text, std::size_t& i)
{
    constexpr std::size_t most = 3; // digits: no number of ours needs more
    if (i >= text.size() || (text[i] != 'e' && text[i] != 'E')) {
        return;
    }
    std::size_t at = i + 1;
    const bool sign = at < text.size() && (text[at] == '-' || text[at] == '+');
    const bool left = sign && text[at] == '-';
    at += sign ? 1 : 0;
    std::size_t places = 0;
    const std::size_t first = at;
    while (at < text.size() && at - first < most &&
           std::isdigit(static_cast<unsigned char>(text[at]))) {
        places = places * 10 + static_cast<std::size_t>(text[at++] - '0');
    }
    if (at != first) {
        move_point(q, left, places);
        i = at;
    }
}

std::optional<quantity_text> split(const std::string& text)
{
    quantity_text q;
    std::size_t i = 0;
    const auto digit = [&] {
        return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
    };
    while (digit()) {
        q.digits += text[i++];
    }
    if (q.digits.empty()) {
        return std::nullopt;
    }
    if (i < text.size() && text[i] == '.') {
        ++i;
        if (!digit()) {
            return std::nullopt;
        }
        while (digit()) {
            q.fraction += text[i++];
        }
    }
    take_exponent(q, text, i);
    while (i < text.size() && text[i] == ' ') {
        ++i;
    }
    q.unit = text.substr(i);
    return q;
}

std::uint64_t parse_digits(const std::string& digits)
{
    std::uint64_t v = 0;
    const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), v);
    if (r.ec != std::errc{}) {
        throw value_error(fmt::format("{} is too large", digits), "write a smaller number");
    }
    return v;
}

[[noreturn]] void too_large(const std::string& text)
{
    throw value_error(fmt::format("'{}' is too large", text), "write a smaller number");
}

/// digits.fraction * factor, exactly.
std::uint64_t scale(const quantity_text& q, const unit& u, const unit& base,
                    const std::string& text)
{
    std::uint64_t whole = 0;
    if (__builtin_mul_overflow(parse_digits(q.digits), u.factor, &whole)) {
        too_large(text);
    }
    std::string fraction = q.fraction;
    fraction.erase(fraction.find_last_not_of('0') + 1);
    if (fraction.empty()) {
        return whole;
    }
    const auto finer = [&] {
        throw value_error(fmt::format("'{}' is not a whole number of {}", text, base.name),
                          fmt::format("use at most the resolution of 1 {}", base.name));
    };
    if (fraction.size() > 18) {
        finer();
    }
    std::uint64_t tens = 1;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        tens *= 10;
    }
    const std::uint64_t common = std::gcd(u.factor, tens);
    const std::uint64_t f = parse_digits(fraction);
    if (f % (tens / common) != 0) {
        finer();
    }
    const std::uint64_t part = f / (tens / common) * (u.factor / common); // < factor
    if (__builtin_add_overflow(whole, part, &whole)) {
        too_large(text);
    }
    return whole;
}

std::string lower(std::string s)
{
    std::transform(s.begin(), s.end(), s.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

const unit& find_unit(value_kind kind, const quantity_text& q, const std::string& text)
{
    const auto& table = units(kind);
    if (q.unit.empty() && q.is_zero()) {
        return table.front(); // nothing, of whatever
    }
    if (q.unit.empty()) {
        const char* example = kind == value_kind::size            ? "KiB"
                              : kind == value_kind::transfer_rate ? "MT/s"
                              : kind == value_kind::frequency     ? "GHz"
                              : kind == value_kind::request_rate  ? "k/s"
                              : kind == value_kind::current       ? "mA"
                              : kind == value_kind::voltage       ? "V"
                              : kind == value_kind::power         ? "mW"
                                                                  : "us";
        throw value_error(
            fmt::format("'{}' has no unit", text),
            fmt::format("write for example {}{}; units are {}", text, example, unit_names(kind)));
    }
    std::string near;
    for (const unit& u : table) {
        if (q.unit == u.name) {
            return u;
        }
        if (near.empty() && lower(q.unit) == lower(u.name)) {
            near = u.name;
        }
    }
    if (kind == value_kind::size && q.unit == "KB") {
        throw value_error("unit 'KB' is ambiguous", "write KiB (1024 bytes) or kB (1000 bytes)");
    }
    throw value_error(fmt::format("unit '{}' is not one of {}", q.unit, unit_names(kind)),
                      near.empty() ? fmt::format("units are {}", unit_names(kind))
                                   : fmt::format("did you mean '{}'?", near));
}

[[noreturn]] void not_a(const value_spec& spec, const std::string& text)
{
    throw value_error(text.empty() ? std::string("has no value")
                                   : fmt::format("'{}' is not a {}", text, describe(spec)),
                      fmt::format("write a {}", describe(spec)));
}

std::string format_integer(value_kind kind, std::uint64_t v)
{
    const auto& table = print_units(kind);
    if (table.empty() || kind == value_kind::count) {
        return fmt::format("{}", v);
    }
    const unit* best = &table.front();
    for (const unit& u : table) {
        if (v != 0 && v % u.factor == 0) {
            best = &u;
        }
    }
    if (v == 0 && kind == value_kind::time) {
        return "0s";
    }
    return fmt::format("{}{}", v / best->factor, best->name);
}

std::string range_text(const value_spec& spec)
{
    const value_kind kind = spec.kind == value_kind::time_list ? value_kind::time : spec.kind;
    const auto one = [&](std::uint64_t v) { return format_integer(kind, v); };
    if (kind == value_kind::count_or_time) {
        return "";
    }
    if (spec.min == spec.max) {
        return one(spec.min);
    }
    if (spec.max == UINT64_MAX) {
        return spec.min == 0 ? "" : fmt::format("{} or more", one(spec.min));
    }
    return fmt::format("{}..{}", one(spec.min), one(spec.max));
}

std::string real_range_text(const value_spec& spec)
{
    return spec.low_open
               ? fmt::format("above {} up to {}", format_real(spec.low), format_real(spec.high))
               : fmt::format("{}..{}", format_real(spec.low), format_real(spec.high));
}

std::string joined(const value_spec& spec, const std::vector<std::uint64_t>& list)
{
    std::string text;
    for (const std::uint64_t v : list) {
        text += (text.empty() ? "" : ", ") + format_integer(spec.kind, v);
    }
    return text;
}

std::uint64_t check_integer(const value_spec& spec, std::uint64_t v, const std::string& text)
{
    if (!spec.allowed.empty() &&
        std::find(spec.allowed.begin(), spec.allowed.end(), v) == spec.allowed.end()) {
        throw value_error(fmt::format("{} is not a legal value", text),
                          fmt::format("legal values are {}", joined(spec, spec.allowed)));
    }
    if (v < spec.min || v > spec.max) {
        const std::string note = spec.limit_note.empty() ? "" : " (" + spec.limit_note + ")";
        throw value_error(fmt::format("{} is out of range", text),
                          fmt::format("allowed is {}{}", range_text(spec), note));
    }
    if (v % spec.multiple_of != 0) {
        throw value_error(
            fmt::format("{} is not a multiple of {}", text,
                        format_integer(spec.kind, spec.multiple_of)),
            fmt::format("write a multiple of {}", format_integer(spec.kind, spec.multiple_of)));
    }
    return v;
}

quantity_text split_or_fail(const value_spec& spec, const std::string& text)
{
    if (!text.empty() && text[0] == '-' && split(text.substr(1))) {
        throw value_error(fmt::format("{} is negative", text),
                          fmt::format("write a {}", describe(spec)));
    }
    const auto q = split(text);
    if (!q) {
        not_a(spec, text);
    }
    return *q;
}

std::uint64_t parse_integer(const value_spec& spec, value_kind kind, const std::string& text)
{
    const quantity_text q = split_or_fail(spec, text);
    if (kind != value_kind::count) {
        const unit& u = find_unit(kind, q, text);
        return check_integer(spec, scale(q, u, units(kind).front(), text), text);
    }
    if (!q.unit.empty() || !q.fraction.empty()) {
        throw value_error(fmt::format("'{}' is not a whole number", text),
                          "write a plain count, without unit or fraction");
    }
    return check_integer(spec, parse_digits(q.digits), text);
}

double parse_real(const value_spec& spec, const std::string& text)
{
    const quantity_text q = split_or_fail(spec, text);
    std::string number = q.digits + (q.fraction.empty() ? "" : "." + q.fraction);
    if (spec.kind == value_kind::request_rate) {
        const std::uint64_t factor = find_unit(spec.kind, q, text).factor;
        number += factor == mega ? "e6" : factor == kilo ? "e3" : "";
    } else if (q.unit == "%" && spec.kind == value_kind::fraction) {
        number += "e-2"; // in decimal, so that 7% is the very same double as 0.07
    } else if (!q.unit.empty()) {
        throw value_error(fmt::format("'{}' is not a plain number", text),
                          spec.kind == value_kind::fraction ? "write a fraction such as 0.07, or 7%"
                                                            : "write a number without a unit");
    }
    double v = 0.0;
    const auto r = std::from_chars(number.data(), number.data() + number.size(), v);
    if (r.ec != std::errc{}) {
        not_a(spec, text);
    }
    if (v < spec.low || v > spec.high || (spec.low_open && v <= spec.low)) {
        throw value_error(fmt::format("{} is out of range", text),
                          fmt::format("allowed is {}", real_range_text(spec)));
    }
    return v;
}

std::string choice_list(const value_spec& spec)
{
    std::string text;
    for (const choice_name& c : spec.choices) {
        text += (text.empty() ? "" : ", ") + c.name;
    }
    return text;
}

std::string parse_choice(const value_spec& spec, const std::string& text)
{
    for (const choice_name& c : spec.choices) {
        if (c.name == text) {
            return text;
        }
    }
    throw value_error(fmt::format("'{}' is not one of the choices", text),
                      fmt::format("choose from: {}", choice_list(spec)));
}

option_value parse_scalar(const value_spec& spec, const std::string& text)
{
    if (!spec.word.name.empty() && text == spec.word.name) {
        return spec.word.value;
    }
    switch (spec.kind) {
    case value_kind::time:
        return sim_time(parse_integer(spec, spec.kind, text));
    case value_kind::time_list:
        return std::vector<sim_time>{sim_time(parse_integer(spec, value_kind::time, text))};
    case value_kind::step_list:
        return std::vector<count_step>{{0, parse_integer(spec, value_kind::count, text)}};
    case value_kind::count_list:
        return std::vector<std::uint64_t>{parse_integer(spec, value_kind::count, text)};
    case value_kind::number_list:
        return std::vector<double>{parse_real(spec, text)};
    case value_kind::count_or_time: {
        const auto q = split(text);
        if (q && !q->unit.empty()) {
            return sim_time(parse_integer(spec, value_kind::time, text));
        }
        return parse_integer(spec, value_kind::count, text);
    }
    case value_kind::fraction:
    case value_kind::number:
    case value_kind::request_rate:
        return parse_real(spec, text);
    case value_kind::boolean:
        if (text != "true" && text != "false") {
            not_a(spec, text);
        }
        return text == "true";
    case value_kind::choice:
        return parse_choice(spec, text);
    case value_kind::text:
        if (text.empty()) {
            not_a(spec, text);
        }
        return text;
    default:
        return parse_integer(spec, spec.kind, text);
    }
}

} // namespace

namespace {

/// Before anything looks at the text, or repeats it in a message.
void check_text(const value_spec& spec, const std::string& text)
{
    const bool free = spec.kind == value_kind::text;
    const std::size_t longest = free ? longest_text : longest_word;
    if (text.size() > longest) {
        throw value_error(fmt::format("'{}...' has {} characters", text.substr(0, 40), text.size()),
                          fmt::format("write at most {}", longest));
    }
    const auto control = std::find_if(text.begin(), text.end(),
                                      [](unsigned char c) { return c < 0x20u || c == 0x7Fu; });
    if (free && control != text.end()) {
        throw value_error(
            fmt::format("has the control character {:#04x}", static_cast<unsigned char>(*control)),
            "write letters that can be seen");
    }
}

} // namespace

option_value parse_value(const value_spec& spec, const std::vector<std::string>& items,
                         bool is_list)
{
    for (const std::string& item : items) {
        check_text(spec, item);
    }
    if (is_list) {
        return parse_list(spec, items);
    }
    check_brackets(spec, items.front());
    return parse_scalar(spec, items.front());
}

std::string format_value(const value_spec& spec, const option_value& value)
{
    if (const auto* n = std::get_if<std::uint64_t>(&value)) {
        if (!spec.word.name.empty() && *n == spec.word.value) {
            return spec.word.name;
        }
        return format_integer(
            spec.kind == value_kind::count_or_time ? value_kind::count : spec.kind, *n);
    }
    if (const auto* t = std::get_if<sim_time>(&value)) {
        return format_time(*t);
    }
    if (const auto* d = std::get_if<double>(&value)) {
        return format_real(*d) + (spec.kind == value_kind::request_rate ? "/s" : "");
    }
    if (const auto* b = std::get_if<bool>(&value)) {
        return *b ? "true" : "false";
    }
    if (const auto text = format_list(value)) {
        return *text;
    }
    return std::get<std::string>(value);
}

std::string unit_names(value_kind kind)
{
    std::string text;
    for (const unit& u : units(kind)) {
        text += (text.empty() ? "" : ", ") + std::string(u.name);
    }
    return text;
}

std::string unit_pattern(value_kind kind)
{
    std::string text;
    for (const unit& u : units(kind)) {
        text += (text.empty() ? "" : "|") + std::string(u.name);
    }
    return "(" + text + ")";
}

std::string describe(const value_spec& spec)
{
    static const std::string steps = "whole number or list of {pe_cycles, safe_points}, each";
    static const std::vector<std::string> names = {"whole number",
                                                   "size",
                                                   "time",
                                                   "time or list of times",
                                                   steps,
                                                   "whole number or list of whole numbers, each",
                                                   "number or list of numbers, each",
                                                   "rate in transfers per second",
                                                   "frequency",
                                                   "rate in requests per second",
                                                   "current",
                                                   "voltage",
                                                   "power",
                                                   "fraction",
                                                   "number",
                                                   "choice",
                                                   "choice",
                                                   "text",
                                                   "number of requests or a time"};
    std::string text = names.at(static_cast<std::size_t>(spec.kind));
    if (spec.kind == value_kind::boolean) {
        return "choice of true or false";
    }
    if (spec.kind == value_kind::choice) {
        return "choice of " + choice_list(spec);
    }
    if (spec.kind == value_kind::fraction || spec.kind == value_kind::number ||
        spec.kind == value_kind::number_list || spec.kind == value_kind::request_rate) {
        return fmt::format("{} {}", text, real_range_text(spec));
    }
    if (!spec.allowed.empty()) {
        text += " out of " + joined(spec, spec.allowed);
    } else if (spec.kind != value_kind::text && !range_text(spec).empty()) {
        text += " " + range_text(spec);
    }
    if (spec.multiple_of > 1) {
        text += fmt::format(", multiple of {}", format_integer(spec.kind, spec.multiple_of));
    }
    if (!spec.word.name.empty()) {
        text += ", or " + spec.word.name;
    }
    return text;
}

std::string format_time(sim_time t)
{
    return format_integer(value_kind::time, t.ps());
}

std::string format_size(std::uint64_t bytes)
{
    return format_integer(value_kind::size, bytes);
}

} // namespace ssdvp::platform
