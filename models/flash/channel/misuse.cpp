// SPDX-License-Identifier: Apache-2.0
//
// What firmware does wrongly to a channel, by name: registers, descriptors, addresses.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "models/flash/channel/controller.h"
#include "models/regs/memory_map.h"

namespace ssdvp::flash {

/// The register as the core addresses it: whoever wrote it last ordered this.
std::uint64_t controller::address_of(std::uint32_t offset) const
{
    return MAP_CHANNEL_BASE + m_environment.channel.value() * MAP_CHANNEL_SIZE + offset;
}

void controller::refuse_write(std::uint32_t offset, std::uint32_t value)
{
    if (m_environment.faults != nullptr) {
        m_environment.faults->misuse(name(), address_of(offset),
                                     [&] { return m_rings.refusal(offset, value); });
    }
}

void controller::head_beyond(std::uint32_t head)
{
    if (m_environment.faults != nullptr) {
        m_environment.faults->misuse(name(), address_of(CHANNEL_REG_CQ_HEAD), [&] {
            return fmt::format("CQ_HEAD does not take {}: {}", head, m_rings.unread());
        });
    }
}

/// Of a list, only its entries are left to be looked at.
bool controller::bad_descriptor(const flash_desc& d)
{
    const dma_memory& reach = m_functional ? m_everywhere : m_environment.memory;
    const char* error = descriptor_error(d, m_config, reach);
    std::optional<dma::list_entry> entry;
    if (error == nullptr && (d.flags & FLASH_FLAG_SG) != 0 && d.length != 0) {
        entry = m_dma.wrong_entry(d, reach);
    }
    if (error == nullptr && !entry) {
        return false;
    }
    if (m_environment.faults != nullptr) {
        m_environment.faults->misuse(name(), address_of(CHANNEL_REG_SQ_TAIL), [&] {
            const std::string what =
                entry ? fmt::format("entry {} of the list at buffer {:#x} is {:#x}: {}",
                                    entry->index, d.buffer, entry->address,
                                    entry->address % dma_alignment != 0
                                        ? "address that is not a multiple of 8"
                                        : "not SRAM or DRAM of firmware's")
                      : describe_error(d, error);
            return fmt::format("bad descriptor {} of the submission ring: {} ({})", m_rings.taken(),
                               what, describe(d));
        });
    }
    return true;
}

std::optional<dma::list_entry> dma::wrong_entry(const flash_desc& d, const dma_memory& memory)
{
    const std::uint64_t bytes = std::uint64_t{planes_of(d).size()} * d.length;
    const std::uint64_t entries = (bytes + d.sg_unit - 1) / d.sg_unit;
    const auto* list = reinterpret_cast<const std::uint64_t*>(
        direct(d.buffer, entries * sizeof(std::uint64_t), "buffer (a list)"));
    for (std::uint64_t i = 0; list != nullptr && i < entries; ++i) {
        const std::uint64_t length = std::min<std::uint64_t>(d.sg_unit, bytes - i * d.sg_unit);
        if (list[i] % dma_alignment != 0 || !memory.holds(list[i], length)) {
            return list_entry{static_cast<std::uint32_t>(i), list[i]};
        }
    }
    return std::nullopt;
}

void dma::refused(const char* field, std::uint64_t address, std::uint64_t length)
{
    if (m_faults != nullptr) {
        const bool at_once = field == std::string_view("SQ_BASE");
        m_faults->misuse(m_who.c_str(), at_once ? m_order : 0, [&] {
            return fmt::format("{}: no SRAM or DRAM takes the {} bytes at address {:#x}", field,
                               length, address);
        });
    }
}

} // namespace ssdvp::flash
