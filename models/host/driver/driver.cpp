// SPDX-License-Identifier: Apache-2.0
#include "models/host/driver/driver.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace ssdvp::host {

namespace {

constexpr std::uint32_t page = static_cast<std::uint32_t>(memory::page_size);

constexpr std::uint64_t page_up(std::uint64_t bytes)
{
    return (bytes + page - 1) / page * page;
}

constexpr std::size_t part_index(latency_part part)
{
    return static_cast<std::size_t>(part);
}

constexpr std::uint64_t sq_doorbell(std::uint32_t queue)
{
    return NVME_REG_DOORBELL + queue * NVME_DOORBELL_STRIDE + NVME_DOORBELL_SQTDBL;
}
constexpr std::uint64_t cq_doorbell(std::uint32_t queue)
{
    return NVME_REG_DOORBELL + queue * NVME_DOORBELL_STRIDE + NVME_DOORBELL_CQHDBL;
}

} // namespace

std::size_t driver::ledger_commands(const driver_config& config)
{
    return std::size_t{config.queue_pairs + 1} *
           std::max(config.queue_entries, bring_up::admin_entries);
}

std::uint64_t driver::queue_memory(const driver_config& config)
{
    const std::uint64_t pair = page_up(config.queue_entries * sizeof(nvme_cqe)) +
                               page_up(config.queue_entries * sizeof(nvme_sqe));
    return config.queue_pairs * pair + bring_up::memory_size + memory_loan::most(config.hmb);
}

driver::driver(const sc_core::sc_module_name& name, const driver_config& config, memory& mem,
               const driver_links& links)
    : request_driver(name, config.data, links), mmio("mmio"), m_config(config),
      m_block_metadata(config.metadata), m_memory(mem), m_regs(mmio),
      m_cq_area(
          mem.allocate(config.queue_pairs * page_up(config.queue_entries * sizeof(nvme_cqe)))),
      m_cq_stride(page_up(config.queue_entries * sizeof(nvme_cqe))),
      m_bring_up(m_config, m_regs, mem, *this), m_groups(config)
{
    if (config.queue_pairs == 0 || config.queue_entries < 2 || config.queue_entries > 65536) {
        throw std::invalid_argument("driver: needs a queue pair of 2 to 65536 entries");
    }
    for (std::uint32_t i = 0; i < config.queue_pairs; ++i) {
        m_queues.emplace_back(static_cast<std::uint16_t>(i + 1), config.queue_entries, mem,
                              m_cq_area + i * m_cq_stride);
        m_queues.back().set_priority(m_groups.class_of(i));
    }
    m_to_ring.reserve(config.queue_pairs);
    mem.watch(m_cq_area, config.queue_pairs * m_cq_stride);
    mem.listen(this);
    m_agenda.wakes<&driver::act>(*this);
    m_limit.wakes<&driver::act>(*this);
}

driver::~driver() = default;

void driver::start(callback done)
{
    m_sequence_done = std::move(done);
    m_starting = true;
    m_in_sequence = true;
    m_bring_up.initialise();
}

void driver::shutdown(callback done)
{
    m_sequence_done = std::move(done);
    m_ready = false;
    m_starting = false;
    m_changing = false;
    m_in_sequence = true;
    m_bring_up.shut_down();
}

void driver::poll_after(sim_time delay)
{
    m_agenda.push(now() + delay, {task::poll, 0});
}

void driver::watch_after(sim_time delay, std::uint32_t generation)
{
    m_limited = generation;
    m_limit.set(now() + delay);
}

void driver::sequence_ended(bool ok, const std::string& why)
{
    if (m_changing) {
        memory_changed(ok, why);
        return;
    }
    m_agenda.clear(); // of polls: nothing else is under way
    m_limit.clear();
    m_in_sequence = false;
    if (!ok) {
        fault(why);
    } else if (m_starting) {
        prepare_buffers();
        heed_write_cache();
        m_ready = true;
        plan_memory();
    }
    if (m_sequence_done) {
        m_sequence_done(ok);
    }
}

