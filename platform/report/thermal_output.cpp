// SPDX-License-Identifier: Apache-2.0
#include "platform/report/thermal_output.h"

#include <cmath>
#include <fmt/format.h>

#include "platform/report/format.h"
#include "platform/report/json_numbers.h"

namespace ssdvp::platform {

namespace json = boost::json;

namespace {

json::object sensor_section(double now, double max)
{
    const auto shown = [](double celsius) { return std::round(celsius * 1000.0) / 1000.0; };
    return {{"end", shown(now)}, {"max", shown(max)}};
}

std::string sensor_text(double now, double max)
{
    return fmt::format("{:.1f} C at the end, {:.1f} C at most", now, max);
}

} // namespace

json::object thermal_section(const thermal::thermal_stats& t)
{
    const auto shown = [](double joules) { return std::round(joules * 1e9) / 1e9; };
    json::object o;
    o["composite_c"] = sensor_section(t.composite, t.composite_max);
    o["controller_c"] = sensor_section(t.controller, t.controller_max);
    o["nand_c"] = sensor_section(t.nand, t.nand_max);
    o["heat_j"] = {
        {"taken", shown(t.taken)}, {"stored", shown(t.stored)}, {"given_off", shown(t.given_off)}};
    o["light"] = {{"entries", t.entries[1]}, {"time_ns", ns(t.time[1])}};
    o["heavy"] = {{"entries", t.entries[2]}, {"time_ns", ns(t.time[2])}};
    o["stopped"] = {{"entries", t.entries[3]}, {"time_ns", ns(t.time[3])}};
    return o;
}

std::vector<std::pair<std::string, std::string>> thermal_rows(const thermal::thermal_stats& t)
{
    std::vector<std::pair<std::string, std::string>> rows;
    rows.emplace_back("drive", sensor_text(t.composite, t.composite_max));
    rows.emplace_back("controller", sensor_text(t.controller, t.controller_max));
    rows.emplace_back("NAND", sensor_text(t.nand, t.nand_max));
    rows.emplace_back("heat", fmt::format("{} taken, {} stored, {} given off", text_energy(t.taken),
                                          text_energy(t.stored), text_energy(t.given_off)));
    rows.emplace_back("throttled",
                      fmt::format("light {}, heavy {}, stopped {}", text_time(t.time[1]),
                                  text_time(t.time[2]), text_time(t.time[3])));
    return rows;
}

} // namespace ssdvp::platform
