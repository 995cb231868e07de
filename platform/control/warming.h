// SPDX-License-Identifier: Apache-2.0
//
// A load changes the drive's state and takes no time: the map, what is valid where, wear, free
// space. Its writes go through a buffer as the drive has one, and from there to the firmware, which
// collects at the pace that it has beside a host.
#pragma once

#include <cstdint>

#include "platform/control/load_walk.h"
#include "platform/control/unit_writer.h"
#include "platform/control/write_buffer.h"

namespace ssdvp::platform {

class warming {
public:
    /// Precondition: the drive is idle, and what the load writes to is filled. `address` as of
    /// precondition().
    warming(ssd& drive, load_walk load, const address_function& address);

    /// The next requests of the load.
    void go_on(std::uint64_t requests);
    /// Requests so far.
    [[nodiscard]] std::uint64_t position() const { return m_load.position(); }
    /// How far the host's superblock is filled, from 0 to 1, less a constant.
    [[nodiscard]] double phase() const;
    /// Time may go on: firmware ends what it began. Returns the load from here on, behind a stream
    /// that fills the drive's buffer with what it would hold. Nothing else can be done with this
    /// object then.
    load_walk::sources end();
    /// Requests of that stream.
    [[nodiscard]] std::uint64_t held() const { return m_buffer.content().size(); }

private:
    void apply(const host::request& r);
    void to_flash(std::uint64_t unit);

    ssd& m_drive;
    load_walk m_load;
    write_buffer m_buffer;
    unit_buffer m_data;
    drive_writer m_writer;
    std::uint64_t m_unit_sectors;
    std::uint64_t m_superblock;  // units of those of all partitions
    std::uint64_t m_written = 0; // units to the flash
};

} // namespace ssdvp::platform
