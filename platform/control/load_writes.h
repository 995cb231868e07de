// SPDX-License-Identifier: Apache-2.0
//
// Which units the writes of the load bring to the flash, in what order: those that its streams
// write, less those that are written again while the write buffer still has them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "platform/control/overwrites.h"

namespace ssdvp::platform {

class load_writes {
public:
    load_writes(const ssd_config& config, std::uint64_t filled);
    /// The next unit that leaves the buffer.
    std::uint64_t next();

private:
    struct slot {
        std::uint64_t unit;
        std::uint32_t before, behind; // in a ring: the least recently used one behind slot 0
    };
    void unlink(std::uint32_t i);
    void link_last(std::uint32_t i);

    overwrites m_addresses;
    std::size_t m_room; // units that stay
    boost::unordered_flat_map<std::uint64_t, std::uint32_t> m_found;
    std::vector<slot> m_slots; // 0: the head of the ring
};

} // namespace ssdvp::platform
