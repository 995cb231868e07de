// SPDX-License-Identifier: Apache-2.0
//
// Commands and data to the device, and the PRDT: AHCI 1.3.1 sections 4.2, 5.3.
#include <algorithm>
#include <cstring>

#include "models/common/tag_pattern.h"
#include "models/host/ahci/hba.h"

namespace ssdvp::ahci {

/// The next command, by turns, when the device can take one.
void hba::kick()
{
    if (m_port.ci == 0 || !running() || m_fatal || m_sending || m_out.due || m_current != no_slot ||
        busy() || !link->up()) {
        return;
    }
    std::uint32_t slot = m_last;
    do {
        slot = (slot + 1) % AHCI_SLOTS;
    } while ((m_port.ci >> slot & 1u) == 0);
    issue(slot);
}

void hba::issue(std::uint32_t slot)
{
    m_last = m_current = slot;
    ahci_command_header h{};
    m_gp.set_byte_enable_ptr(nullptr);
    const std::uint64_t place = command_list() + slot * sizeof h;
    if (!bus(tlm::TLM_READ_COMMAND, place, &h, sizeof h)) {
        fail(AHCI_PXIS_HBFS);
        return;
    }
    const std::uint32_t length = (h.flags & AHCI_HEADER_CFL_MASK) * 4u;
    if (length != sizeof(fis::register_h2d)) { // the only FIS that a command can be
        fail(AHCI_PXIS_HBFS);
        return;
    }
    m_slots[slot] = {std::uint64_t{h.ctbau} << 32 | (h.ctba & ~0x7Fu), h.prdtl, 0, 0, 0};
    send_command(slot, h);
}

void hba::send_command(std::uint32_t slot, const ahci_command_header& h)
{
    fis::register_h2d c;
    if (!bus(tlm::TLM_READ_COMMAND, m_slots[slot].table, &c, sizeof c)) {
        fail(AHCI_PXIS_HBFS);
        return;
    }
    if ((m_port.sact >> slot & 1u) == 0) { // not queued: its data come without a DMA Setup
        m_in = {slot, 0, ~0u, false, false};
        m_out = {slot, 0, prdt_bytes(slot), false, false};
    }
    if ((c.flags & fis::FLAG_COMMAND) != 0) {
        m_port.tfd |= fis::STATUS_BSY;
    } else if ((c.control & fis::CONTROL_SRST) != 0) {
        m_signature = true;
    }
    m_clears = (h.flags & AHCI_HEADER_C) != 0;
    sata::frame f;
    f.header = &c;
    f.header_length = sizeof c;
    f.slot = static_cast<std::uint8_t>(slot);
    f.issued = m_issued[slot];
    ++m_stats.commands;
    m_sending = true;
    link->send(sata::side::host, f, now() + m_config.command_latency);
}

/// The device asks for data: a Data FIS of `length` bytes, 0 = as much as one holds.
void hba::activate(std::uint32_t length)
{
    if (m_fatal || m_out.slot == no_slot) {
        return;
    }
    m_out.due = true;
    m_sent_length = std::min({m_out.left, fis::DATA_MAX, length == 0 ? fis::DATA_MAX : length});
    if (!m_sending) {
        send_data(now());
    }
}

void hba::send_data(sim_time earliest)
{
    bool interrupt = false;
    if (m_sent_length == 0 ||
        !move(tlm::TLM_READ_COMMAND, m_out, m_staging.data(), m_sent_length, interrupt)) {
        m_out.due = false;
        return;
    }
    if (interrupt) {
        raise(AHCI_PXIS_DPS);
    }
    sata::frame f;
    f.header = &m_data_header;
    f.header_length = sizeof m_data_header;
    f.data = m_staging.data();
    f.data_length = (m_sent_length + 3) / 4 * 4; // whole words, the last one filled up
    std::fill(m_staging.begin() + m_sent_length, m_staging.begin() + f.data_length,
              std::uint8_t{0});
    f.metadata = m_out.metadata;
    f.slot = static_cast<std::uint8_t>(m_out.slot);
    m_sending = true;
    link->send(sata::side::host, f, earliest + m_config.data_latency);
}

void hba::on_sent(const sata::frame& f, const sata::sent& s)
{
    m_sending = false;
    if (!s.ok) {
        m_out.due = false;
        refuse(AHCI_PXSERR_H, s.end);
        return;
    }
    if (f.type() == fis::DATA) {
        m_out.due = false;
        m_out.offset += m_sent_length;
        m_out.left -= m_sent_length;
        m_stats.bytes_from_memory += m_sent_length;
        if (m_pio_left != 0) {
            m_pio_left = 0;
            m_agenda.push(s.end, {job_kind::pio_end, m_pio_end, m_session, 0, {}});
        } else if (m_port.ci != 0 && m_current == no_slot) {
            m_agenda.push(s.end, {job_kind::proceed, 0, m_session, 0, {}});
        }
        return;
    }
    if (m_clears) {
        m_clears = false;
        m_agenda.push(s.end, {job_kind::command_sent, 0, m_session, 0, {}});
    }
    if (m_out.due) {
        send_data(s.end);
    }
}

/// A command's data are walked forward as a rule; a step back begins at the first descriptor.
bool hba::next_run(std::uint32_t slot, std::uint32_t offset, run& r)
{
    slot_state& c = m_slots[slot];
    if (offset < c.start) {
        c.prd = c.start = 0;
    }
    while (c.prd < c.prdtl) {
        ahci_prd p{};
        m_gp.set_byte_enable_ptr(nullptr);
        const std::uint64_t place = c.table + AHCI_TABLE_PRDT + std::uint64_t{c.prd} * sizeof p;
        if (!bus(tlm::TLM_READ_COMMAND, place, &p, sizeof p)) {
            fail(AHCI_PXIS_HBFS);
            return false;
        }
        const std::uint32_t length = ((p.dbc & AHCI_PRD_DBC_MASK) | 1u) + 1u;
        if (offset - c.start < length) {
            const std::uint32_t at = offset - c.start;
            r.address = (std::uint64_t{p.dbau} << 32 | (p.dba & ~1u)) + at;
            r.length = length - at;
            r.interrupt = (p.dbc & AHCI_PRD_I) != 0;
            return true;
        }
        c.start += length;
        ++c.prd;
    }
    fail(AHCI_PXIS_OFS);
    return false;
}

std::uint32_t hba::prdt_bytes(std::uint32_t slot)
{
    const slot_state& c = m_slots[slot];
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < c.prdtl; ++i) {
        ahci_prd p{};
        const std::uint64_t place = c.table + AHCI_TABLE_PRDT + std::uint64_t{i} * sizeof p;
        if (!bus(tlm::TLM_READ_COMMAND, place, &p, sizeof p)) {
            fail(AHCI_PXIS_HBFS);
            return 0;
        }
        sum += ((p.dbc & AHCI_PRD_DBC_MASK) | 1u) + 1u;
    }
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, ~0u));
}

