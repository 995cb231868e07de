// SPDX-License-Identifier: Apache-2.0
//
// The windows to queues, vectors and namespaces, and the registers of features.
#include "models/nvme/windows.h"

#include "models/common/register_access.h"
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

/// False: no such register.
bool front_end::window_read(std::uint32_t offset, std::uint32_t& value)
{
    switch (offset) {
    case FE_REG_Q_ID:
        value = m_window.id;
        break;
    case FE_REG_Q_BASE_LO:
    case FE_REG_Q_BASE_HI:
        value = half_of(m_window.base, offset == FE_REG_Q_BASE_HI);
        break;
    case FE_REG_Q_SIZE:
        value = m_window.size;
        break;
    case FE_REG_Q_CQID:
        value = m_window.cq;
        break;
    case FE_REG_Q_VECTOR:
        value = m_window.vector;
        break;
    case FE_REG_Q_PRIORITY:
        value = m_window.priority;
        break;
    case FE_REG_Q_COMMAND:
        value = 0; // commands take no time
        break;
    case FE_REG_Q_STATE:
        value = queue_state();
        break;
    default:
        return feature_read(offset, value);
    }
    return true;
}

bool front_end::feature_read(std::uint32_t offset, std::uint32_t& value)
{
    switch (offset) {
    case FE_REG_ARBITRATION:
        value = m_window.arbitration;
        break;
    case FE_REG_COALESCING:
        value = m_window.coalescing;
        break;
    case FE_REG_VEC_ID:
        value = m_window.vec_id;
        break;
    case FE_REG_VEC_CONTROL:
        value = m_window.vec_id < m_msix.size() && m_msix[m_window.vec_id].never_waits
                    ? FE_VEC_CONTROL_CD
                    : 0;
        break;
    case FE_REG_DOORBELL_ERROR:
        value = m_doorbell_error;
        break;
    case FE_REG_NS_ID:
        value = m_window.ns_id;
        break;
    case FE_REG_NS_FORMAT:
        value = m_window.format_of(m_window.ns_id);
        break;
    default:
        return false;
    }
    return true;
}

void front_end::write_window(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_Q_ID:
        m_window.id = value;
        break;
    case FE_REG_Q_BASE_LO:
    case FE_REG_Q_BASE_HI:
        m_window.base = with_half(m_window.base, value, offset == FE_REG_Q_BASE_HI);
        break;
    case FE_REG_Q_SIZE:
        m_window.size = value;
        break;
    case FE_REG_Q_CQID:
        m_window.cq = value;
        break;
    case FE_REG_Q_VECTOR:
        m_window.vector = value;
        break;
    case FE_REG_Q_PRIORITY:
        m_window.priority = value & FE_Q_PRIORITY_CLASS_MASK;
        break;
    case FE_REG_Q_COMMAND:
        queue_command(value);
        break;
    default:
        write_feature(offset, value);
    }
}

void front_end::write_feature(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_ARBITRATION:
        m_window.arbitration = value & (FE_ARBITRATION_AB_MASK | FE_ARBITRATION_LPW_MASK |
                                        FE_ARBITRATION_MPW_MASK | FE_ARBITRATION_HPW_MASK);
        m_arbiter.configure(m_window.arbitration);
        break;
    case FE_REG_COALESCING:
        m_window.coalescing = value & (FE_COALESCING_THR_MASK | FE_COALESCING_TIME_MASK);
        break;
    case FE_REG_VEC_ID:
        m_window.vec_id = value;
        break;
    case FE_REG_VEC_CONTROL:
        if (m_window.vec_id < m_msix.size()) {
            m_msix[m_window.vec_id].never_waits = (value & FE_VEC_CONTROL_CD) != 0;
        } else {
            wrong_window(offset, value);
        }
        break;
    case FE_REG_NS_ID:
        m_window.ns_id = value;
        break;
    case FE_REG_NS_FORMAT:
        if (m_window.ns_id != 0 && m_window.ns_id <= namespaces_max) {
            m_window.formats[m_window.ns_id] =
                value & (FE_NS_FORMAT_SHIFT_MASK | FE_NS_FORMAT_METADATA_MASK |
                         FE_NS_FORMAT_EXTENDED | FE_NS_FORMAT_PROTECTED);
        } else {
            wrong_window(offset, value);
        }
        break;
    default: // read-only
        break;
    }
}

/// A controller reset brings the values of features back; formats stay, as namespaces do.
void front_end::reset_features()
{
    m_window.arbitration = FE_ARBITRATION_RESET;
    m_window.coalescing = 0;
    m_arbiter.configure(m_window.arbitration);
}

std::uint32_t front_end::queue_state() const
{
    if (m_window.id >= m_sqs.size()) {
        return 0;
    }
    const completion_queue& cq = m_cqs[m_window.id];
    std::uint32_t state = m_sqs[m_window.id].exists ? FE_Q_STATE_SQ : 0u;
    if (cq.exists) {
        state |= FE_Q_STATE_CQ | (std::uint32_t{cq.submission_queues} << FE_Q_STATE_BOUND_SHIFT);
    }
    return state;
}

} // namespace ssdvp::nvme
