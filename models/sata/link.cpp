// SPDX-License-Identifier: Apache-2.0
#include "models/sata/link.h"

#include <cstring>
#include <stdexcept>

namespace ssdvp::sata {

using namespace ssdvp::literals;

namespace {

constexpr std::uint64_t bits_per_byte = 10; // 8b/10b
constexpr std::uint64_t dword_bits = 4 * bits_per_byte;

/// Of the handshake: X_RDY and R_RDY precede SOF; WTRM, R_OK and SYNC follow EOF.
constexpr std::uint32_t before_share = 4;
constexpr std::uint32_t handshake_parts = 10;

// Serial ATA 3.x section 8.4: bursts of 160 bits at 1.5 Gb/s, 106.7 ns, in sixes; gaps of 320 ns in
// COMRESET and COMINIT, of 106.7 ns in COMWAKE.
constexpr sim_time oob_burst = 106667_ps;
constexpr sim_time com_init = 6 * (oob_burst + 320_ns);
constexpr sim_time com_wake = 6 * (oob_burst + oob_burst);
/// 2,048 ALIGN at 1.5 Gb/s: how long a device tries a rate before the next lower one.
constexpr sim_time align_time = 54613334_ps;

constexpr std::uint64_t bit_rate(const link_config& config)
{
    return (15000000ull << (config.generation - 1)) * config.speed;
}

} // namespace

std::size_t type_index(std::uint8_t type)
{
    constexpr std::array<std::uint8_t, 7> order = {
        fis::REGISTER_H2D, fis::REGISTER_D2H, fis::DMA_ACTIVATE,   fis::DMA_SETUP,
        fis::DATA,         fis::PIO_SETUP,    fis::SET_DEVICE_BITS};
    std::size_t i = 0;
    while (i < order.size() && order[i] != type) {
        ++i;
    }
    return i;
}

frame_time::frame_time(const link_config& config) : m_bits(bit_rate(config) * 254)
{
    const rate bits(bit_rate(config));
    const std::uint32_t before = config.handshake * before_share / handshake_parts;
    m_before = time_for(before * dword_bits, bits) + config.latency;
    m_flight = sim_time(config.latency.ps() / 2);
    m_after =
        time_for((config.handshake - before) * dword_bits, bits) + (config.latency - m_flight);
}

sim_time frame_time::wire(std::uint32_t bytes) const
{
    return time_for(std::uint64_t{bytes + overhead} * bits_per_byte * 256, m_bits);
}

link::link(const sc_core::sc_module_name& name, const link_config& config)
    : block(name), m_config(config), m_times(config), m_errors(config.seed, 77)
{
    m_agenda.wakes<&link::act>(*this);
}

sim_time link::oob_time()
{
    // COMINIT, the host's COMWAKE, the device's, ALIGN until both have locked.
    return com_init + com_wake + com_wake + align_time;
}

void link::device_power(bool on)
{
    m_powered = on;
    if (!on) {
        go_down();
    } else if (!m_held) {
        begin_oob(sim_time());
    }
}

void link::comreset(bool hold)
{
    if (hold) {
        ++m_stats.comresets;
        m_held = true;
        go_down();
    } else if (m_held) {
        m_held = false;
        begin_oob(com_init); // a last COMRESET
    }
}

void link::disable()
{
    m_held = true;
    go_down();
}

void link::begin_oob(sim_time delay)
{
    if (m_powered && !m_up) {
        m_agenda.clear();
        m_agenda.push(now() + delay + oob_time(), task::phy_ready);
    }
}

void link::go_down()
{
    m_agenda.clear();
    m_waiting = false;
    m_wire.cut(now());
    for (busy_time& b : m_busy) {
        b.cut(now());
    }
    if (m_up) {
        m_up = false;
        for (transport_if* s : m_sides) {
            s->on_phy(false);
        }
    }
}

void link::act()
{
    activated();
    task t;
    while (m_agenda.pop_due(t)) {
        if (t == task::phy_ready) {
            m_up = true;
            for (transport_if* s : m_sides) {
                s->on_phy(true);
            }
        } else {
            m_waiting = false;
            transfer(side::host, m_waiting_frame, m_waiting_since, m_waiting_since);
        }
    }
}

bool link::send(side from, const frame& f, sim_time earliest)
{
    if (!m_up) {
        return false;
    }
    if (f.header_length == 0 || f.header_length > fis::HEADER_MAX || f.header_length % 4 != 0 ||
        f.data_length > fis::DATA_MAX || f.data_length % 4 != 0) {
        throw std::logic_error("sata: a frame that the link cannot carry"); // not even a wrong FIS
    }
    if (from == side::device) {
        transfer(from, f, now(), earliest);
        return true;
    }
    if (m_waiting) {
        throw std::logic_error("sata: the host sends a frame before the last one is on its way");
    }
    m_waiting = true;
    m_waiting_frame = f;
    std::memcpy(m_waiting_header.data(), f.header, f.header_length);
    m_waiting_frame.header = m_waiting_header.data();
    m_waiting_since = earliest;
    m_agenda.push(earliest + m_times.flight(), task::host_frame);
    return true;
}

/// Takes the wire and tells both sides. The transport layer sends a FIS without data again until it
/// gets R_OK (Serial ATA 3.x section 9.4); a Data FIS never.
void link::transfer(side from, const frame& f, sim_time present, sim_time earliest)
{
    const std::uint32_t bytes = f.header_length + f.data_length;
    const sim_time length = m_times.whole(bytes);
    const bool is_data = f.type() == fis::DATA;
    frame on_wire = f;
    sent s;
    do {
        const reservation::interval wire = m_wire.reserve(present, earliest, length);
        if (from == side::device) {
            m_device_begin = wire.begin;
        } else if (m_device_begin >= earliest && m_device_begin < wire.begin &&
                   m_device_begin - earliest <= m_times.flight()) {
            ++m_stats.collisions;
        }
        count(from, f, wire);
        s.begin = wire.begin;
        s.arrival = wire.begin + m_times.before() + m_times.wire(bytes) + m_times.flight();
        s.end = wire.end;
        on_wire.damaged = damages();
        s.ok = !on_wire.damaged;
        if (s.ok || is_data) {
            const bool taken = m_sides[1 - index(from)]->on_frame(on_wire, s.arrival);
            s.ok = s.ok && taken;
        }
        m_stats.r_errs += s.ok ? 0 : 1;
        earliest = s.end;
    } while (!s.ok && on_wire.damaged && !is_data);
    m_sides[index(from)]->on_sent(f, s);
}

link_stats link::stats() const
{
    link_stats s = m_stats;
    s.to_device.busy = m_busy[index(side::host)].until(now());
    s.to_host.busy = m_busy[index(side::device)].until(now());
    return s;
}

bool link::damages()
{
    const bool damaged = m_config.crc_error_rate > 0.0 && m_errors.chance(m_config.crc_error_rate);
    m_stats.crc_errors += damaged ? 1 : 0;
    return damaged;
}

/// Frames of the host are on the wire before they are timed, by `flight`: they count as they
/// arrive.
void link::count(side from, const frame& f, reservation::interval wire)
{
    const sim_time late = from == side::host ? m_times.flight() : sim_time();
    m_busy[index(from)].add(now(), wire.begin + late, wire.end + late);
    if (m_tracks[index(from)]) {
        timeline_slice s;
        s.name = f.data_length != 0 ? "data FIS" : "FIS";
        s.begin = wire.begin + late;
        s.end = wire.end + late;
        s.details = {{{"type", f.type()}, {"payload", f.data_length}}};
        m_tracks[index(from)].add(s);
    }
    link_stats::direction& d = from == side::host ? m_stats.to_device : m_stats.to_host;
    ++d.frames;
    d.bytes += f.header_length + f.data_length + frame_time::overhead;
    d.data += f.data_length;
    ++d.by_type[type_index(f.type())];
}

} // namespace ssdvp::sata
