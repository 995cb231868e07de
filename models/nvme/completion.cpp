// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/completion.h"

namespace ssdvp::nvme {

void completions::order(const fe_move& m, std::uint8_t done_status)
{
    command_slots& slots = m_shared.slots;
    command_slot& c = slots[m.slot];
    c.completing = true;
    c.status = c.error != 0 ? c.error : m.status;
    c.dw0 = m.dw0;
    completion_queue& q = m_queues.cq(c.cq);
    const job notice{job_kind::completion, m.flags, done_status, m.slot,
                     m_shared.generation,  m.tag};
    if (!q.exists || q.epoch != c.cq_epoch) { // nobody to tell: only the slot goes free
        m_shared.agenda.push(c.finish, notice);
        return;
    }
    if (q.first_waiting == no_slot && q.room()) {
        commit(m.slot, notice, c.finish);
        return;
    }
    c.next = no_slot;
    (q.first_waiting == no_slot ? q.first_waiting : slots[q.last_waiting].next) = m.slot;
    q.last_waiting = m.slot;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) { // the buffer does not wait for the host
        m_shared.tell(c.finish, {job_kind::done, m.flags, done_status, m.slot, 0, m.tag});
    }
}

/// Takes a queue entry and the link for it and its interrupt, from `start` on.
void completions::commit(std::uint16_t slot, job notice, sim_time start)
{
    completion_queue& q = m_queues.cq(m_shared.slots[slot].cq);
    ++q.committed;
    sim_time arrival = m_shared.host.occupy(q.base, sizeof(nvme_cqe), start);
    if (q.interrupts && m_messages.leaves_at_once(q.vector)) {
        arrival = m_messages.occupy_link(q.vector, m_shared.host.wire_end());
        notice.flags |= msi_on_wire;
    }
    m_shared.block.stamp(slot, latency_part::completion, arrival);
    m_shared.agenda.push(arrival, notice);
}

void completions::post(const job& j)
{
    const completion_queue* told = nullptr;
    if (j.key == m_shared.generation) {
        const command_slot& c = m_shared.slots[j.slot];
        completion_queue& q = m_queues.cq(c.cq);
        if (q.exists && q.epoch == c.cq_epoch) {
            send_cqe(c, q);
            if (m_shared.environment.watch != nullptr) {
                tell_watch(j.slot);
            }
            told = q.interrupts ? &q : nullptr;
        }
        m_shared.release(j.slot);
    }
    if ((j.flags & FE_MOVE_NOTIFY) != 0) {
        m_shared.block.append_done({j.value, j.slot, j.flags, j.status});
    }
    if (told != nullptr) {
        m_messages.notify(told->vector, (j.flags & msi_on_wire) != 0);
    }
    m_fetch.fetch(); // a slot is free
}

void completions::send_cqe(const command_slot& c, completion_queue& q)
{
    nvme_cqe e{};
    e.dw0 = c.dw0;
    e.sq_head = static_cast<std::uint16_t>(m_queues.sq(c.sq).head);
    e.sq_id = c.sq;
    e.cid = c.sqe.cid;
    e.status = static_cast<std::uint16_t>((c.status << 1) | (q.phase ? 1 : 0));
    const dma_result r =
        m_shared.host.access({tlm::TLM_WRITE_COMMAND, q.base + std::uint64_t{q.tail} * sizeof e, &e,
                              sizeof e, tlp::portion::bytes},
                             now());
    if (!r.ok) {
        m_registers.fatal(); // no memory of the host's there
    }
    if (++q.tail == q.size) {
        q.tail = 0;
        q.phase = !q.phase;
    }
    --q.committed;
    ++m_shared.stats.completions;
}

void completions::tell_watch(std::uint16_t slot)
{
    const command_slot& c = m_shared.slots[slot];
    const std::uint32_t own = m_shared.window.format_of(c.sqe.nsid) & FE_NS_FORMAT_SHIFT_MASK;
    const std::uint32_t shift = own != 0 ? own : m_shared.window.lba_shift;
    m_shared.environment.watch->on_command({c.sqe, c.sq, slot, c.status, shift, c.rung}, now());
}

bool completions::set_head(completion_queue& q, std::uint32_t head)
{
    if (!q.exists || head >= q.size || head == q.head || q.distance(q.head, head) > q.used()) {
        return false;
    }
    q.head = head;
    while (q.first_waiting != no_slot && q.room()) {
        const std::uint16_t slot = q.first_waiting;
        const command_slot& c = m_shared.slots[slot];
        q.first_waiting = c.next;
        const job notice{job_kind::completion, 0, 0, slot, m_shared.generation, 0};
        commit(slot, notice, later(now(), c.finish));
    }
    return true;
}

} // namespace ssdvp::nvme
