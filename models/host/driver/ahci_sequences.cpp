// SPDX-License-Identifier: Apache-2.0
//
// Starting and stopping a SATA drive: tables of named steps. AHCI 1.3.1 section 10, ACS-2.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "models/host/driver/ahci_driver.h"
#include "models/regs/ata_records.h"

namespace ssdvp::host {

using namespace ssdvp::literals;

namespace {

constexpr sim_time comreset_time = 1_ms; // AHCI 10.4.2: DET = 1 for at least 1 ms
constexpr std::uint32_t command_ms = 30000;
constexpr std::uint32_t flush_ms = 600000; // a flush takes as long as there is something to write
constexpr std::uint8_t udma6 = 0x46;

std::uint32_t word(const unsigned char* data, std::uint32_t index)
{
    return data[2 * index] | std::uint32_t{data[2 * index + 1]} << 8;
}

} // namespace

const ahci_driver::table& ahci_driver::init_table()
{
    using self = ahci_driver;
    static const table steps = {
        {"adapter reset", &self::reset_adapter, &self::adapter_is_reset, nullptr, 1000},
        {"COMRESET", &self::hold_link, &self::held, nullptr, 100},
        {"link up", &self::release_link, &self::link_is_up, nullptr, 10000},
        {"signature", &self::clear_errors, &self::device_is_ready, nullptr, command_ms},
        {"start of the port", &self::start_port, &self::port_runs, nullptr, 500},
        {"IDENTIFY DEVICE", &self::identify, nullptr, &self::read_identify, command_ms},
        {"transfer mode", &self::set_transfer_mode, nullptr, nullptr, command_ms},
        {"write cache", &self::set_write_cache, nullptr, nullptr, command_ms},
        {"look-ahead", &self::set_look_ahead, nullptr, nullptr, command_ms},
        {"auto-activate", &self::set_auto_activate, nullptr, nullptr, command_ms},
    };
    return steps;
}

const ahci_driver::table& ahci_driver::shutdown_table()
{
    using self = ahci_driver;
    static const table steps = {
        {"FLUSH CACHE EXT", &self::flush_cache, nullptr, nullptr, flush_ms},
        {"STANDBY IMMEDIATE", &self::standby, nullptr, nullptr, flush_ms},
        {"stop of the port", &self::stop_port, &self::port_is_stopped, nullptr, 500},
    };
    return steps;
}

/// How a shutdown goes on whose flush the drive has refused: one that is read only may have no
/// place for what it holds.
const ahci_driver::table& ahci_driver::unflushed_table()
{
    using self = ahci_driver;
    static const table steps = {
        {"stop of the port", &self::stop_port, &self::port_is_stopped, nullptr, 500},
        {"start of the port", &self::start_port, &self::port_runs, nullptr, 500},
        {"STANDBY IMMEDIATE", &self::standby, nullptr, nullptr, flush_ms},
        {"stop of the port", &self::stop_port, &self::port_is_stopped, nullptr, 500},
    };
    return steps;
}

bool ahci_driver::shuts_down() const
{
    return m_table == &shutdown_table() || m_table == &unflushed_table();
}

const ahci_driver::table& ahci_driver::recovery_table()
{
    using self = ahci_driver;
    static const table steps = {
        {"stop of the port", &self::stop_port, &self::port_is_stopped, nullptr, 500},
        {"start of the port", &self::start_port, &self::port_runs, nullptr, 500},
        {"READ LOG EXT", &self::read_error_log, nullptr, nullptr, flush_ms},
    };
    return steps;
}

void ahci_driver::start(callback done)
{
    prepare_memory();
    m_sequence_done = std::move(done);
    m_bring_ups = 1;
    run(init_table());
}

void ahci_driver::restart(callback done)
{
    forget();
    m_bring_ups = 0;
    m_sequence_done = std::move(done);
    reset_link();
}

void ahci_driver::shutdown(callback done)
{
    m_ready = false;
    m_sequence_done = std::move(done);
    run(shutdown_table());
}

void ahci_driver::run(const table& steps, std::size_t first)
{
    m_table = &steps;
    m_step = first;
    begin_step();
}

void ahci_driver::begin_step()
{
    const step& s = (*m_table)[m_step];
    ++m_generation;
    m_failed = false;
    m_step_began = now();
    m_poll_interval.restart();
    (this->*s.begin)();
    if (m_failed) {
        return;
    }
    if (s.until == nullptr && (m_issued & 1u) == 0) { // the drive does not have what it sets
        advance();
    } else if (s.until == nullptr) {
        m_agenda.push(now() + s.limit_ms * 1_ms, {task::watchdog, m_generation});
    } else {
        m_agenda.push(now() + m_poll_interval.now(), {task::poll, m_generation});
    }
}

void ahci_driver::poll()
{
    const step& s = (*m_table)[m_step];
    if (m_regs.errors() != 0) {
        fail_step("the adapter refuses accesses to its registers");
    } else if (s.until != nullptr && (this->*s.until)()) {
        advance();
    } else if (now() - m_step_began >= s.limit_ms * 1_ms) {
        fail_step(fmt::format("not within {} ms, PxTFD {:#x}, PxSSTS {:#x}", s.limit_ms,
                              get(AHCI_REG_PXTFD), get(AHCI_REG_PXSSTS)));
    } else {
        m_poll_interval.grow();
        m_agenda.push(now() + m_poll_interval.now(), {task::poll, m_generation});
    }
}

void ahci_driver::advance()
{
    if (++m_step == m_table->size()) {
        finish(true, {});
    } else {
        begin_step();
    }
}

void ahci_driver::finish(bool ok, const std::string& why)
{
    const bool started = !shuts_down();
    m_agenda.clear(); // of watchdogs: nothing else is under way
    m_table = nullptr;
    ++m_generation;
    m_issued = 0;
    if (!ok) {
        fault(why);
    }
    m_ready = ok && started;
    if (m_recovering) {
        if (ok) {
            recovered();
        }
    } else if (m_sequence_done) {
        m_sequence_done(ok);
    }
}

void ahci_driver::fail_step(const std::string& why)
{
    m_failed = true;
    finish(false, fmt::format("step \"{}\": {}", (*m_table)[m_step].name, why));
}

/// A command of the driver's own, alone in slot 0; `bytes` of data come into the page.
void ahci_driver::internal(std::uint8_t code, std::uint16_t features, std::uint16_t count,
                           std::uint32_t bytes)
{
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.command = code;
    f.device = ATA_DEVICE_LBA;
    f.features = static_cast<std::uint8_t>(features);
    f.features_high = static_cast<std::uint8_t>(features >> 8);
    f.count = static_cast<std::uint8_t>(count);
    f.count_high = static_cast<std::uint8_t>(count >> 8);
    if (code == ATA_READ_LOG_EXT) {
        f.lba_low[0] = ATA_LOG_QUEUE_ERROR;
    }
    fill_slot(0, f, bytes, false);
    m_issued |= 1u;
    put(AHCI_REG_PXCI, 1u);
}

void ahci_driver::internal_done(std::uint32_t errors)
{
    const step& s = (*m_table)[m_step];
    m_issued &= ~1u;
    if (errors != 0) {
        internal_failed(errors);
        return;
    }
    if (s.end != nullptr) {
        (this->*s.end)();
    }
    if (!m_failed) {
        advance();
    }
}

/// What the link spoilt is tried again, from a COMRESET on. So is a log that cannot be read: then
/// nothing tells which command failed, and all of them are sent again.
void ahci_driver::internal_failed(std::uint32_t errors)
{
    const std::uint32_t tfd = get(AHCI_REG_PXTFD);
    const bool link = (errors & AHCI_PXIS_IFS) != 0 ||
                      (tfd >> AHCI_PXTFD_ERR_SHIFT & std::uint32_t{ATA_ERROR_ICRC}) != 0;
    const bool reads_log = m_table == &recovery_table();
    if (m_table == &shutdown_table() && m_step == 0 && !link) {
        run(unflushed_table());
    } else if (shuts_down() || !(link || reads_log)) {
        fail_step(fmt::format("the drive answered with PxTFD {:#x}", tfd));
    } else if (m_bring_ups == bring_ups) {
        fail_step(fmt::format("the link damaged a frame in {} attempts, each after a COMRESET: the "
                              "host has given the drive up",
                              bring_ups));
    } else {
        m_causes |= AHCI_PXIS_IFS;
        reset_link();
    }
}

void ahci_driver::reset_adapter()
{
    put(AHCI_REG_GHC, AHCI_GHC_AE | AHCI_GHC_HR);
}

bool ahci_driver::adapter_is_reset()
{
    return (get(AHCI_REG_GHC) & AHCI_GHC_HR) == 0;
}

void ahci_driver::hold_link()
{
    put(AHCI_REG_PXCMD, get(AHCI_REG_PXCMD) & ~AHCI_PXCMD_ST);
    put(AHCI_REG_PXSCTL, 1);
}

bool ahci_driver::held()
{
    return now() - m_step_began >= comreset_time;
}

void ahci_driver::release_link()
{
    put(AHCI_REG_PXSCTL, 0);
}

bool ahci_driver::link_is_up()
{
    return (get(AHCI_REG_PXSSTS) & AHCI_PXSSTS_DET_MASK) == 3;
}

/// The FIS area has to be there before the signature comes.
void ahci_driver::clear_errors()
{
    put(AHCI_REG_PXCLB, static_cast<std::uint32_t>(m_list));
    put(AHCI_REG_PXCLBU, static_cast<std::uint32_t>(m_list >> 32));
    put(AHCI_REG_PXFB, static_cast<std::uint32_t>(m_fis));
    put(AHCI_REG_PXFBU, static_cast<std::uint32_t>(m_fis >> 32));
    put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
    put(AHCI_REG_PXSERR, ~0u);
    put(AHCI_REG_PXIS, ~0u);
}

bool ahci_driver::device_is_ready()
{
    return (get(AHCI_REG_PXTFD) & (fis::STATUS_BSY | fis::STATUS_DRQ)) == 0;
}

void ahci_driver::start_port()
{
    const std::uint32_t signature = get(AHCI_REG_PXSIG);
    if (signature != AHCI_SIGNATURE_DISK) {
        fail_step(fmt::format("signature {:#x}: no ATA disk", signature));
        return;
    }
    put(AHCI_REG_PXSERR, ~0u);
    put(AHCI_REG_PXIS, ~0u);
    put(AHCI_REG_IS, ~0u);
    put(AHCI_REG_PXIE,
        AHCI_PXIS_DHRS | AHCI_PXIS_PSS | AHCI_PXIS_SDBS | AHCI_PXIS_OFS | AHCI_PXIE_ERRORS_MASK);
    put(AHCI_REG_GHC, AHCI_GHC_AE | AHCI_GHC_IE);
    put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE | AHCI_PXCMD_ST);
}

