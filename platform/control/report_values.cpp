// SPDX-License-Identifier: Apache-2.0
#include "platform/control/report_values.h"

#include <fmt/format.h>
#include <utility>

#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t most_slowest = 1000;
constexpr std::uint64_t most_requests = std::uint64_t{1} << 48;

std::uint64_t count_of_text(const std::string& text, std::uint64_t least, std::uint64_t most)
{
    value_spec spec;
    spec.kind = value_kind::count;
    spec.min = least;
    spec.max = most;
    return std::get<std::uint64_t>(parse_value(spec, {text}, false));
}

sim_time time_of_text(const std::string& text, std::uint64_t least_ps)
{
    value_spec spec;
    spec.kind = value_kind::time;
    spec.min = least_ps;
    return std::get<sim_time>(parse_value(spec, {text}, false));
}

/// A..B; throws when there is no such thing.
std::pair<std::string, std::string> range_of(const std::string& form, const std::string& text)
{
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) {
        throw value_error(fmt::format("'{}={}' is no range", form, text),
                          fmt::format("write for example {}",
                                      form == "time" ? "time=1ms..2ms" : "requests=0..1000"));
    }
    return {text.substr(0, dots), text.substr(dots + 2)};
}

void check_order(bool ordered, const std::string& text)
{
    if (!ordered) {
        throw value_error(fmt::format("'{}' ends before it has begun", text),
                          "write the lower value first");
    }
}

} // namespace

sim_time interval_of(const std::string& text)
{
    return time_of_text(text, 1000);
}

timeline_window window_of(const std::string& text)
{
    const std::size_t equals = text.find('=');
    const std::string form = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    timeline_window w;
    if (form == "requests") {
        const auto [first, last] = range_of(form, value);
        w.first = count_of_text(first, 0, most_requests);
        w.last = count_of_text(last, 1, most_requests);
        check_order(w.first < w.last, text);
    } else if (form == "time") {
        const auto [begin, end] = range_of(form, value);
        w.kind = window_kind::time;
        w.begin = time_of_text(begin, 0);
        w.end = time_of_text(end, 1);
        check_order(w.begin < w.end, text);
    } else if (form == "slowest") {
        w.kind = window_kind::slowest;
        w.slowest = count_of_text(value, 1, most_slowest);
    } else {
        throw value_error(fmt::format("'{}' is no window", text),
                          fmt::format("write {}", window_forms));
    }
    return w;
}

trace_window trace_window_of(const std::string& text)
{
    return text == "measured" ? measured_window() : window_of(text);
}

} // namespace ssdvp::platform
