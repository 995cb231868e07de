// SPDX-License-Identifier: Apache-2.0
#include "platform/report/power_output.h"

#include <cmath>
#include <fmt/format.h>

#include "platform/report/energy.h"
#include "platform/report/format.h"
#include "platform/report/json_numbers.h"

namespace ssdvp::platform {

namespace json = boost::json;

json::array power_state_section(const power_state_counts& p)
{
    json::array list;
    for (const power_state_statistics& s : p.states) {
        list.push_back(json::object{{"time_ns", ns(s.time)},
                                    {"asleep_ns", ns(s.asleep)},
                                    {"entries", s.entries},
                                    {"energy_j", std::round(joules(s.energy) * 1e12) / 1e12}});
    }
    return list;
}

std::vector<std::pair<std::string, std::string>> power_state_rows(const power_state_counts& p)
{
    std::vector<std::pair<std::string, std::string>> rows;
    for (std::size_t i = 0; i < p.states.size(); ++i) {
        const power_state_statistics& s = p.states[i];
        rows.emplace_back(fmt::format("state {}", i),
                          fmt::format("{} in all, {} asleep, entered {} times, {}",
                                      text_time(s.time), text_time(s.asleep), s.entries,
                                      text_energy(joules(s.energy))));
    }
    return rows;
}

} // namespace ssdvp::platform
