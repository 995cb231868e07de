// SPDX-License-Identifier: Apache-2.0
#include "models/nor/nor_flash.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "models/common/data_mode.h"
#include "models/common/register_access.h"
#include "models/regs/memory_map.h"

namespace ssdvp::nor {

using namespace literals;

namespace {

// W25Q128JV data sheet, typical: 64 KiB block erase, page program of 256 bytes; fast read by four
// lines at 100 MHz.
constexpr sim_time erase_time = 150_ms;
constexpr sim_time program_time = 400_us;
constexpr std::uint32_t program_unit = 256;
constexpr sim_time read_time = 20_ns; // a byte
// A read of its own, in continuous mode, which leaves the command out: 6 clocks of address, 2 of
// mode, 4 dummy ones.
constexpr sim_time address_time = 120_ns;
constexpr unsigned char erased = 0xFF;
// From the reset of a core to its first instruction: a boot ROM's work, a guess.
constexpr sim_time boot_time = 1_ms;
constexpr sim_time warm_time = 10_us;
constexpr sim_time poll_time = 1_us; // for cores to leave

constexpr std::uint32_t bit(std::uint32_t area)
{
    return area < NOR_AREAS ? 1u << area : 0;
}

} // namespace

nor_flash::nor_flash(const sc_core::sc_module_name& name, image_loader& loader, unsigned irq_line,
                     fault_log* faults)
    : block(name), regs("regs"), code("code"), irq("irq"), m_loader(loader), m_irq_line(irq_line),
      m_faults(faults), m_agenda(4)
{
    m_page.reserve(NOR_PAGE);
    regs.register_b_transport(this, &nor_flash::b_transport);
    code.register_b_transport(this, &nor_flash::read);
    m_agenda.wakes<&nor_flash::act>(*this);
}

nor_flash::~nor_flash() = default;

void nor_flash::power_off()
{
    m_agenda.clear();
    ++m_generation;
    m_status = m_area = m_offset = m_length = 0;
    m_page.clear();
    m_stopping = false;
}

void nor_flash::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!check_register_access(gp, MAP_NOR_SIZE)) {
        return;
    }
    const auto offset = static_cast<std::uint32_t>(gp.get_address());
    if (gp.is_write()) {
        if (!write(offset, register_value(gp), now() + sim_time::from_sc(delay))) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
        return;
    }
    switch (offset) {
    case NOR_REG_STATUS:
        set_register_value(gp, m_status);
        break;
    case NOR_REG_AREA:
        set_register_value(gp, m_area);
        break;
    case NOR_REG_OFFSET:
        set_register_value(gp, m_offset);
        break;
    case NOR_REG_LENGTH:
        set_register_value(gp, m_length);
        break;
    default:
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

void nor_flash::read(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    const std::uint64_t at = gp.get_address();
    const std::uint64_t length = gp.get_data_length();
    const std::uint64_t area = at / NOR_AREA_SIZE;
    const std::uint64_t offset = at % NOR_AREA_SIZE;
    if (gp.is_write() || area >= NOR_AREAS || length > NOR_AREA_SIZE - offset) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    const std::vector<unsigned char>& bytes = m_areas[area];
    m_read.assign(length, erased);
    if (offset < bytes.size()) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset),
                    std::min<std::uint64_t>(length, bytes.size() - offset), m_read.begin());
    }
    transfer(gp, m_read.data());
    const sim_time t = now();
    const auto taken =
        m_reads.reserve(t, t + sim_time::from_sc(delay), address_time + length * read_time);
    delay = (taken.end - t).to_sc();
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// False: no such register, or it does not take the value.
bool nor_flash::write(std::uint32_t offset, std::uint32_t value, sim_time when)
{
    switch (offset) {
    case NOR_REG_AREA:
        m_area = value;
        return true;
    case NOR_REG_OFFSET:
        m_offset = value;
        m_page.clear();
        return true;
    case NOR_REG_LENGTH:
        m_length = value;
        return true;
    case NOR_REG_DATA:
        if (m_page.size() < NOR_PAGE) {
            const std::size_t at = m_page.size();
            m_page.resize(at + sizeof value);
            std::memcpy(m_page.data() + at, &value, sizeof value);
        } else {
            misuse(NOR_REG_DATA, [&] {
                return fmt::format("DATA {:#x} is lost: the page buffer is full with {} bytes",
                                   value, NOR_PAGE);
            });
        }
        return true;
    case NOR_REG_COMMAND:
        if (value < NOR_PROGRAM || value > NOR_START_WARM || (m_status & NOR_STATUS_BUSY) != 0) {
            return false;
        }
        m_command = value;
        check_command();
        m_status = NOR_STATUS_BUSY;
        m_agenda.push(when + duration(), {m_generation});
        return true;
    default:
        return false;
    }
}

template <typename Text>
void nor_flash::misuse(std::uint32_t offset, const Text& text)
{
    if (m_faults != nullptr) {
        m_faults->misuse(name(), MAP_NOR_BASE + offset, text);
    }
}

