// SPDX-License-Identifier: Apache-2.0
#include "platform/fio/job_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "models/common/data_mode.h"

namespace ssdvp::platform::fio {

namespace {

constexpr std::uint64_t largest = 1ull << 50; // sums of a thousand such sizes fit 64 bits

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// The whole number that a word begins with; what follows it is the suffix.
std::uint64_t leading_number(const value& v, const word& w, std::string& suffix)
{
    const bool hex =
        w.text.size() > 2 && w.text[0] == '0' && (w.text[1] == 'x' || w.text[1] == 'X');
    const char* begin = w.text.data() + (hex ? 2 : 0);
    const char* end = w.text.data() + w.text.size();
    std::uint64_t n = 0;
    const auto result = std::from_chars(begin, end, n, hex ? 16 : 10);
    if (result.ec == std::errc::result_out_of_range) {
        v.refuse(w, fmt::format("'{}' is too large", w.text), "give a smaller number");
    }
    if (result.ec != std::errc()) {
        v.refuse(w, w.text.empty() ? "no value" : fmt::format("'{}' is not a number", w.text),
                 w.text.find_first_of("($") == 0 ? "write the number that the expression stands for"
                                                 : fmt::format("write {}=NUMBER", v.name()));
    }
    suffix = lower(std::string(result.ptr, end));
    return n;
}

std::uint64_t checked_product(const value& v, const word& w, std::uint64_t n, std::uint64_t unit)
{
    if (unit != 0 && n > largest / unit) {
        v.refuse(w, fmt::format("'{}' is too large", w.text), "give a smaller number");
    }
    return n * unit;
}

} // namespace

void value::refuse(const word& at, const std::string& what, const std::string& remedy) const
{
    fail(at.at, name(), what, remedy);
}

std::uint64_t number(const value& v, const word& w, std::uint64_t low, std::uint64_t high)
{
    std::string suffix;
    std::uint64_t n = leading_number(v, w, suffix);
    if (!suffix.empty()) { // counts take the suffixes of sizes too
        n = bytes(v, w);
    }
    if (n < low || n > high) {
        v.refuse(w, fmt::format("{} is out of range", n),
                 fmt::format("give a number from {} to {}", low, high));
    }
    return n;
}

double real(const value& v, const word& w, double low, double high)
{
    double d = 0.0;
    const char* end = w.text.data() + w.text.size();
    const auto result = std::from_chars(w.text.data(), end, d);
    if (result.ec != std::errc() || result.ptr != end || !(d >= low && d <= high)) {
        v.refuse(w, fmt::format("'{}' is not a number from {} to {}", w.text, low, high),
                 "give one");
    }
    return d;
}

std::uint64_t bytes(const value& v, const word& w)
{
    std::string suffix;
    const std::uint64_t n = leading_number(v, w, suffix);
    std::string_view s = suffix;
    const bool byte = !s.empty() && s.back() == 'b';
    s.remove_suffix(byte ? 1 : 0);
    const bool with_i = s.size() == 2 && s.back() == 'i';
    s.remove_suffix(with_i ? 1 : 0);
    const bool other = byte && with_i; // as fio 3.33: 4ki is 4k, and 4kib the other one
    constexpr std::string_view prefixes = "kmgtp";
    const std::size_t power = s.size() == 1 ? prefixes.find(s[0]) : std::string_view::npos;
    if (s.empty()) {
        return checked_product(v, w, n, 1);
    }
    if (power == std::string_view::npos) {
        v.refuse(w, fmt::format("'{}' is not a size", w.text),
                 s == "z" ? "give bytes: the drive has no zones"
                          : "write a number with k, m, g, t or p behind it");
    }
    const std::uint64_t base = (v.kb_base == 1024) != other ? 1024 : 1000;
    std::uint64_t unit = base;
    for (std::size_t i = 0; i < power; ++i) {
        unit *= base;
    }
    return checked_product(v, w, n, unit);
}

std::uint64_t whole_sectors(const value& v, const word& w)
{
    const std::uint64_t n = bytes(v, w);
    if (n == 0 || n % sector_size != 0 || n / sector_size > UINT32_MAX) {
        v.refuse(w, fmt::format("{} bytes are no whole sectors", n),
                 fmt::format("give a multiple of {}", sector_size));
    }
    return n / sector_size;
}

amount bytes_or_share(const value& v, const word& w)
{
    amount a;
    a.at = w.at;
    a.given = true;
    if (!w.text.empty() && w.text.back() == '%') {
        a.share = real(v, w.part(0, w.text.size() - 1), 0.0, 100.0) / 100.0;
    } else {
        a.bytes = bytes(v, w);
    }
    return a;
}

sim_time duration(const value& v, const word& w, sim_time unit)
{
    constexpr std::uint64_t us = 1000 * 1000;
    static const std::vector<std::pair<std::string, std::uint64_t>> units = {
        {"d", 86400000000 * us}, {"h", 3600000000 * us}, {"m", 60000000 * us}, {"s", 1000000 * us},
        {"ms", 1000 * us},       {"msec", 1000 * us},    {"us", us},           {"usec", us},
    };
    if (w.text.find('-') != std::string::npos && !w.text.empty() && w.text[0] != '-') {
        v.refuse(w, fmt::format("'{}' is a range", w.text), "give one time");
    }
    std::string suffix;
    const std::uint64_t n = leading_number(v, w, suffix);
    std::uint64_t ps = unit.ps();
    if (!suffix.empty()) {
        const auto found = std::find_if(units.begin(), units.end(),
                                        [&](const auto& u) { return u.first == suffix; });
        if (found == units.end()) {
            v.refuse(w, fmt::format("'{}' is not a time", w.text),
                     "write a number with us, ms, s, m, h or d behind it");
        }
        ps = found->second;
    }
    const std::uint64_t longest = 1000000ull * 1000000 * us; // a million seconds
    if (n > longest / ps) {
        v.refuse(w, fmt::format("'{}' is more than a million seconds", w.text), "give less");
    }
    return sim_time(n * ps);
}

bool flag(const value& v)
{
    if (!v.from.has_value) {
        return true;
    }
    return number(v, v.text(), 0, 1) != 0;
}

std::size_t choice(const value& v, const word& w, const std::vector<std::string>& choices)
{
    const auto found = std::find(choices.begin(), choices.end(), w.text);
    if (found == choices.end()) {
        v.refuse(w, fmt::format("'{}' is not known", w.text),
                 fmt::format("give one of {}", fmt::join(choices, ", ")));
    }
    return static_cast<std::size_t>(found - choices.begin());
}

void by_kind(const value& v, const std::function<void(std::size_t, const word&)>& set)
{
    const std::vector<word> parts = split(v.text(), ',');
    if (parts.size() > 3) {
        v.refuse(parts[3], "more than three values", "give one for reads, writes and trims");
    }
    if (parts.size() == 1 && parts[0].text.empty()) {
        v.refuse(parts[0], "no value", fmt::format("write {}=VALUE", v.name()));
    }
    for (std::size_t kind = 0; kind < 3; ++kind) {
        const word& w = parts[std::min(kind, parts.size() - 1)];
        if (!w.text.empty()) {
            set(kind, w);
        }
    }
}

} // namespace ssdvp::platform::fio
