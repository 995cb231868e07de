// SPDX-License-Identifier: Apache-2.0
#include "platform/control/beside_ideal.h"

#include "platform/control/rerun.h"

namespace ssdvp::platform {

beside_ideal_run beside_ideal(const command_line& line, const std::filesystem::path& directory)
{
    const bool costs_only = !line.states.load.empty() || !line.firmware.empty();
    return {figures_of(
                rerun(line, directory,
                      {"--beside-ideal", "run.ideal", costs_only ? "costs" : "firmware", "ideal"})),
            costs_only};
}

} // namespace ssdvp::platform
