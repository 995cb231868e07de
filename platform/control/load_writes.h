// SPDX-License-Identifier: Apache-2.0
//
// Which units the writes of the load bring to the flash, in what order: those that its streams
// write, less those that are written again while the write buffer still has them.
#pragma once

#include <cstdint>

#include "platform/control/overwrites.h"
#include "platform/control/write_buffer.h"

namespace ssdvp::platform {

class load_writes {
public:
    load_writes(const ssd_config& config, std::uint64_t filled);
    /// The next unit that leaves the buffer.
    std::uint64_t next();

private:
    overwrites m_addresses;
    write_buffer m_buffer;
};

} // namespace ssdvp::platform