void driver::prepare_buffers()
{
    if (m_buffers != 0) {
        return; // a power cycle: the drive is the same one
    }
    const std::uint32_t slots = m_config.queue_pairs * m_config.queue_entries;
    m_max_transfer = info().max_transfer;
    m_most_sectors = m_max_transfer / m_block_metadata.pitch();
    const std::uint64_t metadata = m_block_metadata.any() ? metadata_buffer(slots) : 0;
    m_memory.reserve(std::uint64_t{slots} * (m_max_transfer + page) + memory::page_up(metadata));
    m_buffers = m_memory.allocate(std::uint64_t{slots} * m_max_transfer);
    m_prp_lists = m_memory.allocate(std::uint64_t{slots} * page);
    if (m_block_metadata.any()) {
        m_metadata = m_memory.allocate(metadata);
    }
    m_commands.resize(slots);
    reserve_requests(slots);
    if (m_links.check != nullptr) {
        m_links.check->configure(info().capacity, slots, m_max_transfer / sector_size);
    }
}

void driver::on_watched_write(std::uint64_t address, std::uint64_t length, sim_time when)
{
    for (std::uint64_t at = address; at < address + length; at += sizeof(nvme_cqe)) {
        const std::uint64_t offset = at - m_cq_area;
        const std::uint64_t index = offset % m_cq_stride / sizeof(nvme_cqe);
        if (offset / m_cq_stride < m_queues.size() && index < m_config.queue_entries) {
            m_queues[offset / m_cq_stride].note_arrival(index, when);
        }
    }
}

void driver::on_msi(std::uint32_t data, sim_time when)
{
    m_agenda.push(when + m_config.complete_latency, {task::interrupt, data});
}

void driver::act()
{
    activated();
    entry e;
    bool reaped = false;
    while (m_agenda.pop_due(e)) {
        if (e.kind == task::poll) {
            m_bring_up.on_poll();
        } else if (e.kind == task::memory) {
            change_memory(e.value);
        } else if (e.value == 0) {
            m_bring_up.on_interrupt();
        } else if (e.value <= m_queues.size()) {
            if (m_ready) { // else of a controller that is being reset
                reap(m_queues[e.value - 1]);
                reaped = true;
            }
        } else {
            fault(fmt::format("interrupt message {} belongs to no vector", e.value));
        }
    }
    if (reaped) {
        end_batch();
    }
    if (m_limit.passed()) {
        m_bring_up.on_watchdog(m_limited);
    }
}

void driver::reap(queue_pair& q)
{
    const std::uint32_t head = q.cq_head();
    nvme_cqe cqe{};
    while (q.pop(now(), cqe)) {
        finish_command(q, cqe);
    }
    if (q.cq_head() != head) {
        m_regs.write32(cq_doorbell(q.id()), q.cq_head());
        ++m_doorbells;
    }
}

void driver::finish_command(queue_pair& q, const nvme_cqe& cqe)
{
    if (!q.release_cid(cqe.cid)) {
        fault(fmt::format("completion on queue {} for command {}, which is not in flight", q.id(),
                          cqe.cid));
        return;
    }
    const std::uint32_t slot = slot_of(q, cqe.cid);
    const command& c = m_commands[slot];
    pending_request& r = request_at(c.request);
    const auto status = static_cast<std::uint16_t>((cqe.status >> 1) & 0x7FF);
    if (c.reset) {
        end_reset(slot, r, c, status == 0);
    } else {
        give_data(slot, r, c, status == 0);
    }
    if (r.result.status == 0) {
        r.result.status = status;
    }
    r.result.queue = static_cast<std::uint16_t>(q.id());
    if (--r.in_flight == 0 && r.all_issued) {
        finish_request(c.request, c, ledger_index(q, cqe.cid));
    }
}

void driver::finish_request(std::uint32_t index, const command& c, std::size_t ledger_index)
{
    split_latency(close_request(index), c, ledger_index);
    report(index);
}

/// The parts of the command that ended last, with all that was before it as `queue`.
void driver::split_latency(request_result& result, const command& c, std::size_t ledger_index)
{
    const sim_time in_drive = result.completed - c.opened;
    const sim_time sum = fill_parts(result, ledger_index, c.opened);
    latency_split& parts = result.parts;
    // A completion reaped with an earlier one's interrupt: its own message, already stamped,
    // arrives later. What lies after `completed` did not delay the request.
    sim_time excess = sum - in_drive;
    for (latency_part part : {latency_part::completion, latency_part::link}) {
        const sim_time cut = earlier(excess, parts[part_index(part)]);
        parts[part_index(part)] = parts[part_index(part)] - cut;
        excess = excess - cut;
    }
    if (excess != sim_time() || sum < in_drive) {
        fault(
            fmt::format("latency parts of request {} do not sum to its latency", result.sequence));
    }
    parts[part_index(latency_part::queue)] += c.opened - result.req.arrival;
}

