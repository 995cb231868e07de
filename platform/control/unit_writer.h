// SPDX-License-Identifier: Apache-2.0
//
// Units on their way to the firmware without simulated time: through the service buffer of the
// drive, in batches, to the partition that each belongs to.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/data_mode.h"
#include "platform/config/partition.h"
#include "platform/control/precondition.h"

namespace ssdvp::platform {

constexpr std::uint32_t unit_batch = 32; // at most: fewer when they are large

/// The service buffer of the drive, where firmware finds what units are to hold.
class unit_buffer {
public:
    unit_buffer(ssd& drive, const address_function& address);

    [[nodiscard]] std::uint64_t bus_address() const { return m_bus; }
    /// Units that it holds.
    [[nodiscard]] std::uint32_t room() const;
    /// Sectors that no host has written carry version 1.
    void put(std::uint32_t place, std::uint64_t unit);
    void clear(std::uint32_t place);

private:
    const address_function& m_address;
    data_mode m_mode;
    std::uint64_t m_unit;
    unsigned char* m_data;
    std::uint64_t m_bus;
};

/// Gathers the units of a partition into batches and hands them to its firmware.
class batch_writer {
public:
    batch_writer(firmware_program& firmware, unit_buffer& buffer);

    /// `unit` of the partition, which the drive knows by `name`.
    void add(std::uint64_t unit, std::uint64_t name)
    {
        m_names[m_count] = name;
        m_units[m_count] = unit;
        if (++m_count == m_units.size()) {
            flush();
        }
    }
    /// Throws precondition_error when the firmware finds no room.
    void flush();

private:
    firmware_program& m_firmware;
    unit_buffer& m_buffer;
    std::vector<std::uint64_t> m_names;
    std::vector<std::uint64_t> m_units;
    std::uint32_t m_count = 0;
};

/// Of all partitions.
class drive_writer {
public:
    drive_writer(ssd& drive, unit_buffer& buffer);
    void add(std::uint64_t unit)
    {
        const partition_unit u = m_map.local(unit);
        m_writers[u.partition].add(u.unit, unit);
    }
    void flush();

private:
    partition_map m_map;
    std::vector<batch_writer> m_writers;
};

} // namespace ssdvp::platform
