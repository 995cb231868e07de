// SPDX-License-Identifier: Apache-2.0
//
// The registers that firmware sees: models/regs/sata_fe_regs.h.
#include "models/common/register_access.h"
#include "models/regs/memory_map.h"
#include "models/sata/front_end.h"

namespace ssdvp::sata {

namespace {

constexpr std::uint64_t with_half(std::uint64_t v, std::uint32_t half, bool upper)
{
    return upper ? (v & 0xFFFFFFFFull) | (std::uint64_t{half} << 32)
                 : (v & 0xFFFFFFFF00000000ull) | half;
}
constexpr std::uint32_t half_of(std::uint64_t v, bool upper)
{
    return static_cast<std::uint32_t>(upper ? v >> 32 : v);
}

} // namespace

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
    write_head(offset == SFE_REG_CMD_HEAD ? m_commands : m_dones, value);
    return offset == SFE_REG_CMD_HEAD || m_done_backlog.empty();
}

/// False: no such register.
bool front_end::register_read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case SFE_REG_INT_ENABLE:
        value = m_int_enable;
        break;
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

bool front_end::ring_read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case SFE_REG_CMD_BASE_LO:
    case SFE_REG_CMD_BASE_HI:
        value = half_of(m_commands.base, offset == SFE_REG_CMD_BASE_HI);
        break;
    case SFE_REG_CMD_SIZE:
        value = m_commands.size();
        break;
    case SFE_REG_CMD_HEAD:
        value = m_commands.head;
        break;
    case SFE_REG_MOVE_BASE_LO:
    case SFE_REG_MOVE_BASE_HI:
        value = half_of(m_moves.base, offset == SFE_REG_MOVE_BASE_HI);
        break;
    case SFE_REG_MOVE_SIZE:
        value = m_moves.size();
        break;
    case SFE_REG_MOVE_TAIL:
        value = m_moves.head; // descriptors are taken when the doorbell arrives
        break;
    case SFE_REG_DONE_BASE_LO:
    case SFE_REG_DONE_BASE_HI:
        value = half_of(m_dones.base, offset == SFE_REG_DONE_BASE_HI);
        break;
    case SFE_REG_DONE_SIZE:
        value = m_dones.size();
        break;
    case SFE_REG_DONE_HEAD:
        value = m_dones.head;
        break;
    default:
        return false;
    }
    return true;
}

void front_end::register_write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case SFE_REG_CMD_BASE_LO:
    case SFE_REG_CMD_BASE_HI:
        m_commands.base = with_half(m_commands.base, value, offset == SFE_REG_CMD_BASE_HI);
        break;
    case SFE_REG_CMD_SIZE:
        write_ring(m_commands, value, sizeof(fe_command));
        break;
    case SFE_REG_MOVE_BASE_LO:
    case SFE_REG_MOVE_BASE_HI:
        m_moves.base = with_half(m_moves.base, value, offset == SFE_REG_MOVE_BASE_HI);
        break;
    case SFE_REG_MOVE_SIZE:
        write_ring(m_moves, value, sizeof(fe_move));
        break;
    case SFE_REG_MOVE_TAIL:
        take_moves(value);
        break;
    case SFE_REG_DONE_BASE_LO:
    case SFE_REG_DONE_BASE_HI:
        m_dones.base = with_half(m_dones.base, value, offset == SFE_REG_DONE_BASE_HI);
        break;
    case SFE_REG_DONE_SIZE:
        write_ring(m_dones, value, sizeof(fe_move_done));
        m_done_irq.assign(m_dones.size(), 0);
        m_done_irq_unread = 0;
        break;
    case SFE_REG_DONE_HEAD: // the head itself was written before
        flush_done_backlog();
        break;
    case SFE_REG_INT_ENABLE:
        m_int_enable = value & (SFE_INT_COMMAND | SFE_INT_DONE | SFE_INT_DONE_QUIET | SFE_INT_LINK);
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
            fault("firmware set a largest transfer that cannot be, or with commands under way");
        } else {
            resize(value);
        }
        break;
    default: // read-only
        break;
    }
}

void front_end::write_ring(ring_view& ring, std::uint32_t entries, std::uint32_t entry_size)
{
    if (entries != 0 && entries < SFE_CMD_SIZE_MIN) {
        fault("firmware gave a ring room for one entry, and one always stays free");
        return;
    }
    if (!ring.open(*memory.operator->(), entries, entry_size)) {
        fault("a ring lies where the memory gives no direct access");
    }
}

void front_end::write_head(ring_view& ring, std::uint32_t head)
{
    if (head >= ring.size() ||
        ring.distance(ring.head, head) > ring.distance(ring.head, ring.tail)) {
        fault("firmware moved a ring's head past its tail");
        return;
    }
    if (&ring == &m_dones) {
        for (std::uint32_t i = ring.head; i != head; i = ring.after(i)) {
            m_done_irq_unread -= m_done_irq[i];
        }
    }
    ring.head = head;
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
    std::uint32_t c = 0;
    c |= m_commands.head != m_commands.tail ? SFE_INT_COMMAND : 0;
    c |= m_done_irq_unread != 0 ? SFE_INT_DONE : 0;
    c |= m_dones.head != m_dones.tail ? SFE_INT_DONE_QUIET : 0;
    c |= m_link_changed ? SFE_INT_LINK : 0;
    return c;
}

} // namespace ssdvp::sata
