// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/fetch.h"

#include <algorithm>

namespace ssdvp::nvme {

void command_fetch::fetch()
{
    while (m_queues.unfetched() != 0 && !m_registers.is_fatal()) {
        const std::uint32_t ring_room = m_shared.block.command_ring().room();
        const std::uint32_t room =
            ring_room <= m_shared.coming
                ? 0
                : std::min(ring_room - m_shared.coming, m_shared.slots.free());
        if (room == 0) {
            wait_for_slot();
            return;
        }
        end_wait();
        const arbiter::turn turn = m_queues.next();
        const submission_queue& q = m_queues.sq(turn.queue);
        const std::uint32_t to_end = q.tail > q.head ? q.tail - q.head : q.size - q.head;
        const auto most = static_cast<std::uint32_t>(m_burst.size());
        fetch_burst(turn.queue, std::min({to_end, most, room, turn.limit}));
    }
}

void command_fetch::wait_for_slot()
{
    if (!m_waits && m_shared.slots.free() == 0) {
        m_waits = true;
        m_wait_begin = now();
    }
}

void command_fetch::end_wait()
{
    m_waited = waited();
    m_waits = false;
}

void command_fetch::fetch_burst(std::uint32_t id, std::uint32_t count)
{
    const submission_queue& q = m_queues.sq(id);
    const std::uint32_t first = m_queues.take(id, count);
    constexpr std::uint32_t entry = sizeof(nvme_sqe);
    const dma_result r =
        m_shared.host.access({tlm::TLM_READ_COMMAND, q.base + std::uint64_t{first} * entry,
                              m_burst.data(), count * entry},
                             now());
    if (!r.ok) {
        m_registers.fatal(); // no memory of the host's there
        return;
    }
    m_shared.stats.commands_fetched += count;
    for (std::uint32_t i = 0; i < count; ++i) {
        accept(id, m_burst[i], q.rung[first + i], r.end);
    }
}

void command_fetch::accept(std::uint32_t sq, const nvme_sqe& sqe, sim_time rung, sim_time arrival)
{
    const std::uint16_t slot = m_shared.slots.take();
    m_shared.levels.commands(m_shared.in_drive());
    open_slot(slot, sq, sqe, rung);
    const sim_time walked = m_queues.arrived(sq, walk_pointers(m_shared.slots[slot], arrival));
    const sim_time ready = walked + m_shared.config.decode_latency;
    front_end_base& block = m_shared.block;
    block.stamp(slot, latency_part::link, rung);
    block.stamp(slot, latency_part::front_end, now()); // it waited for a slot or the ring
    block.stamp(slot, latency_part::link, walked);
    block.stamp(slot, latency_part::front_end, ready);
    if (m_taker != nullptr && m_taker->take(slot, ready)) {
        return;
    }
    m_shared.hand_over(ready, {job_kind::command, 0, 0, slot, m_shared.generation, 0});
}

void command_fetch::open_slot(std::uint16_t slot, std::uint32_t sq, const nvme_sqe& sqe,
                              sim_time rung)
{
    command_slot& c = m_shared.slots[slot];
    c.busy = true;
    c.completing = false;
    c.last_op = 0;
    c.sq = static_cast<std::uint16_t>(sq);
    c.cq = m_queues.sq(sq).cq;
    c.cq_epoch = m_queues.cq(c.cq).epoch;
    c.error = 0;
    c.sqe = sqe;
    c.finish = sim_time();
    c.wire_end = sim_time();
    c.rung = rung;
    bind_record(slot);
}

/// Where the command's times are kept.
void command_fetch::bind_record(std::uint16_t slot)
{
    const command_slot& c = m_shared.slots[slot];
    const front_end_environment& e = m_shared.environment;
    if (e.ledger == nullptr) {
        return;
    }
    if (e.ledger_by_slot) {
        e.ledger->open(slot, c.rung);
        e.ledger->bind(slot, slot, now());
    } else if (c.sq < e.ledger_queues && c.sqe.cid < e.ledger_entries) {
        e.ledger->bind(slot, std::size_t{c.sq} * e.ledger_entries + c.sqe.cid, now());
    }
}

/// Finds the command's data and metadata. Returns when the last list has arrived.
sim_time command_fetch::walk_pointers(command_slot& c, sim_time from)
{
    c.data.clear();
    c.metadata.clear();
    const transfer_size size = c.sq == 0 ? admin_size(c.sqe)
                                         : io_size(c.sqe, m_shared.window.format_of(c.sqe.nsid),
                                                   m_shared.window.lba_shift);
    if (size.data > m_shared.window.mdts || size.metadata > m_shared.window.mdts) {
        return from; // firmware refuses it; its pages are not looked for
    }
    return m_walker.walk(c.sqe, size, c.data, c.metadata, from);
}

void command_fetch::hand_over(std::uint16_t slot, sim_time when)
{
    --m_shared.coming;
    front_end_base& block = m_shared.block;
    if (!block.command_ring().is_open()) { // firmware took the ring away
        block.misuse(FE_REG_CMD_SIZE, [] { return "a command arrived, and CMD_SIZE is 0"; });
        return;
    }
    command_slot& c = m_shared.slots[slot];
    const std::uint16_t set = c.sq == 0 ? command_order::admin : std::uint16_t{0};
    c.owner.hand_over(when, static_cast<std::uint16_t>(set + c.sqe.opcode), m_shared.order);
    fe_command entry{};
    entry.sqe = c.sqe;
    entry.slot = slot;
    entry.sq_id = c.sq;
    entry.status = c.data.error != 0 ? c.data.error : c.metadata.error;
    block.append_command(entry);
}

} // namespace ssdvp::nvme
