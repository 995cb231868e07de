// SPDX-License-Identifier: Apache-2.0
//
// What firmware has told the look-up engine of its map.
#pragma once

#include <cstdint>

#include "models/regs/nvme_fe_regs.h"

namespace ssdvp::nvme {

struct lookup_registers {
    std::uint32_t control = 0, format = 0, address = 0, pages = 0, units = 0;
    std::uint64_t map = 0, state = 0, marks = 0, data = 0; // controller addresses
    std::uint32_t reads = 0, sectors = 0;

    [[nodiscard]] bool enabled() const { return (control & FE_LOOKUP_CONTROL_ENABLE) != 0; }
    [[nodiscard]] std::uint32_t unit_shift() const { return format & FE_LOOKUP_FORMAT_UNIT_MASK; }
    [[nodiscard]] std::uint32_t page_shift() const
    {
        return (format & FE_LOOKUP_FORMAT_PAGE_MASK) >> FE_LOOKUP_FORMAT_PAGE_SHIFT;
    }
    [[nodiscard]] std::uint32_t entry_shift() const
    {
        return (format & FE_LOOKUP_FORMAT_ENTRY_MASK) >> FE_LOOKUP_FORMAT_ENTRY_SHIFT;
    }
    [[nodiscard]] std::uint32_t plane_shift() const
    {
        return address & FE_LOOKUP_ADDRESS_PLANE_MASK;
    }
    [[nodiscard]] std::uint32_t lun_shift() const
    {
        return (address & FE_LOOKUP_ADDRESS_LUN_MASK) >> FE_LOOKUP_ADDRESS_LUN_SHIFT;
    }
    [[nodiscard]] std::uint32_t row_shift() const
    {
        return (address & FE_LOOKUP_ADDRESS_ROW_MASK) >> FE_LOOKUP_ADDRESS_ROW_SHIFT;
    }
    /// Registers without a function beside their value. False: none of them.
    [[nodiscard]] bool read(std::uint32_t offset, std::uint32_t& value) const;
    bool write(std::uint32_t offset, std::uint32_t value);
};

} // namespace ssdvp::nvme
