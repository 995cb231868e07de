// SPDX-License-Identifier: Apache-2.0
//
// One submission queue and its completion queue in host memory. NVM Express base 1.4 section 4.1.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "models/common/time.h"
#include "models/host/config.h"
#include "models/host/memory/memory.h"
#include "models/regs/nvme_regs.h"

namespace ssdvp::host {

class queue_pair {
public:
    /// `cq_address`: the completion queue, inside the range that the driver watches.
    queue_pair(std::uint16_t id, std::uint32_t entries, memory& mem, std::uint64_t cq_address)
        : m_id(id), m_entries(entries), m_sq_address(mem.allocate(entries * sizeof(nvme_sqe))),
          m_cq_address(cq_address), m_sq(reinterpret_cast<nvme_sqe*>(mem.at(m_sq_address))),
          m_cq(reinterpret_cast<nvme_cqe*>(mem.at(m_cq_address))), m_arrival(entries),
          m_busy(entries, 0)
    {
        free_all();
    }

    /// The controller forgot the queues: both are empty, and no command is in flight.
    void reset()
    {
        std::memset(m_cq, 0, m_entries * sizeof(nvme_cqe)); // no phase bit of old entries
        m_sq_tail = m_cq_head = 0;
        m_phase = 1;
        m_sq_dirty = false;
        m_arrival.assign(m_arrival.size(), sim_time());
        m_busy.assign(m_busy.size(), 0);
        free_all();
    }

    [[nodiscard]] std::uint16_t id() const { return m_id; }
    [[nodiscard]] std::uint32_t entries() const { return m_entries; }
    [[nodiscard]] std::uint64_t sq_address() const { return m_sq_address; }
    [[nodiscard]] std::uint64_t cq_address() const { return m_cq_address; }
    /// QPRIO of its submission queue.
    [[nodiscard]] priority_class priority() const { return m_priority; }
    void set_priority(priority_class p) { m_priority = p; }
    [[nodiscard]] bool full() const { return m_free.empty(); }
    [[nodiscard]] std::uint32_t in_flight() const
    {
        return m_entries - 1 - static_cast<std::uint32_t>(m_free.size());
    }

    /// Precondition: not full().
    std::uint16_t take_cid()
    {
        const std::uint16_t cid = m_free.back();
        m_free.pop_back();
        m_busy[cid] = 1;
        return cid;
    }
    /// False: no command with that identifier was in flight.
    bool release_cid(std::uint16_t cid)
    {
        if (cid >= m_entries || m_busy[cid] == 0) {
            return false;
        }
        m_busy[cid] = 0;
        m_free.push_back(cid);
        return true;
    }

    void push(const nvme_sqe& sqe)
    {
        m_sq[m_sq_tail] = sqe;
        m_sq_tail = m_sq_tail + 1 == m_entries ? 0 : m_sq_tail + 1;
        m_sq_dirty = true;
    }
    [[nodiscard]] std::uint32_t sq_tail() const { return m_sq_tail; }
    [[nodiscard]] bool sq_dirty() const { return m_sq_dirty; }
    /// Whether entries were pushed since the last call.
    bool take_sq_dirty()
    {
        const bool dirty = m_sq_dirty;
        m_sq_dirty = false;
        return dirty;
    }

    /// An entry's bytes may be here before its time: it counts from `when` on.
    void note_arrival(std::uint64_t index, sim_time when) { m_arrival[index] = when; }
    /// The next completion that has arrived by `t`, or false.
    bool pop(sim_time t, nvme_cqe& cqe)
    {
        cqe = m_cq[m_cq_head];
        if ((cqe.status & 1u) != m_phase || m_arrival[m_cq_head] > t) {
            return false;
        }
        if (++m_cq_head == m_entries) {
            m_cq_head = 0;
            m_phase ^= 1u;
        }
        return true;
    }
    [[nodiscard]] std::uint32_t cq_head() const { return m_cq_head; }

private:
    /// One entry stays free, so that a full queue differs from an empty one; commands beyond that
    /// wait for an identifier. The lowest identifiers are used first and again, which keeps few
    /// buffers warm.
    void free_all()
    {
        m_free.clear();
        for (std::uint32_t cid = m_entries - 1; cid-- > 0;) {
            m_free.push_back(static_cast<std::uint16_t>(cid));
        }
    }

    std::uint16_t m_id;
    std::uint32_t m_entries;
    std::uint64_t m_sq_address;
    std::uint64_t m_cq_address;
    nvme_sqe* m_sq; // into host memory, which the memory block owns
    nvme_cqe* m_cq;
    std::uint32_t m_sq_tail = 0;
    std::uint32_t m_cq_head = 0;
    std::uint32_t m_phase = 1;
    bool m_sq_dirty = false;
    priority_class m_priority = priority_class::medium;
    std::vector<sim_time> m_arrival;  // per completion entry
    std::vector<std::uint8_t> m_busy; // per command identifier
    std::vector<std::uint16_t> m_free;
};

} // namespace ssdvp::host
