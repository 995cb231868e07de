// SPDX-License-Identifier: Apache-2.0
#include "models/common/front_end_base.h"

#include <cstddef>

#include "models/common/register_access.h"
#include "models/common/wait_parts.h"

namespace ssdvp {

static_assert(sizeof(fe_command) == 80);
static_assert(sizeof(fe_move) == 48);
static_assert(sizeof(fe_move_done) == 16);
static_assert(FE_CMD_SIZE_MIN == FE_MOVE_SIZE_MIN);
static_assert(FE_CMD_SIZE_MIN == FE_DONE_SIZE_MIN);

front_end_base::front_end_base(const sc_core::sc_module_name& name, const front_end_links& links)
    : block(name), memory("memory"), irq("irq"), m_links(links)
{}

front_end_base::~front_end_base() = default;

void front_end_base::fault(const char* what)
{
    if (m_links.faults != nullptr) {
        m_links.faults->record(name(), what);
    }
}

std::uint32_t front_end_base::interrupt_firmware()
{
    if (m_raise == 0) {
        return 0;
    }
    m_raise = 0;
    irq->raise(m_links.irq_line);
    return 1;
}

/// Up to now the command waited for what m.wait says (enum fe_wait), else for the core, but for the
/// core's work on it.
void front_end_base::stamp_order(const fe_move& m)
{
    if (m_links.ledger == nullptr) {
        return;
    }
    latency_ledger& ledger = *m_links.ledger;
    const latency_part wait = part_of_wait(m.wait);
    const blocker behind = blocker_of_wait(m.wait);
    if (behind.work == blocking_work::none) {
        ledger.hand_on(m.slot, m_links.desk, now(), wait);
        return;
    }
    const sim_time before = ledger.spent(m.slot, wait);
    if (m.wait == FE_WAIT_PROGRAM && m.operation != 0) {
        ledger.hand_on_programmed(m.slot, m_links.desk, now(), m.operation - 1);
    } else {
        ledger.hand_on(m.slot, m_links.desk, now(), wait);
    }
    if (latency_place* place = ledger.place_of_slot(m.slot, now()); place != nullptr) {
        place->wait(behind, ledger.spent(m.slot, wait) - before);
    }
}

void front_end_base::unbind(std::uint16_t slot)
{
    if (m_links.ledger != nullptr) {
        m_links.ledger->unbind(slot);
    }
}

dma_result front_end_base::dma(dma_socket& socket, tlm::tlm_generic_payload& gp, sim_time earliest)
{
    const sim_time t = now();
    gp.set_streaming_width(gp.get_data_length());
    gp.set_dmi_allowed(false);
    gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = (earliest - t).to_sc();
    if (socket->nb_transport_fw(gp, phase, delay) != tlm::TLM_COMPLETED) {
        fault("a DMA target did not complete the transaction in its request");
    }
    return {t + sim_time::from_sc(delay), gp.is_response_ok()};
}

void front_end_base::close_rings()
{
    m_commands = m_moves = m_dones = ring_view();
    m_done_irq.clear();
    m_done_backlog.clear();
    m_done_irq_unread = 0;
    m_int_enable = 0;
    m_raise = 0;
}

bool front_end_base::ring_read(std::uint32_t offset, std::uint32_t& value) const
{
    switch (offset) {
    case FE_REG_CMD_BASE_LO:
    case FE_REG_CMD_BASE_HI:
        value = half_of(m_commands.base, offset == FE_REG_CMD_BASE_HI);
        break;
    case FE_REG_CMD_SIZE:
        value = m_commands.size();
        break;
    case FE_REG_CMD_HEAD:
        value = m_commands.head;
        break;
    case FE_REG_MOVE_BASE_LO:
    case FE_REG_MOVE_BASE_HI:
        value = half_of(m_moves.base, offset == FE_REG_MOVE_BASE_HI);
        break;
    case FE_REG_MOVE_SIZE:
        value = m_moves.size();
        break;
    case FE_REG_MOVE_TAIL:
        value = m_moves.head; // descriptors are taken when the doorbell arrives
        break;
    case FE_REG_DONE_BASE_LO:
    case FE_REG_DONE_BASE_HI:
        value = half_of(m_dones.base, offset == FE_REG_DONE_BASE_HI);
        break;
    case FE_REG_DONE_SIZE:
        value = m_dones.size();
        break;
    case FE_REG_DONE_HEAD:
        value = m_dones.head;
        break;
    case FE_REG_INT_ENABLE:
        value = m_int_enable;
        break;
    default:
        return false;
    }
    return true;
}

void front_end_base::ring_write(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case FE_REG_CMD_BASE_LO:
    case FE_REG_CMD_BASE_HI:
        m_commands.base = with_half(m_commands.base, value, offset == FE_REG_CMD_BASE_HI);
        break;
    case FE_REG_CMD_SIZE:
        open_ring(m_commands, offset, value, sizeof(fe_command));
        break;
    case FE_REG_MOVE_BASE_LO:
    case FE_REG_MOVE_BASE_HI:
        m_moves.base = with_half(m_moves.base, value, offset == FE_REG_MOVE_BASE_HI);
        break;
    case FE_REG_MOVE_SIZE:
        open_ring(m_moves, offset, value, sizeof(fe_move));
        break;
    case FE_REG_DONE_BASE_LO:
    case FE_REG_DONE_BASE_HI:
        m_dones.base = with_half(m_dones.base, value, offset == FE_REG_DONE_BASE_HI);
        break;
    case FE_REG_DONE_SIZE:
        open_ring(m_dones, offset, value, sizeof(fe_move_done));
        m_done_irq.assign(m_dones.size(), 0);
        m_done_irq_unread = 0;
        break;
    default: // not of a ring, or read-only
        break;
    }
}

