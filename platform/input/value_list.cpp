// SPDX-License-Identifier: Apache-2.0
#include "platform/input/value_list.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace ssdvp::platform {
namespace {

/// Each entry as a list of its own, so that messages tell what the whole may be.
template <class Entry>
std::vector<Entry> parse_entries(const value_spec& spec, const std::vector<std::string>& items)
{
    std::vector<Entry> list;
    list.reserve(items.size());
    for (const std::string& item : items) {
        list.push_back(std::get<std::vector<Entry>>(parse_value(spec, {item}, false)).front());
    }
    return list;
}

/// One entry without brackets; none is what `default` gives.
template <class Entry, class Format>
std::string format_entries(const std::vector<Entry>& list, Format format)
{
    std::string text;
    for (const Entry& e : list) {
        text += (text.empty() ? "" : ", ") + format(e);
    }
    return list.empty() ? "default" : list.size() == 1 ? text : "[" + text + "]";
}

/// "pe_cycles=N,safe_points=M", in either order.
count_step parse_step(const value_spec& spec, const std::string& item)
{
    constexpr const char* remedy = "write `- {pe_cycles: N, safe_points: M}`";
    const auto number_after = [&](const std::string& name) {
        const std::size_t found = ("," + item).find("," + name + "=");
        if (found == std::string::npos) {
            throw value_error(fmt::format("has a step without {}", name), remedy);
        }
        const std::size_t begin = found + name.size() + 1;
        return item.substr(begin, item.find(',', begin) - begin);
    };
    if (std::count(item.begin(), item.end(), '=') != 2) {
        throw value_error(fmt::format("has the step '{}'", item), remedy);
    }
    value_spec cycles;
    value_spec points = spec;
    points.kind = value_kind::count;
    const auto count = [&](const value_spec& s, const std::string& name) {
        return std::get<std::uint64_t>(parse_value(s, {number_after(name)}, false));
    };
    return {count(cycles, "pe_cycles"), count(points, "safe_points")};
}

option_value parse_steps(const value_spec& spec, const std::vector<std::string>& items)
{
    std::vector<count_step> steps;
    for (const std::string& item : items) {
        steps.push_back(parse_step(spec, item));
        if (steps.size() > 1 && steps.back().pe_cycles <= steps[steps.size() - 2].pe_cycles) {
            throw value_error("has steps that are not in the order of their pe_cycles",
                              "sort them, each pe_cycles once");
        }
    }
    return steps;
}

std::string format_steps(const std::vector<count_step>& steps)
{
    if (steps.size() == 1 && steps.front().pe_cycles == 0) {
        return std::to_string(steps.front().safe_points);
    }
    std::string text;
    for (const count_step& step : steps) {
        text += fmt::format("{}{{pe_cycles: {}, safe_points: {}}}", text.empty() ? "" : ", ",
                            step.pe_cycles, step.safe_points);
    }
    return text.empty() ? "default" : "[" + text + "]";
}

} // namespace

std::string format_real(double v)
{
    std::array<char, 400> buffer{};
    const auto r =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), v, std::chars_format::fixed);
    return {buffer.data(), r.ptr};
}

void check_brackets(const value_spec& spec, const std::string& item)
{
    const bool takes_several = spec.kind == value_kind::time_list ||
                               spec.kind == value_kind::count_list ||
                               spec.kind == value_kind::number_list;
    if (takes_several && item.find(',') != std::string::npos) {
        throw value_error(fmt::format("'{}' has commas, but no brackets around it", item),
                          fmt::format("write [{}]", item));
    }
}

option_value parse_list(const value_spec& spec, const std::vector<std::string>& items)
{
    if (items.empty()) {
        throw value_error("is an empty list", "write at least one entry, or `default`");
    }
    switch (spec.kind) {
    case value_kind::time_list:
        return parse_entries<sim_time>(spec, items);
    case value_kind::count_list:
        return parse_entries<std::uint64_t>(spec, items);
    case value_kind::number_list:
        return parse_entries<double>(spec, items);
    case value_kind::step_list:
        return parse_steps(spec, items);
    default:
        throw value_error(fmt::format("is a list, but takes one {}", describe(spec)),
                          "write one value");
    }
}

std::optional<std::string> format_list(const option_value& value)
{
    if (const auto* steps = std::get_if<std::vector<count_step>>(&value)) {
        return format_steps(*steps);
    }
    if (const auto* times = std::get_if<std::vector<sim_time>>(&value)) {
        return format_entries(*times, format_time);
    }
    if (const auto* counts = std::get_if<std::vector<std::uint64_t>>(&value)) {
        return format_entries(*counts, [](std::uint64_t v) { return std::to_string(v); });
    }
    if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
        return format_entries(*numbers, format_real);
    }
    return std::nullopt;
}

} // namespace ssdvp::platform
