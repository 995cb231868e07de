// SPDX-License-Identifier: Apache-2.0
//
// The registers that firmware sees: models/regs/nvme_fe_regs.h.
#include "models/common/register_access.h"
#include "models/nvme/front_end.h"
#include "models/regs/memory_map.h"

namespace ssdvp::nvme {

void front_end::regs_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!check_register_access(gp, MAP_NVME_SIZE)) {
        return;
    }
    const auto offset = static_cast<std::uint32_t>(gp.get_address());
    std::uint32_t value = 0;
    if (m_agenda.due()) {
        drain();
    }
    if (!register_read(offset, value)) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (gp.is_read()) {
        if (offset == FE_REG_CC) {
            m_cc_written = false;
        } else if (offset == FE_REG_DOORBELL_ERROR) {
            m_doorbell_error = 0;
        }
        set_register_value(gp, value);
        return;
    }
    value = register_value(gp);
    const bool late = delay != sc_core::SC_ZERO_TIME;
    if (offset == FE_REG_CMD_HEAD || offset == FE_REG_DONE_HEAD) {
        // Firmware has read these entries already, whatever its local time is: only a producer
        // that waits for room needs to wake at that time.
        write_head(offset, value);
        const bool waited_for = offset == FE_REG_CMD_HEAD ? m_unfetched != 0 : dones_wait();
        if (waited_for && late) {
            m_agenda.push(now() + sim_time::from_sc(delay),
                          {job_kind::register_write, 0, 0, 0, offset, value});
        } else if (waited_for) {
            register_write(offset, value);
        }
    } else if (late) {
        m_agenda.push(now() + sim_time::from_sc(delay),
                      {job_kind::register_write, 0, 0, 0, offset, value});
    } else {
        register_write(offset, value);
    }
    update_irq();
}

/// False: no such register.
bool front_end::register_read(std::uint32_t offset, std::uint32_t& value)
{
    switch (offset) {
    case FE_REG_INT_STATUS:
        value = conditions();
        break;
    case FE_REG_CC:
        value = m_reset_unseen ? m_cc & ~NVME_CC_EN : m_cc;
        break;
    case FE_REG_CSTS:
        value = m_csts;
        break;
    case FE_REG_LBA_SHIFT:
        value = m_lba_shift;
        break;
    case FE_REG_MDTS:
        value = m_mdts;
        break;
    case FE_REG_SLOTS:
        value = m_config.slots;
        break;
    case FE_REG_QUEUE_MAX:
        value = m_config.queue_pairs;
        break;
    case FE_REG_VECTORS:
        value = m_config.vectors;
        break;
    case FE_REG_QUEUE_ENTRIES:
        value = m_config.queue_entries;
        break;
    default:
        return ring_read(offset, value) || window_read(offset, value);
    }
    return true;
}

void front_end::register_write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_CMD_SIZE:
        ring_write(offset, value);
        fetch();
        break;
    case FE_REG_CMD_HEAD: // the head itself was written before
        fetch();
        break;
    case FE_REG_MOVE_TAIL:
        take_moves(value, [this](const fe_move& m) { move(m); });
        break;
    case FE_REG_DONE_HEAD:
        flush_done_backlog();
        break;
    case FE_REG_INT_ENABLE:
        enable(value);
        raise(conditions());
        break;
    case FE_REG_CSTS:
        write_csts(value);
        break;
    case FE_REG_LBA_SHIFT:
        m_lba_shift = value;
        break;
    case FE_REG_MDTS:
        m_mdts = value;
        reserve_maps();
        break;
    default:
        if (offset < FE_REG_INT_ENABLE) {
            ring_write(offset, value);
        } else {
            write_window(offset, value);
        }
    }
}

/// However briefly the host resets, firmware sees CC.EN 0 until it is ready no more.
void front_end::write_csts(std::uint32_t value)
{
    const bool was_unseen = m_reset_unseen;
    m_told_ready = (value & NVME_CSTS_RDY) != 0;
    m_reset_unseen = m_told_ready && (m_reset_unseen || (m_cc & NVME_CC_EN) == 0);
    if (was_unseen && !m_reset_unseen && (m_cc & NVME_CC_EN) != 0) {
        m_cc_written = true;
        raise(FE_INT_CC);
    }
    if (m_reset_unseen && (m_cc & NVME_CC_EN) != 0) {
        value &= ~NVME_CSTS_RDY; // of before the reset: there are no queues to be ready with
    }
    const bool rises = (m_csts & NVME_CSTS_RDY) == 0 && (value & NVME_CSTS_RDY) != 0;
    const bool ready = rises && !m_fatal;
    m_csts = m_fatal ? value | NVME_CSTS_CFS : value;
    m_csts &= rises && m_fatal ? ~NVME_CSTS_RDY : ~0u;
    m_ready_since = ready ? now() : m_ready_since;
    if (ready && (m_cc & NVME_CC_EN) != 0) {
        arm_admin_queues();
    }
}

std::uint32_t front_end::conditions() const
{
    std::uint32_t c = ring_conditions();
    c |= m_cc_written ? FE_INT_CC : 0;
    c |= m_doorbell_error != 0 ? FE_INT_DOORBELL : 0;
    return c;
}

} // namespace ssdvp::nvme
