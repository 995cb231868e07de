// SPDX-License-Identifier: Apache-2.0
//
// Which units the load brings to the flash, in what order: those that its streams write, less those
// that are written again while the buffer still has them. Reads count on small drives, where the
// load has popular places: they use the buffer too, so what is popular stays for longer.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/config/config.h"
#include "platform/control/load_walk.h"
#include "platform/control/write_buffer.h"

namespace ssdvp::platform {

class load_writes {
public:
    /// Logical units [0, filled) hold data.
    load_writes(const ssd_config& config, std::uint64_t filled);
    /// The next unit that leaves the buffer.
    std::uint64_t next();

private:
    void draw();

    std::uint64_t m_filled;
    std::uint32_t m_unit_sectors;
    load_walk m_load;
    write_buffer m_buffer;
    bool m_writes = false;    // the last request does
    std::uint64_t m_next = 0; // units of it that are still to come
    std::uint64_t m_end = 0;
};

} // namespace ssdvp::platform