bool ahci_driver::port_runs()
{
    return (get(AHCI_REG_PXCMD) & AHCI_PXCMD_CR) != 0;
}

void ahci_driver::identify()
{
    internal(ATA_IDENTIFY_DEVICE, 0, 0, ATA_SECTOR_BYTES);
}

/// Words of IDENTIFY DEVICE: ACS-2 section 7.12.7.
void ahci_driver::read_identify()
{
    const unsigned char* data = m_memory.at(m_page);
    std::uint64_t capacity = 0;
    std::memcpy(&capacity, data + 2 * std::size_t{100}, sizeof capacity);
    m_write_cache = (word(data, 82) & 0x20u) != 0;
    m_look_ahead = (word(data, 82) & 0x40u) != 0;
    m_auto_activate = (word(data, 78) & 0x04u) != 0;
    const std::uint32_t depth = (word(data, 75) & 31u) + 1;
    m_queued = m_config.sata.queued && (word(data, 76) & 0x100u) != 0;
    m_config.sata.tags = m_queued ? std::min(m_config.sata.tags, depth) : m_config.sata.tags;
    m_info.deallocate = (word(data, 169) & 1u) != 0;
    m_info.queue_pairs = 1;
    m_info.model.clear();
    for (std::size_t i = 27 * 2; i < 47 * 2; i += 2) { // two characters a word, the first one high
        m_info.model += static_cast<char>(data[i + 1]);
        m_info.model += static_cast<char>(data[i]);
    }
    m_info.model.erase(m_info.model.find_last_not_of(std::string(" \0", 2)) + 1);
    if ((word(data, 83) & 0x400u) == 0 || capacity == 0) {
        fail_step("the drive has no addresses of 48 bits, or no capacity");
    } else if ((word(data, 106) & 0xD000u) == 0x5000u) { // logical sectors above 256 words
        fail_step("the drive's sectors are longer than the 512 bytes that this driver takes");
    } else if (m_info.capacity == 0 && m_links.check != nullptr) {
        m_links.check->configure(capacity, slots, m_info.max_transfer / sector_size);
    }
    m_info.capacity = capacity;
    m_info.write_cache = m_write_cache || (word(data, 85) & 0x20u) != 0; // on, or will be
    heed_write_cache();
}

