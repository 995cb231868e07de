// SPDX-License-Identifier: Apache-2.0
//
// Registers that firmware fills before a command, or selects by a number, and those that hold what
// the host's commands are decoded by.
#pragma once

#include <array>
#include <cstdint>

#include "models/regs/nvme_fe_regs.h"

namespace ssdvp::nvme {

constexpr std::uint32_t namespaces_max = 64; // with a format of their own

struct window_registers {
    std::uint32_t id = 0, size = 0, cq = 0, vector = 0, priority = 0; // queue window
    std::uint64_t base = 0;
    std::uint32_t vec_id = 0; // vector window
    std::uint32_t ns_id = 0;  // namespace window
    std::array<std::uint32_t, namespaces_max + 1> formats{};
    std::uint32_t lba_shift = FE_LBA_SHIFT_RESET;
    std::uint32_t mdts = FE_MDTS_RESET; // bytes
    std::uint32_t arbitration = FE_ARBITRATION_RESET;

    /// Registers without a function beside their value. False: none of them.
    [[nodiscard]] bool read(std::uint32_t offset, std::uint32_t& value) const;
    /// The same. False: none of them, or a value that goes nowhere.
    bool write(std::uint32_t offset, std::uint32_t value);

    /// FE_REG_NS_FORMAT; of a namespace beyond the window 0.
    [[nodiscard]] std::uint32_t format_of(std::uint32_t nsid) const
    {
        return nsid <= namespaces_max ? formats[nsid] : 0;
    }
};

} // namespace ssdvp::nvme
