// SPDX-License-Identifier: Apache-2.0
#include "platform/control/beside_ideal.h"

#include "platform/control/rerun.h"

namespace ssdvp::platform {

ideal_run beside_ideal(const command_line& line, const std::filesystem::path& directory)
{
    return figures_of(rerun(line, directory, {"--beside-ideal", "run.ideal", "firmware", "ideal"}));
}

} // namespace ssdvp::platform
