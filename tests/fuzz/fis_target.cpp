// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fis_target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "models/regs/ata_records.h"
#include "platform/config/loader.h"

namespace ssdvp::fuzz {

using namespace ssdvp::literals;

namespace {

constexpr sim_time patience = 20_s; // simulated
constexpr std::uint32_t sector_bytes = ATA_SECTOR_BYTES;
constexpr std::uint64_t kept_lba = 128; // commands of a string stay below it, or are beyond

platform::ssd_config drive_config()
{
    platform::config_sources sources;
    sources.files = {"device/tiny", "workload/random-read"};
    sources.sets = {"host.interface=sata", "cpu.core=flat", "data=full",
                    "host.sata.max_transfer_size=16KiB"};
    return platform::load(sources);
}

} // namespace

/// The bytes, one after the other; behind the last there are zeroes.
class fis_target::script {
public:
    script(const std::uint8_t* bytes, std::size_t length) : m_bytes(bytes), m_left(length) {}
    [[nodiscard]] bool ended() const { return m_left == 0; }
    std::uint8_t byte()
    {
        if (m_left == 0) {
            return 0;
        }
        --m_left;
        return *m_bytes++;
    }

private:
    const std::uint8_t* m_bytes;
    std::size_t m_left;
};

fis_target::fis_target() : m_firmware(""), m_sector(sector_bytes)
{
    for (std::size_t i = 0; i < m_sector.size(); ++i) {
        m_sector[i] = static_cast<std::uint8_t>(i * 11 + 3);
    }
    m_drive = std::make_unique<platform::ssd>("ssd", drive_config(), m_firmware, m_nobody,
                                              platform::ssd_options());
    m_drive->sata_wire().attach(sata::side::host, *this);
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates: sockets can be used from here on
    comreset();
    transfer(true);
    recover();
}

fis_target::~fis_target() = default;

void fis_target::execute(const std::uint8_t* bytes, std::size_t length)
{
    script s(bytes, length);
    for (int steps = 0; steps < 256 && !s.ended(); ++steps) {
        step(s);
    }
    run(1_ms);
    check("while the script ran");
    recover();
}

void fis_target::step(script& s)
{
    const std::uint8_t what = s.byte();
    switch (what % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        put_command(s);
        run(5_us);
        break;
    case 5: // at once
        put_command(s);
        break;
    case 6:
    case 7:
        put_raw(s);
        break;
    case 8:
    case 9:
        run(1_us * (s.byte() + 1u));
        break;
    case 10:
        m_answers = (what & 16) != 0;
        m_takes = (what & 32) == 0;
        break;
    case 11:
        m_odd = s.byte() * 4u;
        break;
    case 12:
        put_control((what & 16) != 0 ? ATA_CONTROL_SRST : 0);
        break;
    case 13:
        if ((what & 0xF0) == 0) { // seldom: it takes long
            m_drive->sata_wire().comreset(true);
            run(1_us);
            m_drive->sata_wire().comreset(false);
        }
        break;
    case 14: // log page 10h, as a host would
        put([] {
            fis::register_h2d f;
            f.flags = fis::FLAG_COMMAND;
            f.command = ATA_READ_LOG_EXT;
            f.lba_low[0] = ATA_LOG_QUEUE_ERROR;
            f.count = 1;
            return f;
        }());
        run(20_us);
        break;
    default:
        run(1_ms);
        break;
    }
}

/// A command that may be a good one: its bytes, unless a first one says that they are as they come.
void fis_target::put_command(script& s)
{
    static constexpr std::uint8_t codes[] = {0x60, 0x61, 0x60, 0x61, 0x25, 0x35, 0x3D, 0x06,
                                             0x20, 0x24, 0x30, 0x34, 0x40, 0x42, 0xC8, 0xCA,
                                             0xEC, 0xEF, 0xEA, 0xE7, 0x2F, 0x47, 0xB0, 0x90,
                                             0xE0, 0xE1, 0xE2, 0xE3, 0xE5, 0x63, 0x64, 0x65};
    const std::uint8_t how = s.byte();
    const std::uint8_t code = s.byte();
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.command = (how & 1) != 0 ? code : codes[code % sizeof codes];
    f.features = s.byte();
    f.lba_low[0] = s.byte();
    f.lba_low[1] = (how & 2) != 0 ? s.byte() : std::uint8_t(s.byte() % 16);
    f.device = (how & 4) != 0 ? s.byte() : std::uint8_t{ATA_DEVICE_LBA};
    f.count = s.byte();
    if ((how & 8) != 0) {
        f.features_high = s.byte();
        f.count_high = s.byte();
        f.lba_low[2] = s.byte();
        f.lba_high[0] = s.byte();
        f.lba_high[2] = s.byte();
    }
    if ((how & 16) != 0 && f.command == ATA_SMART) {
        f.lba_low[1] = 0x4F;
        f.lba_low[2] = 0xC2;
    }
    // The kept sector is written by no command, whichever way it reads the address.
    const auto* fis_bytes = reinterpret_cast<const std::uint8_t*>(&f);
    for (const std::uint64_t lba : {fis::lba_of(f), ata_fis_lba28(fis_bytes)}) {
        if (lba <= kept_lba && lba + 65536 > kept_lba) {
            fis::set_lba(f, lba % (kept_lba / 2)); // and 32 sectors at most are moved
            f.device = static_cast<std::uint8_t>(f.device & 0xF0);
        }
    }
    put(f);
}

/// Any frame that the link carries.
void fis_target::put_raw(script& s)
{
    static constexpr std::uint8_t types[] = {0x27, 0x34, 0x39, 0x41, 0x46, 0x58, 0x5F, 0xA1};
    const std::uint8_t how = s.byte();
    outgoing o;
    o.header.resize(4u * (1 + how % 7u));
    for (std::uint8_t& b : o.header) {
        b = s.byte();
    }
    if ((how & 8) == 0) {
        o.header[0] = types[o.header[0] % sizeof types];
        const std::uint32_t size = fis::size_of(o.header[0]);
        o.header.resize(size != 0 && (how & 16) != 0 ? size : o.header.size());
    }
    if (o.header[0] == fis::REGISTER_H2D && o.header.size() > 2) {
        o.header[2] = ATA_IDENTIFY_DEVICE; // commands are put_command()'s
    }
    o.data.resize((how & 32) != 0 ? 4u * s.byte() : 0);
    queue(std::move(o), now());
}

void fis_target::put_control(std::uint8_t control)
{
    fis::register_h2d f;
    f.control = control;
    put(f);
}

void fis_target::put(const fis::register_h2d& f)
{
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&f);
    m_seen = {};
    m_got.clear();
    m_left = 0;
    queue({{bytes, bytes + sizeof f}, {}}, now());
}

