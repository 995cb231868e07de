// SPDX-License-Identifier: Apache-2.0
#include "platform/control/unit_writer.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "models/host/shadow/shadow.h"
#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"

namespace ssdvp::platform {

unit_buffer::unit_buffer(ssd& drive, const address_function& address)
    : m_address(address), m_mode(drive.config().data), m_unit(drive.config().ftl.map_unit),
      m_data(drive.dram().data() + service_buffer(drive.config())),
      m_bus(MAP_DRAM_BASE + service_buffer(drive.config()))
{}

std::uint32_t unit_buffer::room() const
{
    return static_cast<std::uint32_t>(service_buffer_size / m_unit);
}

void unit_buffer::put(std::uint32_t place, std::uint64_t unit)
{
    unsigned char* to = m_data + std::uint64_t{place} * m_unit;
    const std::uint64_t sectors = m_unit / sector_size;
    const std::uint64_t first = unit * sectors;
    for (std::uint64_t i = 0; m_mode != data_mode::none && i < sectors; ++i, to += sector_size) {
        const std::uint64_t tag = make_tag(m_address ? m_address(first + i) : first + i, 1);
        if (m_mode == data_mode::full) {
            host::shadow::fill_sector(to, tag);
        } else {
            std::memcpy(to, &tag, tag_size);
        }
    }
}

void unit_buffer::clear(std::uint32_t place)
{
    std::memset(m_data + std::uint64_t{place} * m_unit, 0, m_unit);
}

batch_writer::batch_writer(firmware_program& firmware, unit_buffer& buffer)
    : m_firmware(firmware), m_buffer(buffer), m_names(std::min(unit_batch, buffer.room())),
      m_units(m_names.size())
{}

void batch_writer::flush()
{
    if (m_count == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < m_count; ++i) {
        m_buffer.put(i, m_names[i]);
    }
    const int status = m_firmware.precondition(m_units.data(), m_count, m_buffer.bus_address());
    if (status != FLASH_STATUS_OK) {
        throw precondition_error(
            fmt::format("preconditioning failed with flash status {}: the firmware "
                        "could not write unit {}; is the drive worn out, or too "
                        "small for the pages of its map (ftl.over_provisioning)?",
                        status, m_names[0]));
    }
    m_count = 0;
}

drive_writer::drive_writer(ssd& drive, unit_buffer& buffer) : m_map(drive.config())
{
    for (std::uint32_t p = 0; p < m_map.count(); ++p) {
        m_writers.emplace_back(drive.firmware(p), buffer);
    }
}

void drive_writer::flush()
{
    for (batch_writer& w : m_writers) {
        w.flush();
    }
}

} // namespace ssdvp::platform
