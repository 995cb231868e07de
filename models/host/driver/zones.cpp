// SPDX-License-Identifier: Apache-2.0
//
// The driver and a zoned namespace. What can be written of its zones lies side by side for those
// who submit requests. A write of a zone's first block resets the zone before it, and no write goes
// out until that is done; all others are at the write pointer as long as they come in order.
#include "models/host/driver/driver.h"

namespace ssdvp::host {

/// Of the namespace, where a sector of the drive's lies.
std::uint64_t driver::block_of(std::uint64_t sector) const
{
    if (!zoned()) {
        return sector;
    }
    const std::uint64_t zone = sector / m_config.zone_capacity;
    return (zone * m_config.zone_size + sector % m_config.zone_capacity) / zone_block;
}

/// A read need not end there where the drive reads across and no blocks lie between zones.
std::uint32_t driver::zone_left(const pending_request& r) const
{
    const bool across = info().read_across && m_config.zone_capacity == m_config.zone_size;
    if (!zoned() || (across && r.result.req.kind == request_kind::read)) {
        return ~0u;
    }
    const std::uint64_t at = (r.result.req.lba + r.issued) % m_config.zone_capacity;
    return static_cast<std::uint32_t>(m_config.zone_capacity - at);
}

/// Writes of a zone stay on one queue, for the drive keeps the order of a queue and no other.
queue_pair* driver::zone_queue(const pending_request& r)
{
    const std::vector<std::uint32_t>& queues = m_groups.queues(r.group);
    const std::uint64_t zone = (r.result.req.lba + r.issued) / m_config.zone_capacity;
    queue_pair& q = m_queues[queues[zone % queues.size()]];
    return q.full() ? nullptr : &q;
}

/// Whether the next piece of a request may go out; a queue entry is free.
bool driver::zone_ready(queue_pair& q, std::uint32_t index)
{
    pending_request& r = request_at(index);
    if (r.result.req.kind != request_kind::write) {
        return true;
    }
    if (!r.fresh && (r.result.req.lba + r.issued) % m_config.zone_capacity == 0) {
        send_reset(q, index);
    }
    if (m_resets != 0) {
        return false;
    }
    if (q.full()) { // the reset took the last entry
        return false;
    }
    r.fresh = false;
    return true;
}

/// It is a command of the request: its time counts, and an error is the request's.
void driver::send_reset(queue_pair& q, std::uint32_t index)
{
    constexpr std::uint32_t action_reset = 4; // ZSA of dword 13
    pending_request& r = request_at(index);
    const std::uint16_t cid = q.take_cid();
    command& c = m_commands[slot_of(q, cid)];
    c.request = index;
    c.offset = r.issued;
    c.sectors = static_cast<std::uint32_t>(m_config.zone_capacity);
    c.reset = true;
    c.opened = now() + m_config.submit_latency;
    r.fresh = true;
    ++m_resets;
    open_command(r, ledger_index(q, cid), c.opened);
    const std::uint64_t first = block_of(r.result.req.lba + c.offset);
    nvme_sqe sqe{};
    sqe.opcode = NVME_IO_ZONE_SEND;
    sqe.cid = cid;
    sqe.nsid = 1;
    sqe.cdw10 = static_cast<std::uint32_t>(first);
    sqe.cdw11 = static_cast<std::uint32_t>(first >> 32);
    sqe.cdw13 = action_reset;
    if (shadowed(r)) {
        m_links.check->begin_trim({slot_of(q, cid), r.result.req.lba + c.offset, c.sectors});
    }
    push(q, sqe);
}

void driver::end_reset(std::uint32_t slot, const pending_request& r, const command& c, bool ok)
{
    --m_resets;
    if (shadowed(r)) {
        m_links.check->end_trim({slot, r.result.req.lba + c.offset, c.sectors}, ok);
    }
}

} // namespace ssdvp::host
