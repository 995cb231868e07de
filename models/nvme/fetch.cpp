// SPDX-License-Identifier: Apache-2.0
//
// From the submission queues to the command ring.
#include <algorithm>
#include <cstring>

#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

/// Fetches as far as slots and ring entries reach. Called whenever one of them, or an entry, may
/// have become available.
void front_end::fetch()
{
    while (m_unfetched != 0 && !m_fatal) {
        const std::uint32_t ring_room = command_ring().room();
        const std::uint32_t room =
            ring_room <= m_coming ? 0 : std::min(ring_room - m_coming, free_slots());
        if (room == 0) {
            return;
        }
        const arbiter::turn turn = m_arbiter.next();
        const submission_queue& q = m_sqs[turn.queue];
        const std::uint32_t to_end = q.tail > q.head ? q.tail - q.head : q.size - q.head;
        const std::uint32_t count = std::min({to_end, m_config.fetch_burst, room, turn.limit});
        m_arbiter.took(count);
        fetch_burst(turn.queue, count);
    }
}

void front_end::fetch_burst(std::uint32_t id, std::uint32_t count)
{
    submission_queue& q = m_sqs[id];
    const std::uint32_t first = q.head;
    q.head = first + count == q.size ? 0 : first + count;
    m_unfetched -= count;
    if (q.head == q.tail) {
        m_arbiter.emptied(id);
    }
    constexpr std::uint32_t entry = sizeof(nvme_sqe);
    const dma_result r = host_dma({tlm::TLM_READ_COMMAND, q.base + std::uint64_t{first} * entry,
                                   m_fetched.data(), count * entry},
                                  now());
    if (!r.ok) {
        fatal(); // no memory of the host's there
        return;
    }
    m_stats.commands_fetched += count;
    for (std::uint32_t i = 0; i < count; ++i) {
        accept(id, m_fetched[i], q.rung[first + i], r.end);
    }
}

void front_end::accept(std::uint32_t sq, const nvme_sqe& sqe, sim_time rung, sim_time arrival)
{
    const std::uint16_t slot = m_free.back();
    m_free.pop_back();
    open_slot(slot, sq, sqe, rung);
    const sim_time walked = walk_pointers(m_slots[slot], arrival);
    const sim_time ready = walked + m_config.decode_latency;
    stamp(slot, latency_part::link, rung);
    stamp(slot, latency_part::front_end, now()); // it waited for a slot or the ring
    stamp(slot, latency_part::link, walked);
    stamp(slot, latency_part::front_end, ready);
    ++m_coming;
    m_agenda.push(ready, {job_kind::command, 0, 0, slot, m_generation, 0});
}

void front_end::open_slot(std::uint16_t slot, std::uint32_t sq, const nvme_sqe& sqe, sim_time rung)
{
    command_slot& c = m_slots[slot];
    c.busy = true;
    c.completing = false;
    c.last_op = 0;
    c.sq = static_cast<std::uint16_t>(sq);
    c.cq = m_sqs[sq].cq;
    c.cq_epoch = m_cqs[c.cq].epoch;
    c.error = 0;
    c.sqe = sqe;
    c.finish = sim_time();
    c.wire_end = sim_time();
    c.rung = rung;
    bind_record(slot);
}

/// Where the command's times are kept.
void front_end::bind_record(std::uint16_t slot)
{
    const command_slot& c = m_slots[slot];
    const front_end_environment& e = m_environment;
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
sim_time front_end::walk_pointers(command_slot& c, sim_time from)
{
    c.data.clear();
    c.metadata.clear();
    const transfer_size size =
        c.sq == 0 ? admin_size(c.sqe) : io_size(c.sqe, m_window.format_of(c.sqe.nsid), m_lba_shift);
    if (size.data > m_mdts || size.metadata > m_mdts) {
        return from; // firmware refuses it; its pages are not looked for
    }
    return m_walker.walk(c.sqe, size, c.data, c.metadata, from);
}

void front_end::hand_over(std::uint16_t slot)
{
    --m_coming;
    if (!command_ring().is_open()) { // firmware took the ring away
        misuse(FE_REG_CMD_SIZE, [] { return "a command arrived, and CMD_SIZE is 0"; });
        return;
    }
    command_slot& c = m_slots[slot];
    c.owner.hand_over(now(), m_stats.completions);
    fe_command entry{};
    entry.sqe = c.sqe;
    entry.slot = slot;
    entry.sq_id = c.sq;
    entry.status = c.data.error != 0 ? c.data.error : c.metadata.error;
    append_command(entry);
}

} // namespace ssdvp::nvme
