// SPDX-License-Identifier: Apache-2.0
//
// Life of the host's queues: controller reset, admin queues, the queue window.
#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

/// CC.EN 1 -> 0. What is under way for the old commands ends without touching the host: its jobs
/// carry an older generation.
void front_end::controller_reset()
{
    ++m_generation;
    for (std::uint32_t id = 0; id < m_sqs.size(); ++id) {
        delete_sq(id);
        m_cqs[id].submission_queues = 0;
        delete_cq(id);
    }
    m_free.clear();
    for (std::uint32_t slot = m_config.slots; slot-- > 0;) {
        release(static_cast<std::uint16_t>(slot));
        m_slots[slot].owner.drop();
    }
    give_held_back();
    for (msix_vector& v : m_msix) {
        v.pending = v.never_waits = v.timed = false;
        v.held = 0;
    }
    m_coming = 0;
    m_fatal = false;
    m_has_queues = false;
    m_csts &= ~NVME_CSTS_CFS;
    m_doorbell_error = 0;
    m_arbiter.reset(false);
    reset_features();
}

void front_end::arm_admin_queues()
{
    const std::uint32_t sq_size = (m_aqa & NVME_AQA_ASQS_MASK) + 1; // zero-based sizes
    const std::uint32_t cq_size = ((m_aqa & NVME_AQA_ACQS_MASK) >> NVME_AQA_ACQS_SHIFT) + 1;
    const bool armed =
        create_cq(0, m_acq, cq_size, FE_Q_VECTOR_IEN) && create_sq(0, m_asq, sq_size, 0);
    m_has_queues = true;
    if (!armed) {
        fatal(); // the host gave admin queues that cannot work
    }
}

/// Firmware may not know yet of a controller reset: what it does to the queues of before does
/// nothing.
void front_end::queue_command(std::uint32_t command)
{
    const auto& w = m_window;
    const bool known = command >= FE_Q_CREATE_SQ && command <= FE_Q_DELETE_CQ;
    bool done = false;
    if (w.id != 0 && known && !m_has_queues) {
        return;
    }
    if (w.id != 0) {
        switch (command) {
        case FE_Q_CREATE_SQ:
            done = create_sq(w.id, w.base, w.size, w.cq);
            if (done) {
                m_arbiter.set_priority(w.id, w.priority);
            }
            break;
        case FE_Q_DELETE_SQ:
            done = delete_sq(w.id);
            break;
        case FE_Q_CREATE_CQ:
            done = create_cq(w.id, w.base, w.size, w.vector);
            break;
        case FE_Q_DELETE_CQ:
            done = delete_cq(w.id);
            break;
        default:
            break;
        }
    }
    if (!done) {
        wrong_queue_command(command);
    }
    fetch(); // a deleted completion queue frees the slots that waited in it
}

bool front_end::create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size,
                          std::uint32_t cq)
{
    if (id >= m_sqs.size() || m_sqs[id].exists || size < 2 || cq >= m_cqs.size() ||
        !m_cqs[cq].exists || (id != 0 && size > m_config.queue_entries)) {
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

bool front_end::create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size,
                          std::uint32_t vector)
{
    const std::uint32_t number = vector & FE_Q_VECTOR_NUMBER_MASK;
    if (id >= m_cqs.size() || m_cqs[id].exists || size < 2 || number >= m_msix.size() ||
        (id != 0 && size > m_config.queue_entries)) {
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
bool front_end::delete_sq(std::uint32_t id)
{
    if (id >= m_sqs.size() || !m_sqs[id].exists) {
        return false;
    }
    submission_queue& q = m_sqs[id];
    q.exists = false;
    m_unfetched -= q.used();
    q.tail = q.head;
    m_arbiter.emptied(id);
    --m_cqs[q.cq].submission_queues;
    return true;
}

/// Completions on their way to it are dropped, those that wait in it too.
bool front_end::delete_cq(std::uint32_t id)
{
    if (id >= m_cqs.size() || !m_cqs[id].exists || m_cqs[id].submission_queues != 0) {
        return false;
    }
    completion_queue& q = m_cqs[id];
    q.exists = false;
    ++q.epoch;
    while (q.first_waiting != no_slot) {
        const std::uint16_t slot = q.first_waiting;
        q.first_waiting = m_slots[slot].next;
        release(slot);
    }
    return true;
}

} // namespace ssdvp::nvme
