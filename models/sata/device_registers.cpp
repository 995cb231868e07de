// SPDX-License-Identifier: Apache-2.0
//
// The registers that firmware sees: models/regs/sata_fe_regs.h.
#include "models/common/register_access.h"
#include "models/regs/memory_map.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

// The registers of the rings are those of front_end_base.
static_assert(SFE_REG_CMD_BASE_LO == FE_REG_CMD_BASE_LO && SFE_REG_CMD_HEAD == FE_REG_CMD_HEAD);
static_assert(SFE_REG_MOVE_BASE_LO == FE_REG_MOVE_BASE_LO);
static_assert(SFE_REG_MOVE_TAIL == FE_REG_MOVE_TAIL);
static_assert(SFE_REG_DONE_BASE_LO == FE_REG_DONE_BASE_LO);
static_assert(SFE_REG_DONE_HEAD == FE_REG_DONE_HEAD && SFE_CMD_SIZE_MIN == FE_CMD_SIZE_MIN);
static_assert(SFE_REG_INT_ENABLE == FE_REG_INT_ENABLE);
static_assert(SFE_INT_COMMAND == FE_INT_COMMAND && SFE_INT_DONE == FE_INT_DONE);
static_assert(SFE_INT_DONE_QUIET == FE_INT_DONE_QUIET);

void front_end::regs_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!check_register_access(gp, MAP_SATA_SIZE)) {
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
        if (offset == SFE_REG_LINK) {
            m_link_changed = false;
            m_shown = m_shown || (value & SFE_LINK_ENABLE) != 0;
        }
        set_register_value(gp, value);
        return;
    }
    value = register_value(gp);
    if (!write_early(offset, value)) {
        if (delay != sc_core::SC_ZERO_TIME) {
            m_agenda.push(now() + sim_time::from_sc(delay),
                          {job_kind::register_write, 0, 0, 0, offset, value});
        } else {
            register_write(offset, value);
        }
    }
    flush_bits();
    update_irq();
}

/// Heads: firmware has read these entries already, whatever its local time is. Only a producer that
/// waits for room needs to wake at that time. True: all is done.
bool front_end::write_early(std::uint32_t offset, std::uint32_t value)
{
    if (offset != SFE_REG_CMD_HEAD && offset != SFE_REG_DONE_HEAD) {
        return false;
    }
    write_head(offset, value);
    return offset == SFE_REG_CMD_HEAD || !dones_wait();
}

/// False: no such register.
bool front_end::register_read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case SFE_REG_INT_STATUS:
        value = conditions();
        break;
    case SFE_REG_LINK:
        value = (m_phy && !m_srst && !m_resetting ? SFE_LINK_ENABLE : 0u) |
                (m_hard ? SFE_LINK_HARD : 0u);
        break;
    case SFE_REG_READY:
        value = m_ready;
        break;
    case SFE_REG_OPTIONS:
        value = m_options;
        break;
    case SFE_REG_MDTS:
        value = m_mdts;
        break;
    case SFE_REG_SLOTS:
        value = slots;
        break;
    case SFE_REG_SPEED:
        value = link->generation() << SFE_SPEED_GENERATION_SHIFT;
        break;
    case SFE_REG_QUEUE_ERROR:
        value = m_error.word;
        break;
    case SFE_REG_ERROR_LBA_LO:
    case SFE_REG_ERROR_LBA_HI:
        value = half_of(m_error.lba, offset == SFE_REG_ERROR_LBA_HI);
        break;
    default:
        return ring_read(offset, value);
    }
    return true;
}

void front_end::register_write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case SFE_REG_MOVE_TAIL:
        take_moves(value, [this](const fe_move& m) { move(m); });
        flush_bits();
        break;
    case SFE_REG_DONE_HEAD: // the head itself was written before
        flush_done_backlog();
        break;
    case SFE_REG_INT_ENABLE:
        enable(value & (SFE_INT_COMMAND | SFE_INT_DONE | SFE_INT_DONE_QUIET | SFE_INT_LINK));
        raise(conditions());
        break;
    case SFE_REG_READY:
        write_ready(value);
        break;
    case SFE_REG_OPTIONS:
        m_options = value & SFE_OPTIONS_AUTO_ACTIVATE;
        break;
    case SFE_REG_MDTS:
        if (value < SFE_MDTS_MIN || value > SFE_MDTS_MAX || !idle()) {
            wrong_mdts(value);
        } else {
            resize(value);
        }
        break;
    default: // of a ring, or read-only
        ring_write(offset, value);
    }
}

/// Ready no more: firmware has let go of everything, and may be enabled again.
void front_end::write_ready(std::uint32_t value)
{
    m_ready = value & SFE_READY_RDY;
    m_shown = m_shown && m_ready != 0;
    if (m_ready == 0 && m_resetting) {
        m_resetting = false;
        m_link_changed = true;
        raise(SFE_INT_LINK);
    }
    send_signature();
}

std::uint32_t front_end::conditions() const
{
    std::uint32_t c = ring_conditions();
    c |= m_link_changed ? SFE_INT_LINK : 0;
    return c;
}

} // namespace ssdvp::sata
