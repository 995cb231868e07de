// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/lookup_registers.h"

#include "models/common/register_access.h"

namespace ssdvp::nvme {

bool lookup_registers::read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case FE_REG_LOOKUP_CONTROL:
        value = control;
        break;
    case FE_REG_LOOKUP_FORMAT:
        value = format;
        break;
    case FE_REG_LOOKUP_ADDRESS:
        value = address;
        break;
    case FE_REG_LOOKUP_PAGES:
        value = pages;
        break;
    case FE_REG_LOOKUP_UNITS:
        value = units;
        break;
    case FE_REG_LOOKUP_MAP_LO:
    case FE_REG_LOOKUP_MAP_HI:
        value = half_of(map, offset == FE_REG_LOOKUP_MAP_HI);
        break;
    case FE_REG_LOOKUP_STATE_LO:
    case FE_REG_LOOKUP_STATE_HI:
        value = half_of(state, offset == FE_REG_LOOKUP_STATE_HI);
        break;
    case FE_REG_LOOKUP_MARKS_LO:
    case FE_REG_LOOKUP_MARKS_HI:
        value = half_of(marks, offset == FE_REG_LOOKUP_MARKS_HI);
        break;
    case FE_REG_LOOKUP_DATA_LO:
    case FE_REG_LOOKUP_DATA_HI:
        value = half_of(data, offset == FE_REG_LOOKUP_DATA_HI);
        break;
    case FE_REG_LOOKUP_READS:
        value = reads;
        break;
    case FE_REG_LOOKUP_SECTORS:
        value = sectors;
        break;
    default:
        return false;
    }
    return true;
}

bool lookup_registers::write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_LOOKUP_CONTROL:
        control = value & (FE_LOOKUP_CONTROL_ENABLE | FE_LOOKUP_CONTROL_MODE_MASK);
        break;
    case FE_REG_LOOKUP_FORMAT:
        format = value & (FE_LOOKUP_FORMAT_UNIT_MASK | FE_LOOKUP_FORMAT_PAGE_MASK |
                          FE_LOOKUP_FORMAT_ENTRY_MASK);
        break;
    case FE_REG_LOOKUP_ADDRESS:
        address = value & (FE_LOOKUP_ADDRESS_PLANE_MASK | FE_LOOKUP_ADDRESS_LUN_MASK |
                           FE_LOOKUP_ADDRESS_ROW_MASK);
        break;
    case FE_REG_LOOKUP_PAGES:
        pages = value;
        break;
    case FE_REG_LOOKUP_UNITS:
        units = value;
        break;
    case FE_REG_LOOKUP_MAP_LO:
    case FE_REG_LOOKUP_MAP_HI:
        map = with_half(map, value, offset == FE_REG_LOOKUP_MAP_HI);
        break;
    case FE_REG_LOOKUP_STATE_LO:
    case FE_REG_LOOKUP_STATE_HI:
        state = with_half(state, value, offset == FE_REG_LOOKUP_STATE_HI);
        break;
    case FE_REG_LOOKUP_MARKS_LO:
    case FE_REG_LOOKUP_MARKS_HI:
        marks = with_half(marks, value, offset == FE_REG_LOOKUP_MARKS_HI);
        break;
    case FE_REG_LOOKUP_DATA_LO:
    case FE_REG_LOOKUP_DATA_HI:
        data = with_half(data, value, offset == FE_REG_LOOKUP_DATA_HI);
        break;
    default:
        return false;
    }
    return true;
}

} // namespace ssdvp::nvme