void driver::end_batch()
{
    drain_waiting([this](std::uint32_t index) { return issue(index); });
    tell_clients();
    ring();
}

bool driver::submit(const request& req, unsigned char* data, request_client& client,
                    std::uint64_t cookie)
{
    if (!accepts()) {
        note_client(client);
        return false;
    }
    const std::uint32_t index = open_request(req, data, client, cookie);
    pending_request& r = request_at(index);
    r.group = m_groups.group_of(req.stream);
    r.queue = m_groups.take_turn(r.group);
    enter(index, [this](std::uint32_t i) { return issue(i); });
    return true;
}

/// Hands as much of the request to the drive as the queues take; true when that is all of it.
bool driver::issue(std::uint32_t index)
{
    pending_request& r = request_at(index);
    const bool split =
        r.result.req.kind == request_kind::read || r.result.req.kind == request_kind::write;
    do {
        queue_pair* q = pick_queue(r);
        if (q == nullptr) {
            return false;
        }
        if (zoned() && split && !zone_ready(*q, index)) {
            return false;
        }
        const std::uint32_t left = r.result.req.sectors - r.issued;
        const std::uint32_t most = std::min(m_most_sectors, zone_left(r));
        const std::uint32_t sectors = split ? std::min(left, most) : left;
        send(*q, index, sectors);
    } while (r.issued < r.result.req.sectors);
    r.all_issued = true;
    return true;
}

/// The request's own queue pair, or when that is full the next one of its group with room.
queue_pair* driver::pick_queue(pending_request& r)
{
    if (zoned() && r.result.req.kind == request_kind::write) {
        return zone_queue(r);
    }
    const std::vector<std::uint32_t>& queues = m_groups.queues(r.group);
    for (std::size_t i = 0; i < queues.size(); ++i) {
        queue_pair& q = m_queues[queues[r.queue]];
        if (!q.full()) {
            return &q;
        }
        r.queue = r.queue + 1 == queues.size() ? 0 : r.queue + 1;
    }
    return nullptr;
}

void driver::send(queue_pair& q, std::uint32_t index, std::uint32_t sectors)
{
    pending_request& r = request_at(index);
    const std::uint16_t cid = q.take_cid();
    const std::uint32_t slot = slot_of(q, cid);
    command& c = m_commands[slot];
    c.request = index;
    c.offset = r.issued;
    c.sectors = sectors;
    c.reset = false;
    c.opened = now() + m_config.submit_latency;
    r.issued += sectors;
    open_command(r, ledger_index(q, cid), c.opened);
    nvme_sqe sqe{};
    sqe.cid = cid;
    sqe.nsid = 1;
    switch (r.result.req.kind) {
    case request_kind::read:
    case request_kind::write:
        fill_data_command(sqe, slot, r);
        break;
    case request_kind::trim: {
        const nvme_dsm_range range = {0, sectors, r.result.req.lba};
        std::memcpy(m_memory.at(buffer(slot)), &range, sizeof range);
        sqe.opcode = NVME_IO_DSM;
        point_to(sqe, buffer(slot), sizeof range);
        sqe.cdw10 = 0; // one range, counted from 0
        sqe.cdw11 = NVME_DSM_DEALLOCATE;
        break;
    }
    case request_kind::flush:
        sqe.opcode = NVME_IO_FLUSH;
        break;
    }
    take_data(slot, r, c);
    push(q, sqe);
}

void driver::push(queue_pair& q, const nvme_sqe& sqe)
{
    if (!q.sq_dirty()) {
        m_to_ring.push_back(q.id() - 1u);
    }
    q.push(sqe);
    ++m_commands_sent;
}

/// A PRP of the first page, or the SGL descriptor of all.
void driver::point_to(nvme_sqe& sqe, std::uint64_t address, std::uint32_t length) const
{
    sqe.prp1 = address;
    if (m_config.sgl) {
        static_assert(NVME_SGL_DATA == 0, "type and subtype, the last byte, are 0");
        sqe.prp2 = length;
        sqe.flags = NVME_PSDT_SGL << NVME_PSDT_SHIFT;
    }
}

