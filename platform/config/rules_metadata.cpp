// SPDX-License-Identifier: Apache-2.0
//
// Rules of metadata: what a drive needs that is to keep them.
#include <fmt/format.h>

#include "platform/config/rules.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

void check_metadata(const raw_tree& raw, const ssd_config& c)
{
    constexpr std::uint64_t unit_least = 1024; // a block of 512 bytes, and as much beside it
    const rejection reject{raw};
    const char* const key = "host.nvme.metadata.bytes";
    if (c.driver.metadata.bytes == 0) {
        return;
    }
    if (c.data != data_mode::full) {
        reject(key, "the drive keeps metadata only where it keeps all bytes of the data",
               "use data: full");
    }
    if (c.precondition.fill > 0.0) {
        reject(key, "the format of the namespace would undo precondition.fill",
               "use precondition.fill: 0");
    }
    if (c.ftl.map_unit < unit_least) {
        reject(key,
               fmt::format("units of {} cannot hold a block with its metadata",
                           format_size(c.ftl.map_unit)),
               "use ftl.map_unit of 1KiB or more");
    }
}

} // namespace ssdvp::platform