void front_end_base::open_ring(ring_view& ring, std::uint32_t offset, std::uint32_t entries,
                               std::uint32_t entry_size)
{
    if (entries != 0 && entries < FE_CMD_SIZE_MIN) {
        wrong_size(offset, entries);
        return;
    }
    const bool there =
        entries == 0 || m_links.memory.holds(ring.base, std::uint64_t{entries} * entry_size);
    if (!ring.open(*memory.operator->(), there ? entries : 0, entry_size) || !there) {
        wrong_place(offset, ring.base, entries);
    }
}

void front_end_base::write_head(std::uint32_t offset, std::uint32_t head)
{
    ring_view& ring = offset == FE_REG_CMD_HEAD ? m_commands : m_dones;
    if (head >= ring.size() ||
        ring.distance(ring.head, head) > ring.distance(ring.head, ring.tail)) {
        wrong_head(offset, head);
        return;
    }
    if (&ring == &m_dones) {
        for (std::uint32_t i = ring.head; i != head; i = ring.after(i)) {
            m_done_irq_unread -= m_done_irq[i];
        }
    }
    ring.head = head;
}

std::uint32_t front_end_base::ring_conditions() const
{
    std::uint32_t c = 0;
    c |= m_commands.head != m_commands.tail ? FE_INT_COMMAND : 0;
    c |= m_done_irq_unread != 0 ? FE_INT_DONE : 0;
    c |= m_dones.head != m_dones.tail ? FE_INT_DONE_QUIET : 0;
    return c;
}

void front_end_base::append_command(fe_command& entry)
{
    entry.phase = m_commands.phase ^ 1u;
    unsigned char* at = m_commands.at(m_commands.tail);
    std::memcpy(at, &entry, sizeof entry);
    entry.phase = m_commands.phase;
    std::memcpy(at + offsetof(fe_command, phase), &entry.phase, sizeof entry.phase);
    m_commands.produced();
    raise(FE_INT_COMMAND);
}

void front_end_base::append_done(const move_notice& n)
{
    if (!m_dones.is_open()) {
        fault("a move ended, and DONE_SIZE is 0: no place for its completion");
        return;
    }
    if (m_dones.room() == 0) {
        m_done_backlog.push_back(n);
        return;
    }
    fe_move_done e{};
    e.tag = n.tag;
    e.slot = n.slot;
    e.status = n.status;
    e.phase = m_dones.phase ^ 1u;
    unsigned char* at = m_dones.at(m_dones.tail);
    std::memcpy(at, &e, sizeof e);
    at[offsetof(fe_move_done, phase)] = m_dones.phase; // last, as in a command
    const bool loud = (n.flags & FE_MOVE_IRQ) != 0;
    m_done_irq[m_dones.tail] = loud ? 1 : 0;
    m_done_irq_unread += loud ? 1 : 0;
    m_dones.produced();
    raise(FE_INT_DONE_QUIET | (loud ? FE_INT_DONE : 0u));
}

void front_end_base::flush_done_backlog()
{
    std::vector<move_notice> held;
    held.swap(m_done_backlog);
    for (const move_notice& n : held) {
        append_done(n); // those without room go back, in order
    }
}

void front_end_base::tell_move(const fe_move& m, sim_time begin, sim_time end) const
{
    if (!m_track) {
        return;
    }
    timeline_slice s;
    s.name = m.length == 0               ? "completion"
             : m.op == FE_MOVE_FROM_HOST ? "from the host"
                                         : "to the host";
    s.begin = begin;
    s.end = later(end, begin);
    s.slot = m.slot;
    s.details = {{{"bytes", m.length}, {"offset", m.offset}}};
    m_track.add(s);
}

} // namespace ssdvp