/// It will fail, and firmware could have known: a write-protected area is another matter.
void nor_flash::check_command()
{
    const bool built_in = m_area == NOR_AREA_BUILT_IN && m_command != NOR_PROGRAM;
    if (m_area >= NOR_AREAS && !built_in) {
        misuse(NOR_REG_COMMAND, [&] {
            return fmt::format("COMMAND {} for AREA {}: areas are 0 to {}", m_command, m_area,
                               NOR_AREAS - 1);
        });
    } else if (m_command == NOR_PROGRAM && m_length > m_page.size()) {
        misuse(NOR_REG_COMMAND, [&] {
            return fmt::format("COMMAND {} with LENGTH {}: the page buffer holds {} bytes",
                               m_command, m_length, m_page.size());
        });
    } else if (m_command == NOR_PROGRAM &&
               (m_offset % NOR_PAGE != 0 || m_offset > NOR_AREA_SIZE - m_length)) {
        misuse(NOR_REG_COMMAND, [&] {
            return fmt::format("COMMAND {} with OFFSET {:#x}: no multiple of {} inside of an area "
                               "of {:#x} bytes",
                               m_command, m_offset, NOR_PAGE, NOR_AREA_SIZE);
        });
    } else if (m_command == NOR_LOAD && !built_in && (m_length == 0 || m_length > NOR_AREA_SIZE)) {
        misuse(NOR_REG_COMMAND, [&] {
            return fmt::format("COMMAND {} with LENGTH {}: an image has 1 to {} bytes", m_command,
                               m_length, NOR_AREA_SIZE);
        });
    }
}

sim_time nor_flash::duration() const
{
    switch (m_command) {
    case NOR_PROGRAM: {
        const std::uint32_t before = (m_offset + NOR_SECTOR - 1) / NOR_SECTOR;
        const std::uint32_t end = (m_offset + m_length + NOR_SECTOR - 1) / NOR_SECTOR;
        return erase_time * (end - before) +
               program_time * ((m_length + program_unit - 1) / program_unit);
    }
    case NOR_LOAD:
        return read_time * std::min(m_length, NOR_AREA_SIZE) + warm_time;
    case NOR_START:
        return boot_time;
    default:
        return warm_time;
    }
}

void nor_flash::act()
{
    activated();
    job j{};
    while (m_agenda.pop_due(j)) {
        if (j.generation == m_generation) {
            perform();
        }
    }
}

void nor_flash::perform()
{
    bool ok = false;
    switch (m_command) {
    case NOR_PROGRAM:
        ok = program();
        break;
    case NOR_LOAD:
        ok = load();
        break;
    default:
        if (m_area != NOR_AREA_BUILT_IN && (m_loaded & bit(m_area)) == 0) {
            break;
        }
        if (!start()) {
            return; // later
        }
        m_status = 0;
        return;
    }
    m_status = ok ? 0 : NOR_STATUS_FAILED;
    irq->raise(m_irq_line);
}

void nor_flash::restore(std::uint32_t area, std::vector<unsigned char> bytes)
{
    m_areas.at(area) = std::move(bytes);
    m_loaded &= ~bit(area);
}

bool nor_flash::restore_active(std::uint32_t area)
{
    if (area != NOR_AREA_BUILT_IN) {
        if (area >= NOR_AREAS || m_areas[area].empty() || !m_loader.load(area, m_areas[area])) {
            return false;
        }
        m_loaded |= bit(area);
    }
    m_active = area;
    return true;
}

/// The image that runs is not written over: it is to be there at the next power-up.
bool nor_flash::program()
{
    if (m_area >= NOR_AREAS || m_area == m_active || m_length > m_page.size() ||
        m_offset > NOR_AREA_SIZE - m_length) {
        return false;
    }
    m_loaded &= ~bit(m_area);
    std::vector<unsigned char>& a = m_areas[m_area];
    if (m_offset == 0) {
        a.clear(); // what is behind it does not count any more
    }
    a.resize(std::max<std::size_t>(a.size(), m_offset + m_length), 0xFF);
    std::memcpy(a.data() + m_offset, m_page.data(), m_length);
    ++m_changes;
    return true;
}

bool nor_flash::load()
{
    if (m_area == NOR_AREA_BUILT_IN) {
        return true;
    }
    if (m_area >= NOR_AREAS || m_length == 0 || m_length > m_areas[m_area].size()) {
        return false;
    }
    if (m_area != m_active) {
        m_areas[m_area].resize(m_length);
        ++m_changes;
        m_loaded &= ~bit(m_area);
        m_loaded |= m_loader.load(m_area, m_areas[m_area]) ? bit(m_area) : 0;
    }
    return (m_loaded & bit(m_area)) != 0;
}

/// False: the cores have not left yet.
bool nor_flash::start()
{
    const bool warm = m_command == NOR_START_WARM;
    if (!warm && !m_stopping) {
        m_loader.stop();
    }
    m_stopping = true;
    if (!m_loader.stopped()) {
        m_agenda.push(now() + poll_time, {m_generation});
        return false;
    }
    m_stopping = false;
    m_active = m_area;
    ++m_changes;
    m_loader.start(m_area, warm);
    return true;
}

} // namespace ssdvp::nor
