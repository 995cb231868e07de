// SPDX-License-Identifier: Apache-2.0
#include "platform/ssd/core_places.h"

#include <spdlog/spdlog.h>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

void tell_cores(ssd& drive)
{
    for (std::size_t i = 0; i < drive.cores(); ++i) {
        firmware_program& p = drive.program(i);
        spdlog::warn("  {} {}", p.core().name(), p.doing());
    }
}

} // namespace ssdvp::platform
