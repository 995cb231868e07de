// SPDX-License-Identifier: Apache-2.0
#include "models/nvme/host_queues.h"

namespace ssdvp::nvme {

bool host_queues::create_admin(std::uint64_t asq, std::uint64_t acq, std::uint32_t aqa)
{
    const std::uint32_t sq_size = (aqa & NVME_AQA_ASQS_MASK) + 1; // zero-based sizes
    const std::uint32_t cq_size = ((aqa & NVME_AQA_ACQS_MASK) >> NVME_AQA_ACQS_SHIFT) + 1;
    return create_cq(0, acq, cq_size, FE_Q_VECTOR_IEN) && create_sq(0, asq, sq_size, 0);
}

bool host_queues::command(std::uint32_t what, const window_registers& w)
{
    if (w.id == 0) {
        return false; // the admin queues are the host's
    }
    switch (what) {
    case FE_Q_CREATE_SQ:
        if (!create_sq(w.id, w.base, w.size, w.cq)) {
            return false;
        }
        m_arbiter.set_priority(w.id, w.priority);
        return true;
    case FE_Q_DELETE_SQ:
        return delete_sq(w.id);
    case FE_Q_CREATE_CQ:
        return create_cq(w.id, w.base, w.size, w.vector);
    case FE_Q_DELETE_CQ:
        return delete_cq(w.id);
    default:
        return false;
    }
}

std::uint32_t host_queues::state(std::uint32_t id) const
{
    if (!has(id)) {
        return 0;
    }
    const completion_queue& q = m_cqs[id];
    std::uint32_t state = m_sqs[id].exists ? FE_Q_STATE_SQ : 0u;
    if (q.exists) {
        state |= FE_Q_STATE_CQ | (std::uint32_t{q.submission_queues} << FE_Q_STATE_BOUND_SHIFT);
    }
    return state;
}

bool host_queues::set_tail(std::uint32_t id, std::uint32_t tail)
{
    submission_queue& q = m_sqs[id];
    if (tail >= q.size || tail == q.tail) {
        return false;
    }
    const std::uint32_t added = q.distance(q.tail, tail);
    if (q.used() + added > q.size - 1) {
        return false;
    }
    const sim_time t = now();
    while (q.tail != tail) {
        q.rung[q.tail] = t;
        q.tail = q.tail + 1 == q.size ? 0 : q.tail + 1;
    }
    m_unfetched += added;
    m_arbiter.filled(id);
    m_shared.levels.tail(id, tail, t);
    m_shared.levels.entries(id, q.used());
    return true;
}

std::uint32_t host_queues::take(std::uint32_t id, std::uint32_t count)
{
    submission_queue& q = m_sqs[id];
    const std::uint32_t first = q.head;
    m_arbiter.took(count);
    q.head = first + count == q.size ? 0 : first + count;
    m_unfetched -= count;
    m_shared.levels.entries(id, q.used());
    if (q.head == q.tail) {
        m_arbiter.emptied(id);
    }
    return first;
}

sim_time host_queues::arrived(std::uint32_t id, sim_time when)
{
    submission_queue& q = m_sqs[id];
    q.complete = later(q.complete, when);
    return q.complete;
}

void host_queues::reset()
{
    for (std::uint32_t id = 0; has(id); ++id) {
        delete_sq(id);
        m_cqs[id].submission_queues = 0;
        delete_cq(id);
    }
    m_arbiter.reset(false);
}

bool host_queues::create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size,
                            std::uint32_t cq)
{
    if (!has(id) || m_sqs[id].exists || size < 2 || !exists(cq, true) ||
        (id != 0 && size > m_shared.config.queue_entries)) {
        return false;
    }
    submission_queue& q = m_sqs[id];
    static_cast<host_ring&>(q) = {true, base, size, 0, 0};
    q.cq = static_cast<std::uint16_t>(cq);
    m_arbiter.set_priority(id, FE_PRIORITY_URGENT);
    q.rung.assign(size, sim_time());
    ++m_cqs[cq].submission_queues;
    return true;
}

bool host_queues::create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size,
                            std::uint32_t vector)
{
    const std::uint32_t number = vector & FE_Q_VECTOR_NUMBER_MASK;
    if (!has(id) || m_cqs[id].exists || size < 2 || number >= m_shared.config.vectors ||
        (id != 0 && size > m_shared.config.queue_entries)) {
        return false;
    }
    completion_queue& q = m_cqs[id];
    const std::uint32_t epoch = q.epoch;
    q = completion_queue();
    static_cast<host_ring&>(q) = {true, base, size, 0, 0};
    q.interrupts = (vector & FE_Q_VECTOR_IEN) != 0;
    q.vector = static_cast<std::uint16_t>(number);
    q.epoch = epoch;
    return true;
}

/// Entries not fetched yet are dropped; commands in the drive go on.
bool host_queues::delete_sq(std::uint32_t id)
{
    if (!exists(id, false)) {
        return false;
    }
    submission_queue& q = m_sqs[id];
    q.exists = false;
    m_unfetched -= q.used();
    q.tail = q.head;
    m_shared.levels.entries(id, 0);
    m_arbiter.emptied(id);
    --m_cqs[q.cq].submission_queues;
    return true;
}

/// Completions on their way to it are dropped, those that wait in it too.
bool host_queues::delete_cq(std::uint32_t id)
{
    if (!exists(id, true) || m_cqs[id].submission_queues != 0) {
        return false;
    }
    completion_queue& q = m_cqs[id];
    q.exists = false;
    ++q.epoch;
    while (q.first_waiting != no_slot) {
        const std::uint16_t slot = q.first_waiting;
        q.first_waiting = m_shared.slots[slot].next;
        m_shared.release(slot);
    }
    return true;
}

} // namespace ssdvp::nvme
