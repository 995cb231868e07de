// SPDX-License-Identifier: Apache-2.0
//
// Completion entries to the host.
//
// A completion takes its time on the link when it is ordered, behind the command's data; its
// place in the queue, its bytes and the interrupt follow when they arrive. So completions that
// overtake each other take their places in the order of arrival, and the host, which may look at
// the queue at any time, finds none before its time.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

void front_end::order_completion(const fe_move& m, std::uint8_t done_status)
{
    command_slot& c = m_slots[m.slot];
    c.completing = true;
    c.status = c.error != 0 ? c.error : m.status;
    c.dw0 = m.dw0;
    completion_queue& q = m_cqs[c.cq];
    const job notice{job_kind::completion, m.flags, done_status, m.slot, m_generation, m.tag};
    if (!q.exists || q.epoch != c.cq_epoch) { // nobody to tell: only the slot goes free
        m_agenda.push(c.finish, notice);
        return;
    }
    if (q.first_waiting == no_slot && q.room()) {
        commit_completion(m.slot, notice, c.finish);
        return;
    }
    c.next = no_slot;
    (q.first_waiting == no_slot ? q.first_waiting : m_slots[q.last_waiting].next) = m.slot;
    q.last_waiting = m.slot;
    if ((m.flags & FE_MOVE_NOTIFY) != 0) { // the buffer does not wait for the host
        m_agenda.push(c.finish, {job_kind::done, m.flags, done_status, m.slot, 0, m.tag});
    }
}

/// Takes a queue entry and the link for it and its interrupt, from `start` on.
void front_end::commit_completion(std::uint16_t slot, job notice, sim_time start)
{
    completion_queue& q = m_cqs[m_slots[slot].cq];
    ++q.committed;
    sim_time arrival = occupy_link(q.base, sizeof(nvme_cqe), start);
    if (q.interrupts && !masked(q.vector) && !coalesces(q)) {
        arrival = occupy_link(m_msix[q.vector].address(), sizeof(std::uint32_t), m_tlp.wire_end);
        notice.flags |= msi_on_wire;
    }
    stamp(slot, latency_part::completion, arrival);
    m_agenda.push(arrival, notice);
}

/// Returns the arrival. Only the wire: the bytes follow then.
sim_time front_end::occupy_link(std::uint64_t address, std::uint32_t length, sim_time earliest)
{
    return host_dma({tlm::TLM_WRITE_COMMAND, address, m_staging.data(), length, tlp::portion::wire},
                    earliest)
        .end;
}

void front_end::post_completion(const job& j)
{
    const completion_queue* told = nullptr;
    if (j.key == m_generation) {
        const command_slot& c = m_slots[j.slot];
        completion_queue& q = m_cqs[c.cq];
        if (q.exists && q.epoch == c.cq_epoch) {
            send_cqe(c, q);
            if (m_environment.watch != nullptr) {
                tell_watch(j.slot);
            }
            told = q.interrupts ? &q : nullptr;
        }
        release(j.slot);
    }
    if ((j.flags & FE_MOVE_NOTIFY) != 0) {
        append_done({j.value, j.slot, j.flags, j.status});
    }
    if (told != nullptr) {
        notify_host(*told, (j.flags & msi_on_wire) != 0);
    }
    if (m_unfetched != 0) {
        fetch();
    }
}

void front_end::send_cqe(const command_slot& c, completion_queue& q)
{
    nvme_cqe e{};
    e.dw0 = c.dw0;
    e.sq_head = static_cast<std::uint16_t>(m_sqs[c.sq].head);
    e.sq_id = c.sq;
    e.cid = c.sqe.cid;
    e.status = static_cast<std::uint16_t>((c.status << 1) | (q.phase ? 1 : 0));
    const dma_result r =
        host_dma({tlm::TLM_WRITE_COMMAND, q.base + std::uint64_t{q.tail} * sizeof e, &e, sizeof e,
                  tlp::portion::bytes},
                 now());
    if (!r.ok) {
        fatal(); // no memory of the host's there
    }
    if (++q.tail == q.size) {
        q.tail = 0;
        q.phase = !q.phase;
    }
    --q.committed;
    ++m_stats.completions;
}

void front_end::tell_watch(std::uint16_t slot)
{
    const command_slot& c = m_slots[slot];
    const std::uint32_t own = m_window.format_of(c.sqe.nsid) & FE_NS_FORMAT_SHIFT_MASK;
    const std::uint32_t shift = own != 0 ? own : m_lba_shift;
    m_environment.watch->on_command({c.sqe, c.sq, slot, c.status, shift, c.rung}, now());
}

void front_end::release(std::uint16_t slot)
{
    command_slot& c = m_slots[slot];
    c.busy = false;
    unbind(slot);
    m_free.push_back(slot);
}

} // namespace ssdvp::nvme