void fis_target::queue(outgoing o, sim_time earliest)
{
    if (m_up && m_out.size() < 64) {
        m_out.push_back(std::move(o));
        send_next(earliest);
    }
}

void fis_target::send_next(sim_time earliest)
{
    if (m_sending || m_out.empty()) {
        return;
    }
    const outgoing& o = m_out.front();
    sata::frame f;
    f.header = o.header.data();
    f.header_length = static_cast<std::uint32_t>(o.header.size());
    f.data = o.data.data();
    f.data_length = static_cast<std::uint32_t>(o.data.size());
    m_sending = m_drive->sata_wire().send(sata::side::host, f, later(earliest, now()));
    if (!m_sending) {
        m_out.clear();
    }
}

void fis_target::on_sent(const sata::frame&, const sata::sent& s)
{
    m_out.pop_front();
    m_sending = false;
    send_next(s.end);
}

void fis_target::on_phy(bool up)
{
    m_up = up;
    m_out.clear();
    m_sending = false;
}

bool fis_target::on_frame(const sata::frame& f, sim_time arrival)
{
    if (f.header_length != fis::size_of(f.type())) {
        fail("the device sends a frame of the wrong length");
    }
    if (f.type() == fis::DATA) {
        m_got.insert(m_got.end(), f.data, f.data + f.data_length);
        return m_takes;
    }
    if (f.type() == fis::REGISTER_D2H) {
        fis::register_d2h r;
        std::memcpy(&r, f.header, sizeof r);
        m_seen.signature = m_seen.signature || (r.error == 1 && r.count == 1);
        m_seen.status = r.status;
        m_seen.ended = (r.flags & fis::FLAG_INTERRUPT) != 0;
    } else if (f.type() == fis::SET_DEVICE_BITS) {
        fis::set_device_bits b;
        std::memcpy(&b, f.header, sizeof b);
        m_seen.active |= b.active;
        m_seen.status = b.status;
        m_seen.ended = true;
    } else if (m_answers) {
        answer(f, arrival);
    }
    return true;
}