void ahci_driver::set_transfer_mode()
{
    internal(ATA_SET_FEATURES, ATA_FEATURE_TRANSFER_MODE, udma6, 0);
}

void ahci_driver::set_write_cache()
{
    if (m_write_cache) {
        internal(ATA_SET_FEATURES, ATA_FEATURE_WRITE_CACHE, 0, 0);
    }
}

void ahci_driver::set_look_ahead()
{
    if (m_look_ahead) {
        internal(ATA_SET_FEATURES, ATA_FEATURE_LOOK_AHEAD, 0, 0);
    }
}

void ahci_driver::set_auto_activate()
{
    if (m_auto_activate && m_queued) {
        internal(ATA_SET_FEATURES, ATA_FEATURE_SATA, ATA_SATA_AUTO_ACTIVATE, 0);
    }
}

void ahci_driver::flush_cache()
{
    internal(ATA_FLUSH_CACHE_EXT, 0, 0, 0);
}

void ahci_driver::standby()
{
    internal(ATA_STANDBY_IMMEDIATE, 0, 0, 0);
}

void ahci_driver::stop_port()
{
    put(AHCI_REG_PXCMD, AHCI_PXCMD_FRE);
}

bool ahci_driver::port_is_stopped()
{
    return (get(AHCI_REG_PXCMD) & AHCI_PXCMD_CR) == 0;
}

} // namespace ssdvp::host
