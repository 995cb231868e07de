// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/windows.h"

#include "models/common/register_access.h"

namespace ssdvp::nvme {

bool window_registers::read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case FE_REG_Q_ID:
        value = id;
        break;
    case FE_REG_Q_BASE_LO:
    case FE_REG_Q_BASE_HI:
        value = half_of(base, offset == FE_REG_Q_BASE_HI);
        break;
    case FE_REG_Q_SIZE:
        value = size;
        break;
    case FE_REG_Q_CQID:
        value = cq;
        break;
    case FE_REG_Q_VECTOR:
        value = vector;
        break;
    case FE_REG_Q_PRIORITY:
        value = priority;
        break;
    case FE_REG_VEC_ID:
        value = vec_id;
        break;
    case FE_REG_NS_ID:
        value = ns_id;
        break;
    case FE_REG_NS_FORMAT:
        value = format_of(ns_id);
        break;
    case FE_REG_LBA_SHIFT:
        value = lba_shift;
        break;
    case FE_REG_MDTS:
        value = mdts;
        break;
    case FE_REG_ARBITRATION:
        value = arbitration;
        break;
    default:
        return false;
    }
    return true;
}

bool window_registers::write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_Q_ID:
        id = value;
        break;
    case FE_REG_Q_BASE_LO:
    case FE_REG_Q_BASE_HI:
        base = with_half(base, value, offset == FE_REG_Q_BASE_HI);
        break;
    case FE_REG_Q_SIZE:
        size = value;
        break;
    case FE_REG_Q_CQID:
        cq = value;
        break;
    case FE_REG_Q_VECTOR:
        vector = value;
        break;
    case FE_REG_Q_PRIORITY:
        priority = value & FE_Q_PRIORITY_CLASS_MASK;
        break;
    case FE_REG_VEC_ID:
        vec_id = value;
        break;
    case FE_REG_NS_ID:
        ns_id = value;
        break;
    case FE_REG_NS_FORMAT:
        if (ns_id == 0 || ns_id > namespaces_max) {
            return false;
        }
        formats[ns_id] = value & (FE_NS_FORMAT_SHIFT_MASK | FE_NS_FORMAT_METADATA_MASK |
                                  FE_NS_FORMAT_EXTENDED | FE_NS_FORMAT_PROTECTED);
        break;
    case FE_REG_LBA_SHIFT:
        lba_shift = value;
        break;
    default:
        return false;
    }
    return true;
}

} // namespace ssdvp::nvme
