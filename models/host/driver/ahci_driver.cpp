// SPDX-License-Identifier: Apache-2.0
//
// Requests of the SATA driver: from the workload to command slots and back.
#include "models/host/driver/ahci_driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/regs/ata_records.h"

namespace ssdvp::host {

namespace {

constexpr std::uint32_t block_ranges = ATA_SECTOR_BYTES / ATA_DSM_RANGE_BYTES;

} // namespace

ahci_driver::ahci_driver(const sc_core::sc_module_name& name, const driver_config& config,
                         memory& mem, const driver_links& links)
    : request_driver(name, config.data, links), mmio("mmio"), m_config(config), m_memory(mem),
      m_regs(mmio)
{
    m_list = mem.allocate(memory::page_size);
    m_fis = m_list + 1024; // behind the command list
    m_page = mem.allocate(memory::page_size);
    if (config.sata.tags == 0 || config.sata.tags > slots) {
        throw std::invalid_argument("ahci_driver: takes 1 to 32 tags");
    }
    mem.listen(this);
    m_agenda.wakes<&ahci_driver::act>(*this);
}

ahci_driver::~ahci_driver() = default;

void ahci_driver::on_msi(std::uint32_t, sim_time when)
{
    m_agenda.push(when + m_config.complete_latency, {task::interrupt, 0});
}

void ahci_driver::act()
{
    activated();
    entry e;
    while (m_agenda.pop_due(e)) {
        if (e.kind == task::interrupt) {
            reap();
        } else if (e.generation == m_generation && m_table != nullptr) {
            poll();
        }
    }
}

/// The interrupt's handler: what is with the drive no longer has completed.
void ahci_driver::reap()
{
    const std::uint32_t causes = get(AHCI_REG_PXIS);
    put(AHCI_REG_PXIS, causes);
    put(AHCI_REG_IS, AHCI_IS_IPS);
    constexpr std::uint32_t errors =
        AHCI_PXIS_IFS | AHCI_PXIS_HBDS | AHCI_PXIS_HBFS | AHCI_PXIS_TFES | AHCI_PXIS_OFS;
    const std::uint32_t ended = m_issued & ~m_filled & ~(get(AHCI_REG_PXSACT) | get(AHCI_REG_PXCI));
    if (m_table != nullptr) {
        const bool failed = (causes & errors) != 0;
        if ((m_issued & 1u) != 0 && (failed || ended != 0)) {
            internal_done(causes & errors);
        } else if (failed && port_runs()) { // it takes no command any more
            internal_failed(causes & errors);
        }
        return;
    }
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if ((ended >> slot & 1u) != 0 && m_commands[slot].told <= now()) {
            finish_command(slot, 0);
        }
    }
    if ((causes & errors) != 0 && m_ready) {
        recover(causes & errors);
    }
    if (ended != 0) {
        end_batch();
    }
}

void ahci_driver::finish_command(std::uint32_t slot, std::uint16_t status)
{
    m_issued &= ~(1u << slot);
    m_by_queue &= ~(1u << slot);
    const command& c = m_commands[slot];
    pending_request& r = request_at(c.request);
    end_data(r, piece_of(slot), status == 0);
    if (r.result.status == 0) {
        r.result.status = status;
    }
    if (--r.in_flight == 0 && r.all_issued) {
        finish_request(c.request, slot);
    }
}

void ahci_driver::finish_request(std::uint32_t index, std::uint32_t slot)
{
    split_latency(close_request(index), slot);
    report(index);
}

/// The parts of the command that ended last, with all that was before it as `queue`.
void ahci_driver::split_latency(request_result& result, std::uint32_t slot)
{
    const sim_time opened = m_commands[slot].opened;
    if (fill_parts(result, slot, opened) != result.completed - opened) {
        fault("latency parts of a request do not sum to its latency");
    }
    result.parts[static_cast<std::size_t>(latency_part::queue)] += opened - result.req.arrival;
}

void ahci_driver::end_batch()
{
    drain_waiting([this](std::uint32_t index) { return issue(index); });
    tell_clients();
    ring();
}

bool ahci_driver::submit(const request& req, unsigned char* data, request_client& client,
                         std::uint64_t cookie)
{
    if (!accepts()) {
        note_client(client);
        return false;
    }
    enter(open_request(req, data, client, cookie), [this](std::uint32_t i) { return issue(i); });
    return true;
}

bool ahci_driver::is_queued(const request& req) const
{
    return m_queued && (req.kind == request_kind::read || req.kind == request_kind::write);
}

/// The lowest slot that is free, or none: a command that is not queued waits until it is alone, and
/// all others wait for it (Serial ATA 3.x section 13.6.1: they do not mix).
std::uint32_t ahci_driver::free_slot(bool queued) const
{
    if (m_recovering || (queued ? m_issued != m_by_queue : m_issued != 0)) {
        return slots;
    }
    for (std::uint32_t slot = 0; slot < m_config.sata.tags; ++slot) {
        if ((m_issued >> slot & 1u) == 0) {
            return slot;
        }
    }
    return slots;
}

/// Hands as much of the request to the drive as there are slots; true when that is all of it.
bool ahci_driver::issue(std::uint32_t index)
{
    pending_request& r = request_at(index);
    const request& req = r.result.req;
    const std::uint32_t most = req.kind == request_kind::trim ? range_sectors * block_ranges
                                                              : m_info.max_transfer / sector_size;
    do {
        const std::uint32_t slot = free_slot(is_queued(req));
        if (slot == slots) {
            return false;
        }
        send(slot, index, std::min(req.sectors - r.issued, most));
    } while (r.issued < req.sectors);
    r.all_issued = true;
    return true;
}

void ahci_driver::send(std::uint32_t slot, std::uint32_t index, std::uint32_t sectors)
{
    pending_request& r = request_at(index);
    command& c = m_commands[slot];
    c = {index, r.issued, sectors, 0, now() + m_config.submit_latency, {}};
    r.issued += sectors;
    open_command(r, slot, c.opened);
    fill_command(slot);
    begin_data(r, piece_of(slot));
    m_issued |= 1u << slot;
    m_filled |= 1u << slot;
    m_by_queue |= is_queued(r.result.req) ? 1u << slot : 0;
    ++m_commands_sent;
}

void ahci_driver::ring()
{
    if (m_filled == 0 || m_recovering) {
        return;
    }
    const std::uint32_t by_queue = m_filled & m_by_queue;
    if (by_queue != 0) {
        m_regs.write32(AHCI_REG_PXSACT, by_queue, m_config.submit_latency);
    }
    m_regs.write32(AHCI_REG_PXCI, m_filled, m_config.submit_latency);
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        if ((m_filled >> slot & 1u) != 0) {
            m_commands[slot].told = now() + m_config.submit_latency;
        }
    }
    m_filled = 0;
    ++m_doorbells;
}

void ahci_driver::forget()
{
    m_agenda.clear();
    ++m_generation;
    m_table = nullptr;
    m_sequence_done = nullptr;
    m_ready = false;
    m_recovering = false;
    m_issued = m_filled = m_by_queue = m_awaiting = 0;
}

} // namespace ssdvp::host
