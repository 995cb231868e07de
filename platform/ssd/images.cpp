// SPDX-License-Identifier: Apache-2.0
//
// The boot loader's part of the drive: firmware images that the host downloaded start on the cores.
#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "models/regs/memory_map.h"
#include "platform/config/boot_block.h"
#include "platform/ssd/ssd.h"
#include "platform/ssd/wiring.h"

namespace ssdvp::platform {

namespace {

struct code_window {
    const char* name;
    std::uint64_t address;
    std::uint64_t bytes;
};

code_window window_of(const ssd_config& config)
{
    switch (config.cpu.icache.memory) {
    case cpu::code_memory::sram:
        return {"SRAM (sram.capacity)", MAP_SRAM_BASE, sram_window(config)};
    case cpu::code_memory::nor:
        return {"area of the boot flash", MAP_NOR_CODE_BASE, NOR_AREA_SIZE};
    case cpu::code_memory::dram:
        break;
    }
    return {"DRAM (dram.capacity)", MAP_DRAM_BASE, config.dram.capacity + config.dram.on_chip_size};
}

} // namespace

std::uint64_t code_address(const ssd_config& config, std::uint32_t bytes)
{
    constexpr std::uint64_t page = 4096; // a whole number of lines
    const code_window window = window_of(config);
    const std::uint64_t room = (std::uint64_t{bytes} + page - 1) / page * page;
    if (room > window.bytes) {
        throw firmware_error(fmt::format("cpu.icache.memory: {} bytes of code are more than the {} "
                                         "has; choose another memory, or give it more",
                                         bytes, window.name));
    }
    return window.address + window.bytes - room;
}

bool ssd::load(std::uint32_t area, const std::vector<unsigned char>& bytes)
{
    try {
        auto image = std::make_unique<loaded_firmware>(
            bytes, fmt::format("firmware image in area {} of the boot flash", area));
        if (std::max(image->image().cores, 1u) < m_cores.size()) {
            throw firmware_error(fmt::format("firmware {} does not run on {} cores",
                                             image->image().name, m_cores.size()));
        }
        (void)image->cost(m_config.cpu, m_options.profile);
        if (m_config.cpu.icache.cache.size != 0) {
            (void)code_address(m_config, image->code(m_config.cpu).bytes);
        }
        m_images[area].push_back(std::move(image));
        return true;
    } catch (const firmware_error& e) {
        spdlog::warn("{}: {}: the firmware that runs stays", name(), e.what());
        return false;
    }
}

/// What LUNs do ends, for they keep power.
bool ssd::stopped() const
{
    return !flash_works() &&
           std::none_of(m_cores.begin(), m_cores.end(), [](const auto& c) { return c->running(); });
}

void ssd::choose(std::uint32_t area)
{
    const loaded_firmware& next = area == NOR_AREA_BUILT_IN ? m_built_in : *m_images[area].back();
    for (std::size_t i = 0; i < m_cores.size(); ++i) {
        m_programs[i]->set_image(next.image());
        charge(*m_cores[i], next);
    }
}

bool ssd::restore_firmware(std::uint32_t area)
{
    if (!m_nor.restore_active(area)) {
        return false;
    }
    choose(area);
    return true;
}

void ssd::start(std::uint32_t area, bool warm)
{
    m_powered_since = now();
    choose(area);
    if (!warm) {
        m_irq.power_off(); // once more: of what the flash still did
        m_sram.power_off();
        m_dram.power_off();
        m_restarted = true;
        write_boot_block();
    }
    for (const auto& c : m_cores) {
        c->power_on();
    }
}

} // namespace ssdvp::platform
