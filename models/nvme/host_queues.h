// SPDX-License-Identifier: Apache-2.0
//
// The host's submission and completion queues: their lives, the heads and tails that doorbells
// bring, and which submission queue is fetched from next.
#pragma once

#include <cstdint>
#include <vector>

#include "models/nvme/arbiter.h"
#include "models/nvme/shared.h"

namespace ssdvp::nvme {

class host_queues {
public:
    explicit host_queues(front_end_shared& shared)
        : m_shared(shared), m_sqs(shared.config.queue_pairs + 1),
          m_cqs(shared.config.queue_pairs + 1)
    {
        m_arbiter.reset(false);
    }

    /// Both kinds have the numbers below; 0 = admin.
    [[nodiscard]] bool has(std::uint32_t id) const { return id < m_sqs.size(); }
    [[nodiscard]] submission_queue& sq(std::uint32_t id) { return m_sqs[id]; }
    [[nodiscard]] const submission_queue& sq(std::uint32_t id) const { return m_sqs[id]; }
    [[nodiscard]] completion_queue& cq(std::uint32_t id) { return m_cqs[id]; }
    [[nodiscard]] const completion_queue& cq(std::uint32_t id) const { return m_cqs[id]; }
    [[nodiscard]] bool exists(std::uint32_t id, bool completion) const
    {
        return has(id) && (completion ? m_cqs[id].exists : m_sqs[id].exists);
    }

    /// Sizes in entries. False: the registers say what cannot be.
    bool create_admin(std::uint64_t asq, std::uint64_t acq, std::uint32_t aqa);
    /// FE_REG_Q_COMMAND on the queue of the window. False: it cannot be done.
    bool command(std::uint32_t what, const window_registers& w);
    /// FE_REG_Q_STATE; 0 where there is no such number.
    [[nodiscard]] std::uint32_t state(std::uint32_t id) const;

    /// A submission queue's tail; it exists. False when the value cannot be right: beyond the
    /// queue's end, the value it has already, or more entries than the queue has room for.
    bool set_tail(std::uint32_t id, std::uint32_t tail);
    /// Entries in all submission queues.
    [[nodiscard]] std::uint32_t unfetched() const { return m_unfetched; }
    /// Whose turn it is. Precondition: there are entries.
    [[nodiscard]] arbiter::turn next() { return m_arbiter.next(); }
    /// The next `count` entries of a queue, which do not wrap around, are taken; the first's place.
    std::uint32_t take(std::uint32_t id, std::uint32_t count);
    /// A command's pointers have arrived, in the order in which entries were taken. When the
    /// command may go on: no earlier than those before it in its queue.
    sim_time arrived(std::uint32_t id, sim_time when);

    /// FE_REG_ARBITRATION.
    void configure(std::uint32_t arbitration) { m_arbiter.configure(arbitration); }
    /// The host enables the controller; `weighted`: CC.AMS.
    void enable(bool weighted) { m_arbiter.reset(weighted); }
    /// A controller reset: there are no queues. Commands that wait in one are released.
    void reset();

private:
    bool create_sq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint32_t cq);
    bool create_cq(std::uint32_t id, std::uint64_t base, std::uint32_t size, std::uint32_t vector);
    bool delete_sq(std::uint32_t id);
    bool delete_cq(std::uint32_t id);

    front_end_shared& m_shared;
    std::vector<submission_queue> m_sqs;
    std::vector<completion_queue> m_cqs;
    arbiter m_arbiter;
    std::uint32_t m_unfetched = 0;
};

} // namespace ssdvp::nvme
