// SPDX-License-Identifier: Apache-2.0
#include "platform/control/beside_ideal.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "platform/control/rerun.h"

namespace ssdvp::platform {

ideal_run beside_ideal(const command_line& line, const std::filesystem::path& directory)
{
    const boost::json::value summary =
        rerun(line, directory, {"--beside-ideal", "run.ideal", "firmware", "ideal"});
    ideal_run run;
    for (std::size_t k = 0; k < host::request_kinds; ++k) {
        const std::string kind = fmt::format("/host/{}/", request_kind_names[k]);
        run[k].iops = number_at(summary, kind + "iops");
        for (std::size_t i = 0; i < ideal_figures.size(); ++i) {
            run[k].latency_ns[i] = number_at(summary, kind + "latency_ns/" + ideal_figures[i].name);
        }
    }
    return run;
}

} // namespace ssdvp::platform