bool hba::move(tlm::tlm_command direction, const transfer& t, unsigned char* bytes,
               std::uint32_t length, bool& interrupt)
{
    std::uint32_t done = 0;
    while (done < length) {
        run r{};
        if (!next_run(t.slot, t.offset + done, r)) {
            return false;
        }
        const std::uint32_t part = std::min(r.length, length - done);
        interrupt = interrupt || (r.interrupt && part == r.length);
        set_enables(t, t.offset + done, part);
        if (!bus(direction, r.address, bytes + done, part)) {
            fail(AHCI_PXIS_HBDS);
            return false;
        }
        done += part;
    }
    slot_state& c = m_slots[t.slot];
    c.moved = std::max(c.moved, t.offset + length);
    m_gp.set_byte_enable_ptr(nullptr);
    const std::uint64_t header = command_list() + t.slot * sizeof(ahci_command_header);
    return bus(tlm::TLM_WRITE_COMMAND, header + offsetof(ahci_command_header, prdbc), &c.moved,
               sizeof c.moved);
}

bool hba::bus(tlm::tlm_command direction, std::uint64_t address, void* bytes, std::uint32_t length)
{
    m_gp.set_command(direction);
    m_gp.set_address(address);
    m_gp.set_data_ptr(static_cast<unsigned char*>(bytes));
    m_gp.set_data_length(length);
    m_gp.set_streaming_width(length);
    m_gp.set_dmi_allowed(false);
    m_gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    memory->b_transport(m_gp, delay);
    return m_gp.is_response_ok();
}

/// Byte enables of data that starts `at` bytes into the command's data.
void hba::set_enables(const transfer& t, std::uint32_t at, std::uint32_t length)
{
    const data_mode mode = t.metadata ? data_mode::full : m_config.data;
    set_byte_enables(m_gp, mode);
    if (mode == data_mode::tag && (at % sector_size != 0 || length % sector_size != 0)) {
        m_gp.set_byte_enable_ptr(const_cast<unsigned char*>(tag_pattern.data() + at % sector_size));
    }
}

} // namespace ssdvp::ahci
