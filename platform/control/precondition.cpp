// SPDX-License-Identifier: Apache-2.0
#include "platform/control/precondition.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fmt/format.h>

#include "models/common/rng.h"
#include "models/host/shadow/shadow.h"
#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint32_t batch_units = 32;           // at most: fewer when they are large
constexpr std::uint64_t random_stream = 0x70726563; // keeps its numbers apart from the workload's
constexpr std::uint64_t progress_every = 1024;      // batches

/// Gathers units into batches in the drive's service buffer and hands them to firmware.
class batch_writer {
public:
    batch_writer(ssd& drive, const address_function& address)
        : m_drive(drive), m_address(address), m_unit(drive.config().ftl.map_unit),
          m_batch(std::min(batch_units, static_cast<std::uint32_t>(service_buffer_size / m_unit))),
          m_buffer(service_buffer(drive.config()))
    {}

    void add(std::uint64_t unit)
    {
        m_units[m_count] = unit;
        fill(unit, m_drive.dram().data() + m_buffer + std::uint64_t{m_count} * m_unit);
        if (++m_count == m_batch) {
            flush();
        }
    }

    void flush()
    {
        if (m_count == 0) {
            return;
        }
        const int status =
            m_drive.firmware().precondition(m_units.data(), m_count, MAP_DRAM_BASE + m_buffer);
        if (status != FLASH_STATUS_OK) {
            throw precondition_error(
                fmt::format("preconditioning failed with flash status {}: the firmware "
                            "could not write unit {}; is the drive worn out?",
                            status, m_units[0]));
        }
        m_count = 0;
    }

private:
    // Preconditioned sectors carry version 1.
    void fill(std::uint64_t unit, unsigned char* to) const
    {
        const data_mode mode = m_drive.config().data;
        const std::uint64_t first = unit * m_unit / sector_size;
        for (std::uint32_t i = 0; mode != data_mode::none && i < m_unit / sector_size; ++i) {
            unsigned char* sector = to + std::uint64_t{i} * sector_size;
            const std::uint64_t tag = make_tag(m_address(first + i), 1);
            if (mode == data_mode::full) {
                host::shadow::fill_sector(sector, tag);
            } else {
                std::memcpy(sector, &tag, tag_size);
            }
        }
    }

    ssd& m_drive;
    const address_function& m_address;
    std::uint32_t m_unit;
    std::uint32_t m_batch;  // units that the buffer holds
    std::uint64_t m_buffer; // offset in DRAM, of service_buffer_size bytes
    std::array<std::uint64_t, batch_units> m_units{};
    std::uint32_t m_count = 0;
};

std::uint64_t share_of_units(const ssd_config& config, double share)
{
    return static_cast<std::uint64_t>(static_cast<double>(user_units(config)) * share);
}

std::uint64_t programmed_pages(const ssd& drive)
{
    return drive.read().flash.programs;
}

} // namespace

std::uint64_t units_to_fill(const ssd_config& config)
{
    return std::min(user_units(config), share_of_units(config, config.precondition.fill));
}

std::uint64_t units_to_overwrite(const ssd_config& config)
{
    return units_to_fill(config) == 0 ? 0 : share_of_units(config, config.precondition.overwrite);
}

precondition_result precondition(ssd& drive, const std::function<void(double share)>& progress,
                                 const std::function<bool()>& interrupted,
                                 const address_function& address)
{
    const ssd_config& config = drive.config();
    const std::uint64_t fill = units_to_fill(config);
    const std::uint64_t overwrites = units_to_overwrite(config);
    precondition_result result;
    if (fill + overwrites == 0) {
        return result;
    }
    if (!drive.firmware().can_precondition()) {
        throw precondition_error(
            "this firmware image cannot precondition; set precondition.fill=0 and "
            "precondition.overwrite=0, or add the entry to its firmware_image");
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t pages_before = programmed_pages(drive);
    drive.set_functional(true);
    drive.open_service_buffer(true);
    batch_writer writer(drive, address);
    rng random(config.run.seed, random_stream);
    // Overwrites go to what is filled: the rest of the drive stays fresh.
    for (std::uint64_t n = 0; n < fill + overwrites && !result.interrupted; ++n) {
        writer.add(n < fill ? n : random.below(fill));
        ++result.units_written;
        if (n % (batch_units * progress_every) == 0) {
            progress(static_cast<double>(n) / static_cast<double>(fill + overwrites));
        }
        result.interrupted = n % batch_units == 0 && interrupted();
    }
    writer.flush();
    drive.firmware().precondition_end();
    drive.open_service_buffer(false);
    drive.set_functional(false);
    result.units_filled = std::min(fill, result.units_written);
    result.pages = programmed_pages(drive) - pages_before;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace ssdvp::platform
