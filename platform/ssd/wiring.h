// SPDX-License-Identifier: Apache-2.0
//
// Places on the crossbar, and how a DMA master is bound.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

// Windows of the address map, in the order of address_map().
enum window_index : std::size_t {
    WINDOW_SRAM,
    WINDOW_DRAM,
    WINDOW_HOST,
    WINDOW_IRQ,
    WINDOW_TIMER,
    WINDOW_NOR,
    WINDOW_THERMAL,
    WINDOW_NOR_CODE,
    WINDOW_CHANNEL0
};
// Masters of the crossbar; channel n is MASTER_CHANNEL0 + n, behind them cores 1, 2, ...
enum master_index : std::size_t { MASTER_CORE, MASTER_HOST, MASTER_CHANNEL0 };

template <typename From, typename To>
void ssd::bind_dma(From& from, To& to, const std::string& name)
{
    if (!m_options.check_protocol) {
        from.bind(to);
        return;
    }
    m_checkers.push_back(std::make_unique<at_checker>(name.c_str(), &m_faults));
    from.bind(m_checkers.back()->in);
    m_checkers.back()->out.bind(to);
}

/// Where so many bytes of code lie: at the end of the memory that has them. Throws firmware_error
/// when it is too small.
[[nodiscard]] std::uint64_t code_address(const ssd_config& config, std::uint32_t bytes);

/// What firmware may point devices to: DRAM ends where the platform's part begins.
[[nodiscard]] dma_memory memory_of(const ssd_config& config);

// What stands between host and firmware: one pair of the four (interface.cpp).
std::unique_ptr<pcie::link> make_pcie_link(const ssd_config& config);
std::unique_ptr<nvme::front_end> make_nvme(const ssd_config& config, latency_ledger& ledger,
                                           fault_log& faults, nvme::command_watch* watch);
std::unique_ptr<sata::link> make_sata_link(const ssd_config& config);
std::unique_ptr<sata::front_end> make_sata(const ssd_config& config, latency_ledger& ledger,
                                           fault_log& faults, sata::command_watch* watch);

} // namespace ssdvp::platform
