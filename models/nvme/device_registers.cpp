// SPDX-License-Identifier: Apache-2.0
//
// The registers that firmware sees: models/regs/nvme_fe_regs.h.
#include <array>
#include <fmt/format.h>

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
    catch_up();
    if (m_shared.agenda.due()) {
        drain();
    }
    if (!register_read(offset, value)) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (gp.is_read()) {
        if (offset == FE_REG_CC) {
            m_controller.seen_cc();
        } else if (offset == FE_REG_DOORBELL_ERROR) {
            m_controller.seen_doorbell_error();
        }
        set_register_value(gp, value);
        return;
    }
    value = register_value(gp);
    const bool late = delay != sc_core::SC_ZERO_TIME;
    const job write{job_kind::register_write, 0, 0, 0, offset, value};
    if (offset == FE_REG_CMD_HEAD || offset == FE_REG_DONE_HEAD) {
        // Firmware has read these entries already, whatever its local time is: only a producer
        // that waits for room needs to wake at that time.
        write_head(offset, value);
        const bool waited_for =
            offset == FE_REG_CMD_HEAD ? m_queues.unfetched() != 0 : dones_wait();
        if (waited_for && late) {
            m_shared.agenda.push(now() + sim_time::from_sc(delay), write);
        } else if (waited_for) {
            register_write(offset, value);
        }
    } else if (late) {
        m_shared.agenda.push(now() + sim_time::from_sc(delay), write);
    } else {
        register_write(offset, value);
    }
    update_irq();
}

/// False: no such register.
bool front_end::register_read(std::uint32_t offset, std::uint32_t& value)
{
    const front_end_config& config = m_shared.config;
    switch (offset) {
    case FE_REG_INT_STATUS:
        value = conditions();
        break;
    case FE_REG_CC:
        value = m_controller.cc_for_firmware();
        break;
    case FE_REG_CSTS:
        value = m_controller.csts();
        break;
    case FE_REG_DOORBELL_ERROR:
        value = m_controller.doorbell_error();
        break;
    case FE_REG_SLOTS:
        value = config.slots;
        break;
    case FE_REG_QUEUE_MAX:
        value = config.queue_pairs;
        break;
    case FE_REG_VECTORS:
        value = config.vectors;
        break;
    case FE_REG_QUEUE_ENTRIES:
        value = config.queue_entries;
        break;
    case FE_REG_Q_COMMAND:
        value = 0; // commands take no time
        break;
    case FE_REG_Q_STATE:
        value = m_queues.state(m_shared.window.id);
        break;
    case FE_REG_COALESCING:
        value = m_interrupts.coalescing();
        break;
    case FE_REG_VEC_CONTROL:
        value = m_interrupts.never_waits(m_shared.window.vec_id) ? FE_VEC_CONTROL_CD : 0;
        break;
    default:
        return ring_read(offset, value) || m_shared.window.read(offset, value) ||
               m_lookup.read(offset, value);
    }
    return true;
}

void front_end::register_write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_CMD_SIZE:
        ring_write(offset, value);
        m_fetch.fetch();
        break;
    case FE_REG_CMD_HEAD: // the head itself was written before
        m_fetch.fetch();
        break;
    case FE_REG_MOVE_TAIL:
        take_moves(value, [this](const fe_move& m) { m_mover.move(m); });
        break;
    case FE_REG_DONE_HEAD:
        flush_done_backlog();
        break;
    case FE_REG_INT_ENABLE:
        enable_interrupts(value);
        break;
    case FE_REG_CSTS:
        write_csts(value);
        break;
    default:
        if (offset < FE_REG_INT_ENABLE) {
            ring_write(offset, value);
        } else {
            write_window(offset, value);
        }
    }
}

/// Those behind INT_ENABLE, most of which only hold a value; the others are read-only.
void front_end::write_window(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_Q_COMMAND:
        queue_command(value);
        break;
    case FE_REG_MDTS:
        m_shared.window.mdts = value;
        reserve_maps();
        break;
    case FE_REG_ARBITRATION:
        m_shared.window.arbitration = value & (FE_ARBITRATION_AB_MASK | FE_ARBITRATION_LPW_MASK |
                                               FE_ARBITRATION_MPW_MASK | FE_ARBITRATION_HPW_MASK);
        m_queues.configure(m_shared.window.arbitration);
        break;
    case FE_REG_COALESCING:
        m_interrupts.set_coalescing(value);
        break;
    case FE_REG_VEC_CONTROL:
        if (m_interrupts.has(m_shared.window.vec_id)) {
            m_interrupts.set_never_waits(m_shared.window.vec_id, (value & FE_VEC_CONTROL_CD) != 0);
        } else {
            wrong_window(offset, value);
        }
        break;
    default:
        if (!m_lookup.write(offset, value) && !m_shared.window.write(offset, value) &&
            offset == FE_REG_NS_FORMAT) {
            wrong_window(offset, value);
        }
    }
}

void front_end::write_csts(std::uint32_t value)
{
    if (!m_controller.write_csts(value)) {
        return;
    }
    m_has_queues = true;
    if (!m_queues.create_admin(m_controller.asq(), m_controller.acq(), m_controller.aqa())) {
        m_controller.fatal(); // the host gave admin queues that cannot work
    }
}

/// Firmware may not know yet of a controller reset: what it does to the queues of before does
/// nothing.
void front_end::queue_command(std::uint32_t command)
{
    const bool known = command >= FE_Q_CREATE_SQ && command <= FE_Q_DELETE_CQ;
    if (m_shared.window.id != 0 && known && !m_has_queues) {
        return;
    }
    if (!m_queues.command(command, m_shared.window)) {
        wrong_queue_command(command);
    }
    if (command == FE_Q_DELETE_SQ) {
        m_lookup.drop_queue(m_shared.window.id);
    }
    m_fetch.fetch(); // a deleted completion queue frees the slots that waited in it
}

void front_end::wrong_queue_command(std::uint32_t command)
{
    constexpr std::array names = {"?", "CREATE_SQ", "DELETE_SQ", "CREATE_CQ", "DELETE_CQ"};
    misuse(FE_REG_Q_COMMAND, [&] {
        const window_registers& w = m_shared.window;
        const front_end_config& config = m_shared.config;
        return fmt::format(
            "Q_COMMAND {} ({}) cannot be done: Q_ID {} of 1 to {} (submission queue {}, completion "
            "queue {}), Q_SIZE {} of 2 to {}, Q_CQID {}, Q_VECTOR {} of {}",
            command, names[command < names.size() ? command : 0], w.id, config.queue_pairs,
            m_queues.exists(w.id, false) ? "there" : "not there",
            m_queues.exists(w.id, true) ? "there" : "not there", w.size, config.queue_entries, w.cq,
            w.vector & FE_Q_VECTOR_NUMBER_MASK, config.vectors);
    });
}

void front_end::wrong_window(std::uint32_t offset, std::uint32_t value)
{
    misuse(offset, [&] {
        return offset == FE_REG_VEC_CONTROL
                   ? fmt::format("VEC_CONTROL {:#x} goes nowhere: VEC_ID is {}, and there are {} "
                                 "vectors",
                                 value, m_shared.window.vec_id, m_shared.config.vectors)
                   : fmt::format("NS_FORMAT {:#x} goes nowhere: NS_ID is {}, of 1 to {}", value,
                                 m_shared.window.ns_id, namespaces_max);
    });
}

} // namespace ssdvp::nvme