/// Sends data where they were asked for; they may be more or less.
void fis_target::answer(const sata::frame& f, sim_time arrival)
{
    if (f.type() == fis::DMA_SETUP) {
        fis::dma_setup d;
        std::memcpy(&d, f.header, sizeof d);
        m_left = (d.flags & fis::FLAG_TO_HOST) != 0 ? 0 : d.count;
        if (m_left == 0 || (d.flags & fis::FLAG_AUTO_ACTIVATE) == 0) {
            return;
        }
    } else if (f.type() == fis::PIO_SETUP) {
        fis::pio_setup p;
        std::memcpy(&p, f.header, sizeof p);
        m_seen.status = p.end_status;
        m_seen.ended = p.end_status == ATA_STATUS_GOOD;
        if ((p.flags & fis::FLAG_TO_HOST) != 0) {
            return;
        }
        m_left = p.transfer_count;
    } else if (m_left == 0) {
        m_left = sector_bytes; // of a command that is not queued: one sector
    }
    send_data(arrival);
}

void fis_target::send_data(sim_time earliest)
{
    outgoing o;
    o.header = {fis::DATA, 0, 0, 0};
    const std::uint32_t length = std::min(m_left, fis::DATA_MAX);
    m_left -= length;
    o.data.resize(std::min(length + m_odd, fis::DATA_MAX));
    m_odd = 0;
    std::copy_n(m_sector.begin(), std::min(o.data.size(), m_sector.size()), o.data.begin());
    queue(std::move(o), earliest);
}

// ---- What must always work ----

void fis_target::recover()
{
    comreset();
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.command = ATA_IDENTIFY_DEVICE;
    put(f);
    finish("IDENTIFY DEVICE");
    std::uint32_t sum = 0;
    for (const std::uint8_t b : m_got) {
        sum += b;
    }
    if (m_got.size() != sector_bytes || sum % 256 != 0) {
        fail("IDENTIFY DEVICE after a reset");
    }
    transfer(false);
    if (m_got != m_sector) {
        fail("the sector that was flushed is not what it was");
    }
    check("during recovery");
}

void fis_target::comreset()
{
    m_answers = m_takes = true;
    m_odd = 0;
    m_drive->sata_wire().comreset(true);
    run(1_us);
    m_seen = {};
    m_drive->sata_wire().comreset(false);
    const sim_time end = now() + patience;
    while (!m_seen.signature) {
        run(50_us);
        check("while the drive got ready");
        if (now() > end) {
            fail("no signature after COMRESET");
        }
    }
    run(10_us);
}

/// The sector, by a queued command.
void fis_target::transfer(bool write)
{
    fis::register_h2d f;
    f.flags = fis::FLAG_COMMAND;
    f.command = write ? ATA_WRITE_FPDMA_QUEUED : ATA_READ_FPDMA_QUEUED;
    f.features = 1;
    f.device = ATA_DEVICE_LBA;
    f.count = 5 << 3;
    fis::set_lba(f, kept_lba);
    put(f);
    finish(write ? "the first write" : "a read after a reset");
    if (m_seen.active != 1u << 5) {
        fail("another tag ended than was used");
    }
    if (write) {
        f = {};
        f.flags = fis::FLAG_COMMAND;
        f.command = ATA_FLUSH_CACHE_EXT;
        put(f);
        finish("the first flush");
    }
}

void fis_target::finish(const char* what)
{
    const sim_time end = now() + patience;
    while (!m_seen.ended) {
        run(50_us);
        check("while a command was waited for");
        if (now() > end) {
            fail("no end of", what);
        }
    }
    if ((m_seen.status & (ATA_STATUS_ERR | ATA_STATUS_DF)) != 0) {
        fail("an error of", what);
    }
    run(50_us); // data and the end of a PIO command
}

void fis_target::run(sim_time t)
{
    sc_core::sc_start(t.to_sc());
}

void fis_target::check(const char* when)
{
    if (m_drive->panicked()) {
        fail("firmware panicked", when);
    }
    if (m_drive->faults().count() != 0) {
        fail(m_drive->faults().faults().front().what.c_str(), when);
    }
}

void fis_target::fail(const char* what, const char* why)
{
    std::fprintf(stderr, "fis_fuzz: %s %s\n", what, why);
    std::abort();
}

} // namespace ssdvp::fuzz
