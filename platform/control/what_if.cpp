// SPDX-License-Identifier: Apache-2.0
#include "platform/control/what_if.h"

#include "platform/control/rerun.h"

namespace ssdvp::platform {

what_if_run what_if(const command_line& line, const std::filesystem::path& directory,
                    const better_part& tried)
{
    return {tried,
            figures_of(rerun(line, directory, {"--what-if", tried.key, tried.value, "what_if"}))};
}

} // namespace ssdvp::platform
