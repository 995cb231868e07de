// SPDX-License-Identifier: Apache-2.0
//
// The boot parameter block that firmware reads at the start of SRAM.
#pragma once

#include <vector>

#include "platform/config/config.h"

struct boot_params;

namespace ssdvp::platform {

/// The end of DRAM that firmware does not get: where the platform lays data for preconditioning.
constexpr std::uint64_t service_buffer_size = 128 * 1024;
/// Its offset in DRAM's window, whose part that is on the chip lies before it.
[[nodiscard]] constexpr std::uint64_t service_buffer(const ssd_config& config)
{
    return config.dram.capacity + config.dram.on_chip_size - service_buffer_size;
}
/// Bytes of SRAM in its own window: what the map has of it lies in DRAM's.
[[nodiscard]] constexpr std::uint64_t sram_window(const ssd_config& config)
{
    return config.sram_size - config.dram.on_chip_size;
}

/// BOOT_ROLE_* of each core.
[[nodiscard]] std::vector<std::uint32_t> roles_of_cores(const ssd_config& config);
/// What the firmware of this partition finds; of a drive that is not divided, of all of it.
[[nodiscard]] boot_params make_boot_params(const ssd_config& config, std::uint32_t partition = 0);

} // namespace ssdvp::platform
