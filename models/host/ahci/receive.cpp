// SPDX-License-Identifier: Apache-2.0
//
// Frames from the device: AHCI 1.3.1 section 5.3. Each is told ahead of its arrival. Data go to
// memory at the call; what registers show waits until the frame counts.
#include <algorithm>
#include <cstring>

#include "models/host/ahci/hba.h"

namespace ssdvp::ahci {

bool hba::on_frame(const sata::frame& f, sim_time arrival)
{
    const std::uint8_t type = f.type();
    if (f.damaged) {
        return refuse(AHCI_PXSERR_C | AHCI_PXSERR_T, arrival);
    }
    const std::uint32_t size = fis::size_of(type);
    if (size == 0) { // kept for software to look at
        store(AHCI_RFIS_UNKNOWN, f.header, f.header_length);
        m_agenda.push(arrival, {job_kind::link_error, AHCI_PXSERR_F, m_session, 0, {}});
        return true;
    }
    if (f.header_length != size || (type == fis::DATA) != (f.data_length != 0)) {
        return refuse(AHCI_PXSERR_P, arrival);
    }
    if (type == fis::REGISTER_D2H || type == fis::SET_DEVICE_BITS) {
        push_fis(type == fis::REGISTER_D2H ? job_kind::task_file : job_kind::bits, f, arrival);
        return true;
    }
    if (type == fis::REGISTER_H2D) {
        return refuse(AHCI_PXSERR_P, arrival);
    }
    return !running() || take_transfer(f, arrival); // not running: of a command that was forgotten
}

bool hba::take_transfer(const sata::frame& f, sim_time arrival)
{
    switch (f.type()) {
    case fis::DMA_SETUP:
        return take_setup(f, arrival);
    case fis::DMA_ACTIVATE:
        if (m_out.slot == no_slot || m_out.left == 0) {
            return refuse(AHCI_PXSERR_P, arrival);
        }
        m_out.metadata = m_out.metadata || f.metadata;
        m_agenda.push(arrival, {job_kind::send_data, 0, m_session, 0, {}});
        return true;
    case fis::PIO_SETUP:
        return take_pio(f, arrival);
    default:
        return take_data(f, arrival);
    }
}

/// R_ERR, and the port stops: IFS.
bool hba::refuse(std::uint32_t error_bits, sim_time arrival)
{
    m_agenda.push(arrival, {job_kind::link_error, error_bits, m_session, AHCI_PXIS_IFS, {}});
    return false;
}

void hba::push_fis(job_kind kind, const sata::frame& f, sim_time arrival)
{
    job j{};
    j.kind = kind;
    j.session = m_session;
    std::memcpy(j.fis.data(), f.header, std::min<std::size_t>(f.header_length, j.fis.size()));
    m_agenda.push(arrival, j);
}

bool hba::take_setup(const sata::frame& f, sim_time arrival)
{
    fis::dma_setup s;
    std::memcpy(&s, f.header, sizeof s);
    const bool to_host = (s.flags & fis::FLAG_TO_HOST) != 0;
    const bool known = s.buffer_low < AHCI_SLOTS && s.buffer_high == 0 &&
                       ((m_port.sact | m_port.ci) >> s.buffer_low & 1u) != 0;
    if (!known || s.count == 0 || s.offset % 4 != 0) {
        return refuse(AHCI_PXSERR_P, arrival);
    }
    store(AHCI_RFIS_DMA_SETUP, &s, sizeof s);
    transfer& t = to_host ? m_in : m_out;
    t = {s.buffer_low, s.offset, s.count, f.metadata, false};
    if ((s.flags & fis::FLAG_INTERRUPT) != 0) {
        m_agenda.push(arrival, {job_kind::dma_setup, 0, m_session, 0, {}});
    }
    if (!to_host && (s.flags & fis::FLAG_AUTO_ACTIVATE) != 0) {
        m_agenda.push(arrival, {job_kind::send_data, 0, m_session, 0, {}});
    }
    return true;
}

bool hba::take_pio(const sata::frame& f, sim_time arrival)
{
    fis::pio_setup s;
    std::memcpy(&s, f.header, sizeof s);
    if (m_current == no_slot || s.transfer_count == 0 || s.transfer_count > fis::DATA_MAX) {
        return refuse(AHCI_PXSERR_P, arrival);
    }
    store(AHCI_RFIS_PIO_SETUP, &s, sizeof s);
    push_fis(job_kind::pio, f, arrival);
    m_pio_end = s.end_status;
    m_pio_left = s.transfer_count;
    m_pio_interrupts = (s.flags & fis::FLAG_INTERRUPT) != 0;
    if ((s.flags & fis::FLAG_TO_HOST) == 0) {
        m_out.metadata = m_out.metadata || f.metadata;
        m_agenda.push(arrival, {job_kind::send_data, s.transfer_count, m_session, 0, {}});
    }
    return true;
}

bool hba::take_data(const sata::frame& f, sim_time arrival)
{
    // Whole words: the last one may be more than was announced.
    if (m_in.slot == no_slot || f.data_length / 4 > m_in.left / 4 + (m_in.left % 4 != 0 ? 1 : 0)) {
        return refuse(AHCI_PXSERR_P, arrival);
    }
    const std::uint32_t length = std::min(f.data_length, m_in.left);
    transfer t = m_in;
    t.metadata = t.metadata || f.metadata;
    bool interrupt = false;
    move(tlm::TLM_WRITE_COMMAND, t, const_cast<unsigned char*>(f.data), length, interrupt);
    m_in.offset += length;
    m_in.left -= length;
    m_stats.bytes_to_memory += length;
    if (interrupt) {
        m_agenda.push(arrival, {job_kind::data_done, 0, m_session, 0, {}});
    }
    if (m_pio_left != 0) {
        m_pio_left -= std::min(m_pio_left, length);
        if (m_pio_left == 0) {
            m_agenda.push(arrival, {job_kind::pio_end, m_pio_end, m_session, m_pio_interrupts, {}});
        }
    }
    return true;
}

void hba::store(std::uint32_t place, const void* fis, std::uint32_t length)
{
    if ((m_port.cmd & AHCI_PXCMD_FRE) == 0) {
        return;
    }
    const std::uint64_t area = std::uint64_t{m_port.fbu} << 32 | m_port.fb;
    m_gp.set_byte_enable_ptr(nullptr);
    if (!bus(tlm::TLM_WRITE_COMMAND, area + place, const_cast<void*>(fis), length)) {
        fail(AHCI_PXIS_HBFS);
    }
}

void hba::set_status(std::uint8_t status, std::uint8_t error)
{
    m_port.tfd = status | std::uint32_t{error} << AHCI_PXTFD_ERR_SHIFT;
}

/// The command whose FIS was sent has left the shadow registers: with the device, or done.
void hba::end_command()
{
    if (busy()) {
        return;
    }
    if ((m_port.tfd & fis::STATUS_ERR) != 0) {
        fail(AHCI_PXIS_TFES);
    } else if (m_current != no_slot) {
        m_port.ci &= ~(1u << m_current);
        m_current = no_slot;
    }
    kick();
}

void hba::task_file(const job& j)
{
    fis::register_d2h d;
    std::memcpy(&d, j.fis.data(), sizeof d);
    store(AHCI_RFIS_D2H, &d, sizeof d);
    set_status(d.status, d.error);
    if (m_signature) {
        m_signature = false;
        m_port.sig = d.count | std::uint32_t{d.lba_low[0]} << 8 |
                     std::uint32_t{d.lba_low[1]} << 16 | std::uint32_t{d.lba_low[2]} << 24;
    }
    if ((d.flags & fis::FLAG_INTERRUPT) != 0) {
        raise(AHCI_PXIS_DHRS);
    }
    end_command();
}

void hba::device_bits(const job& j)
{
    fis::set_device_bits s;
    std::memcpy(&s, j.fis.data(), sizeof s);
    store(AHCI_RFIS_SDB, &s, sizeof s);
    m_port.sact &= ~s.active;
    const auto kept = static_cast<std::uint8_t>(m_port.tfd & ~std::uint32_t{fis::SDB_STATUS_MASK});
    set_status(static_cast<std::uint8_t>(kept | (s.status & fis::SDB_STATUS_MASK)), s.error);
    if ((s.flags & fis::FLAG_INTERRUPT) != 0) {
        raise(AHCI_PXIS_SDBS);
    }
    if ((s.status & fis::STATUS_ERR) != 0) {
        fail(AHCI_PXIS_TFES);
    }
    kick();
}

void hba::on_phy(bool up)
{
    ++m_session;
    m_sending = false;
    m_out.due = false;
    m_port.serr |= AHCI_PXSERR_N | (up ? AHCI_PXSERR_X : 0);
    if (up) {
        m_port.ssts =
            1u << AHCI_PXSSTS_IPM_SHIFT | link->generation() << AHCI_PXSSTS_SPD_SHIFT | 3u;
        m_port.tfd |= fis::STATUS_BSY;
    } else {
        m_port.ssts = 0;
        m_port.tfd = AHCI_PXTFD_RESET;
        m_signature = true;
    }
    update_irq();
}

} // namespace ssdvp::ahci
