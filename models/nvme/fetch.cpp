// SPDX-License-Identifier: Apache-2.0
//
// From the submission queues to the command ring: arbitration, fetch, PRP walk.
#include <algorithm>
#include <cstring>

#include "models/nvme/front_end.h"

namespace ssdvp::nvme {

/// Round robin over all submission queues, a burst each, as far as slots and ring entries reach.
/// Called whenever one of the three may have become available.
void front_end::fetch()
{
    const auto queues = static_cast<std::uint32_t>(m_sqs.size());
    while (m_unfetched != 0) {
        const std::uint32_t ring_room = m_commands.room();
        const std::uint32_t room =
            ring_room <= m_coming ? 0 : std::min(ring_room - m_coming, free_slots());
        if (room == 0) {
            return;
        }
        std::uint32_t id = m_next_queue;
        for (const submission_queue* q = &m_sqs[id]; q->head == q->tail;) {
            const bool wraps = ++id == queues;
            id = wraps ? 0 : id;
            q = wraps ? m_sqs.data() : q + 1;
        }
        const submission_queue& q = m_sqs[id];
        const std::uint32_t to_end = q.tail > q.head ? q.tail - q.head : q.size - q.head;
        m_next_queue = id + 1 == queues ? 0 : id + 1;
        fetch_burst(id, std::min({to_end, m_config.fetch_burst, room}));
    }
}

void front_end::fetch_burst(std::uint32_t id, std::uint32_t count)
{
    submission_queue& q = m_sqs[id];
    const std::uint32_t first = q.head;
    q.head = first + count == q.size ? 0 : first + count;
    m_unfetched -= count;
    constexpr std::uint32_t entry = sizeof(nvme_sqe);
    const dma_result r = host_dma({tlm::TLM_READ_COMMAND, q.base + std::uint64_t{first} * entry,
                                   m_fetched.data(), count * entry},
                                  now());
    if (!r.ok) {
        m_csts |= NVME_CSTS_CFS;
        fault("a submission queue lies where the host has no memory");
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
    open_slot(slot, sq, sqe);
    const sim_time walked = walk_prps(m_slots[slot], arrival);
    const sim_time ready = walked + m_config.decode_latency;
    stamp(slot, latency_part::link, rung);
    stamp(slot, latency_part::front_end, now()); // it waited for a slot or the ring
    stamp(slot, latency_part::link, walked);
    stamp(slot, latency_part::front_end, ready);
    ++m_coming;
    m_agenda.push(ready, {job_kind::command, 0, 0, slot, m_generation, 0});
}

void front_end::open_slot(std::uint16_t slot, std::uint32_t sq, const nvme_sqe& sqe)
{
    command_slot& c = m_slots[slot];
    c.busy = true;
    c.completing = false;
    c.last_op = 0;
    c.sq = static_cast<std::uint16_t>(sq);
    c.cq = m_sqs[sq].cq;
    c.cq_epoch = m_cqs[c.cq].epoch;
    c.prp_error = 0;
    c.error = 0;
    c.sqe = sqe;
    c.finish = sim_time();
    c.wire_end = sim_time();
    if (m_environment.ledger != nullptr && sq < m_environment.ledger_queues &&
        sqe.cid < m_environment.ledger_entries) {
        m_environment.ledger->bind(slot, std::size_t{sq} * m_environment.ledger_entries + sqe.cid,
                                   now());
    }
}

/// Finds the pages of the command's data. Wrong entries are remembered, not reported: the
/// command fails only when data must move through them. Returns when the last list has arrived.
sim_time front_end::walk_prps(command_slot& c, sim_time from)
{
    const std::uint64_t length = data_length(c.sqe, c.sq == 0, m_lba_shift);
    page_map& data = c.data;
    data.first = c.sqe.prp1;
    data.length = static_cast<std::uint32_t>(length);
    data.pages.clear();
    data.bad_page = ~0ull;
    if (length > m_mdts) { // firmware refuses it; its pages are not looked for
        data.length = 0;
        return from;
    }
    if (data.first % 4 != 0) {
        data.bad_page = 0;
        c.prp_error = NVME_SC_PRP_OFFSET_INVALID;
        return from;
    }
    const std::uint64_t pages = data.page_count();
    if (length == 0 || pages < 2) {
        return from;
    }
    if (pages > 2) {
        return walk_list(c, from);
    }
    data.pages.push_back(c.sqe.prp2);
    if (c.sqe.prp2 % host_page != 0) {
        data.bad_page = 1;
        c.prp_error = NVME_SC_PRP_OFFSET_INVALID;
    }
    return from;
}

/// A list may start anywhere in its page; where it reaches the page's end with entries still to
/// come, its last entry points to the next list.
sim_time front_end::walk_list(command_slot& c, sim_time from)
{
    page_map& data = c.data;
    std::uint64_t list = c.sqe.prp2;
    std::uint64_t left = data.page_count() - 1;
    const auto bad = [&](std::uint16_t status) {
        data.bad_page = data.pages.size() + 1;
        c.prp_error = status;
        return from;
    };
    if (list % sizeof(std::uint64_t) != 0) {
        return bad(NVME_SC_PRP_OFFSET_INVALID);
    }
    while (left != 0) {
        const std::uint64_t here = (host_page - list % host_page) / sizeof(std::uint64_t);
        const std::uint64_t entries = std::min(left, here);
        const dma_result r = host_dma({tlm::TLM_READ_COMMAND, list, m_list.data(),
                                       static_cast<std::uint32_t>(entries * sizeof(std::uint64_t))},
                                      from);
        from = r.end;
        if (!r.ok) {
            return bad(NVME_SC_DATA_TRANSFER_ERROR);
        }
        const bool chained = left > here;
        const std::uint64_t data_entries = chained ? entries - 1 : entries;
        for (std::uint64_t i = 0; i < data_entries; ++i) {
            if (m_list[i] % host_page != 0) {
                return bad(NVME_SC_PRP_OFFSET_INVALID);
            }
            data.pages.push_back(m_list[i]);
        }
        left -= data_entries;
        if (chained) {
            list = m_list[entries - 1];
            if (list % host_page != 0) {
                return bad(NVME_SC_PRP_OFFSET_INVALID);
            }
        }
    }
    return from;
}

/// The phase word is written last: firmware that polls it sees a whole entry.
void front_end::append_command(std::uint16_t slot)
{
    --m_coming;
    if (!m_commands.is_open()) { // firmware took the ring away
        fault("a command arrived and there is no command ring");
        return;
    }
    const command_slot& c = m_slots[slot];
    fe_command entry{};
    entry.sqe = c.sqe;
    entry.slot = slot;
    entry.sq_id = c.sq;
    entry.phase = m_commands.phase ^ 1u;
    unsigned char* at = m_commands.at(m_commands.tail);
    std::memcpy(at, &entry, sizeof entry);
    entry.phase = m_commands.phase;
    std::memcpy(at + offsetof(fe_command, phase), &entry.phase, sizeof entry.phase);
    m_commands.produced();
    raise(FE_INT_COMMAND);
}

} // namespace ssdvp::nvme