/// The directive stream of its workload stream, if it has one.
void driver::name_stream(nvme_sqe& sqe, const request& req) const
{
    const auto& ids = m_config.stream_ids;
    if (req.kind == request_kind::write && req.stream < ids.size() && ids[req.stream] != 0) {
        sqe.cdw12 |= std::uint32_t{NVME_DIRECTIVE_STREAMS} << NVME_RW_DTYPE_SHIFT;
        sqe.cdw13 = std::uint32_t{ids[req.stream]} << NVME_RW_DSPEC_SHIFT;
    }
}

void driver::fill_data_command(nvme_sqe& sqe, std::uint32_t slot, const pending_request& r)
{
    command& c = m_commands[slot];
    const bool write = r.result.req.kind == request_kind::write;
    const std::uint64_t lba = block_of(r.result.req.lba + c.offset);
    const std::uint32_t blocks = zoned() ? c.sectors / zone_block : c.sectors;
    sqe.opcode = write ? NVME_IO_WRITE : NVME_IO_READ;
    sqe.cdw10 = static_cast<std::uint32_t>(lba);
    sqe.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    sqe.cdw12 = (blocks - 1) | (r.result.req.fua ? NVME_RW_FUA : 0);
    name_stream(sqe, r.result.req);
    m_block_metadata.protect(sqe, lba);
    if (m_block_metadata.any() && !m_block_metadata.extended()) {
        sqe.mptr = metadata_buffer(slot);
    }
    const std::uint64_t data = buffer(slot);
    const std::uint32_t length = c.sectors * m_block_metadata.pitch();
    const std::uint32_t pages = (length + page - 1) / page;
    point_to(sqe, data, length);
    if (m_config.sgl) {
        return; // a slot's buffer is one data block
    }
    if (pages == 2) {
        sqe.prp2 = data + page;
    } else if (pages > 2) {
        sqe.prp2 = m_prp_lists + std::uint64_t{slot} * page;
        if (!c.prp_list_built) {
            // The buffer of a slot never moves: its list is written once.
            c.prp_list_built = true;
            unsigned char* list = m_memory.at(sqe.prp2);
            for (std::uint32_t i = 1; i < m_max_transfer / page; ++i) {
                const std::uint64_t address = data + std::uint64_t{i} * page;
                std::memcpy(list + std::size_t{i - 1} * 8, &address, sizeof address);
            }
        }
    }
}

void driver::take_data(std::uint32_t slot, const pending_request& r, const command& c)
{
    begin_data(r, piece_of(slot, c));
    const request& req = r.result.req;
    if (m_block_metadata.any() && req.kind == request_kind::write) {
        m_block_metadata.make(req.lba + c.offset, c.sectors, m_memory.at(buffer(slot)),
                              metadata_at(slot));
    } else if (m_block_metadata.any() && req.kind == request_kind::read) {
        std::memset(metadata_at(slot), 0xDE, std::size_t{c.sectors} * m_block_metadata.bytes());
    }
}

/// Every sector with its own.
void driver::check_metadata(std::uint32_t slot, const request& req, const command& c)
{
    const unsigned char* data = m_memory.at(buffer(slot));
    const unsigned char* metadata = metadata_at(slot);
    for (std::uint32_t i = 0; i < c.sectors; ++i) {
        if (!m_block_metadata.belongs(req.lba + c.offset + i, data + std::size_t{i} * sector_size,
                                      metadata + std::size_t{i} * m_block_metadata.bytes())) {
            m_links.check->wrong_metadata(req.lba + c.offset + i);
        }
    }
}

void driver::give_data(std::uint32_t slot, const pending_request& r, const command& c, bool ok)
{
    const request& req = r.result.req;
    const bool with_metadata = m_block_metadata.any() && req.kind == request_kind::read && ok;
    if (with_metadata) {
        m_block_metadata.gather(c.sectors, m_memory.at(buffer(slot)), metadata_at(slot));
    }
    end_data(r, piece_of(slot, c), ok);
    if (with_metadata && shadowed(r)) {
        check_metadata(slot, req, c);
    }
}

void driver::ring()
{
    for (const std::uint32_t i : m_to_ring) {
        queue_pair& q = m_queues[i];
        q.take_sq_dirty();
        m_regs.write32(sq_doorbell(q.id()), q.sq_tail(), m_config.submit_latency);
        ++m_doorbells;
    }
    m_to_ring.clear();
}

} // namespace ssdvp::host
