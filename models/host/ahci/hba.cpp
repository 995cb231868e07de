// SPDX-License-Identifier: Apache-2.0
//
// Registers and interrupts: AHCI 1.3.1 sections 3 and 5.
#include "models/host/ahci/hba.h"

#include <cstring>

namespace ssdvp::ahci {

namespace {

constexpr std::uint32_t is_written = 0x7D00002Fu; // bits of PxIS that a written 1 clears
constexpr std::uint32_t ie_kept =
    AHCI_PXIE_LOW_MASK | AHCI_PXIE_PRCE | AHCI_PXIE_OFE | AHCI_PXIE_ERRORS_MASK;
constexpr std::uint32_t serr_kept = AHCI_PXSERR_T | AHCI_PXSERR_P | AHCI_PXSERR_N | AHCI_PXSERR_C |
                                    AHCI_PXSERR_H | AHCI_PXSERR_F | AHCI_PXSERR_X;
constexpr std::uint32_t sctl_kept =
    AHCI_PXSCTL_DET_MASK | AHCI_PXSCTL_SPD_MASK | AHCI_PXSCTL_IPM_MASK;

enum detection : std::uint32_t { RUN = 0, COMRESET = 1, OFF = 4 };

} // namespace

hba::hba(const sc_core::sc_module_name& name, const hba_config& config, std::uint64_t message)
    : block(name), regs("regs"), memory("memory"), link("link"), m_config(config),
      m_message(message)
{
    regs.register_b_transport(this, &hba::access);
    m_agenda.wakes<&hba::act>(*this);
}

hba::~hba() = default;

void hba::act()
{
    activated();
    job j{};
    while (m_agenda.pop_due(j)) {
        perform(j);
    }
    update_irq();
}

void hba::perform(const job& j)
{
    if (j.kind == job_kind::register_write) {
        write(j.offset, j.value);
        return;
    }
    if (j.session != m_session) {
        return; // the link went down before the frame counted
    }
    switch (j.kind) {
    case job_kind::task_file:
        task_file(j);
        break;
    case job_kind::bits:
        device_bits(j);
        break;
    case job_kind::pio:
        set_status(j.fis[2], j.fis[3]);
        break;
    case job_kind::pio_end:
        set_status(static_cast<std::uint8_t>(j.value), j.fis[0]);
        raise(j.offset != 0 ? AHCI_PXIS_PSS : 0);
        end_command();
        break;
    case job_kind::dma_setup:
        raise(AHCI_PXIS_DSS);
        break;
    case job_kind::data_done:
        raise(AHCI_PXIS_DPS);
        break;
    case job_kind::send_data:
        activate(j.value);
        break;
    case job_kind::proceed:
        kick();
        break;
    case job_kind::command_sent:
        m_port.tfd &= ~std::uint32_t{fis::STATUS_BSY};
        end_command();
        break;
    default:
        m_port.serr |= j.value;
        fail(j.offset);
        break;
    }
}

/// An error that stops the port: AHCI 6.1.
void hba::fail(std::uint32_t bits)
{
    raise(bits);
    constexpr std::uint32_t fatal =
        AHCI_PXIS_IFS | AHCI_PXIS_HBDS | AHCI_PXIS_HBFS | AHCI_PXIS_TFES;
    if ((bits & fatal) != 0) {
        ++m_stats.errors;
        m_fatal = true;
    }
}

void hba::access(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t address = gp.get_address();
    if (gp.get_data_length() != 4 || address % 4 != 0 || gp.get_byte_enable_ptr() != nullptr) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (address >= window) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    job j{};
    while (m_agenda.due() && m_agenda.pop_due(j)) {
        perform(j);
    }
    std::uint32_t value = 0;
    if (gp.is_read()) {
        value = read(static_cast<std::uint32_t>(address));
        std::memcpy(gp.get_data_ptr(), &value, sizeof value);
    } else {
        std::memcpy(&value, gp.get_data_ptr(), sizeof value);
        j = {job_kind::register_write, value, 0, static_cast<std::uint32_t>(address), {}};
        if (delay == sc_core::SC_ZERO_TIME) {
            perform(j);
        } else {
            m_agenda.push(now() + sim_time::from_sc(delay), j);
        }
    }
    update_irq();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

std::uint32_t hba::port_status() const
{
    return m_port.is | ((m_port.serr & AHCI_PXSERR_F) != 0 ? AHCI_PXIS_UFS : 0) |
           ((m_port.serr & AHCI_PXSERR_X) != 0 ? AHCI_PXIS_PCS : 0) |
           ((m_port.serr & AHCI_PXSERR_N) != 0 ? AHCI_PXIS_PRCS : 0);
}

std::uint32_t hba::read(std::uint32_t offset) const
{
    switch (offset) {
    case AHCI_REG_CAP:
        return AHCI_CAP_RESET | link->generation() << AHCI_CAP_ISS_SHIFT;
    case AHCI_REG_GHC:
        return m_ghc;
    case AHCI_REG_IS:
        return m_is;
    case AHCI_REG_PI:
        return AHCI_PI_RESET;
    case AHCI_REG_VS:
        return AHCI_VS_RESET;
    case AHCI_REG_PXCLB:
        return m_port.clb;
    case AHCI_REG_PXCLBU:
        return m_port.clbu;
    case AHCI_REG_PXFB:
        return m_port.fb;
    case AHCI_REG_PXFBU:
        return m_port.fbu;
    case AHCI_REG_PXIS:
        return port_status();
    case AHCI_REG_PXIE:
        return m_port.ie;
    case AHCI_REG_PXCMD:
        return m_port.cmd | (m_current == no_slot ? 0 : m_current << AHCI_PXCMD_CCS_SHIFT);
    case AHCI_REG_PXTFD:
        return m_port.tfd;
    case AHCI_REG_PXSIG:
        return m_port.sig;
    case AHCI_REG_PXSSTS:
        return m_port.ssts;
    case AHCI_REG_PXSCTL:
        return m_port.sctl;
    case AHCI_REG_PXSERR:
        return m_port.serr;
    case AHCI_REG_PXSACT:
        return m_port.sact;
    case AHCI_REG_PXCI:
        return m_port.ci;
    default:
        return 0;
    }
}

void hba::write(std::uint32_t offset, std::uint32_t value)
{
    if (offset == AHCI_REG_GHC) {
        write_ghc(value);
    } else if (offset == AHCI_REG_IS) {
        // A message tells of an edge: what is pending still makes the next one.
        m_is &= ~value;
        m_asserted = m_asserted && m_is != 0;
    } else if (offset >= AHCI_REG_PXCLB) {
        write_port(offset, value);
    }
}

void hba::write_port(std::uint32_t offset, std::uint32_t value)
{
    switch (offset) {
    case AHCI_REG_PXCLB:
        m_port.clb = value & AHCI_PXCLB_CLB_MASK;
        break;
    case AHCI_REG_PXCLBU:
        m_port.clbu = value;
        break;
    case AHCI_REG_PXFB:
        m_port.fb = value & AHCI_PXFB_FB_MASK;
        break;
    case AHCI_REG_PXFBU:
        m_port.fbu = value;
        break;
    case AHCI_REG_PXIS:
        m_port.is &= ~(value & is_written);
        break;
    case AHCI_REG_PXIE:
        m_port.ie = value & ie_kept;
        break;
    case AHCI_REG_PXCMD:
        write_command(value);
        break;
    case AHCI_REG_PXSCTL:
        write_control(value & sctl_kept);
        break;
    case AHCI_REG_PXSERR:
        m_port.serr &= ~(value & serr_kept);
        break;
    case AHCI_REG_PXSACT:
    case AHCI_REG_PXCI:
        if (!running()) {
            ++m_stats.ignored_writes;
        } else {
            if (offset == AHCI_REG_PXCI) {
                note_issued(value & ~m_port.ci);
            }
            (offset == AHCI_REG_PXCI ? m_port.ci : m_port.sact) |= value;
            kick();
        }
        break;
    default:
        break; // reserved, or read only
    }
}

void hba::note_issued(std::uint32_t slots)
{
    for (std::uint32_t slot = 0; slot < AHCI_SLOTS; ++slot) {
        if ((slots >> slot & 1u) != 0) {
            m_issued[slot] = now();
        }
    }
}

void hba::write_ghc(std::uint32_t value)
{
    if ((value & AHCI_GHC_HR) != 0) {
        reset();
        return;
    }
    m_ghc = AHCI_GHC_RESET | (value & AHCI_GHC_IE);
    m_asserted = m_asserted && (m_ghc & AHCI_GHC_IE) != 0;
}

/// ST needs a place for received FIS, and CLB and FB are software's only while the port is stopped:
/// AHCI 10.3.1, 10.3.2.
void hba::write_command(std::uint32_t value)
{
    const bool start = (value & AHCI_PXCMD_ST) != 0;
    bool receive = (value & AHCI_PXCMD_FRE) != 0;
    if (!start && running()) {
        stop();
    }
    if (running() && !receive) {
        ++m_stats.ignored_writes;
        receive = true;
    }
    constexpr std::uint32_t receives = AHCI_PXCMD_FRE | AHCI_PXCMD_FR;
    m_port.cmd = receive ? m_port.cmd | receives : m_port.cmd & ~receives;
    if (start && !receive) {
        ++m_stats.ignored_writes;
    } else if (start && !running()) {
        m_port.cmd |= AHCI_PXCMD_ST | AHCI_PXCMD_CR;
        m_fatal = false; // of frames that came to a port that was stopped
        kick();
    }
}

/// PxCMD.ST 1 -> 0: the commands are forgotten, not those of the device.
void hba::stop()
{
    m_port.cmd &= ~(AHCI_PXCMD_ST | AHCI_PXCMD_CR);
    m_port.ci = m_port.sact = 0;
    m_fatal = false;
    m_current = no_slot;
    m_last = AHCI_SLOTS - 1;
    m_clears = false;
    m_in = m_out = transfer();
    m_pio_left = 0;
}

void hba::write_control(std::uint32_t value)
{
    const std::uint32_t before = m_port.sctl & AHCI_PXSCTL_DET_MASK;
    const std::uint32_t det = value & AHCI_PXSCTL_DET_MASK;
    m_port.sctl = value;
    if (det == before) {
        return;
    }
    if (det == COMRESET) {
        m_port.tfd = AHCI_PXTFD_RESET;
        m_signature = true;
        link->comreset(true);
    } else if (det == OFF) {
        link->disable();
        m_port.ssts = OFF;
    } else if (det == RUN && before == COMRESET) {
        link->comreset(false);
    } else if (det == RUN && before == OFF) {
        m_port.ssts = 0;
        link->comreset(true);
        link->comreset(false);
    }
}

/// GHC.HR: all but the addresses of list and FIS area is as at power-up, and the link begins anew.
void hba::reset()
{
    const port old = m_port;
    stop();
    m_port = port();
    m_port.clb = old.clb;
    m_port.clbu = old.clbu;
    m_port.fb = old.fb;
    m_port.fbu = old.fbu;
    m_ghc = AHCI_GHC_RESET;
    m_is = 0;
    m_asserted = false;
    m_signature = true;
    link->comreset(true);
    m_port.serr = 0;
    link->comreset(false);
}

void hba::update_irq()
{
    if ((port_status() & m_port.ie) != 0) {
        m_is |= AHCI_IS_IPS;
    }
    if (m_asserted || m_is == 0 || (m_ghc & AHCI_GHC_IE) == 0) {
        return;
    }
    m_asserted = true;
    m_interrupts.set(now(), ++m_stats.interrupts);
    std::uint32_t message = 0;
    m_gp.set_byte_enable_ptr(nullptr);
    bus(tlm::TLM_WRITE_COMMAND, m_message, &message, sizeof message);
}

} // namespace ssdvp::ahci
