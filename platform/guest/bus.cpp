// SPDX-License-Identifier: Apache-2.0
#include "platform/guest/bus.h"

#include <algorithm>

#include "models/regs/ahci_regs.h"
#include "models/regs/nvme_regs.h"
#include "platform/config/derived.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr sim_time slice = 5_us;           // between looks at the guest while the drive works
constexpr sim_time soon = 200_us;          // what happens within it is work, not a timer
constexpr int idle_wait = 20;              // ms between looks at everything else while it does not
constexpr sim_time register_read = 200_ns; // at least: who polls sees time go on
constexpr sim_time longest = 100_ms;       // that simulated time catches up with the clock at once

} // namespace

pcie::function_identity function_of(const ssd_config& config)
{
    pcie::function_identity f;
    f.vendor = 0x1B36; // as Identify Controller says
    f.subsystem_vendor = 0x1AF4;
    f.subsystem = 0x1100;
    f.revision = 1;
    if (is_sata(config)) {
        f.device = 0x5D06;
        f.class_code = 0x010601; // AHCI 1.3.1, 2.1
        f.bar = 5;               // ABAR
        f.bar_size = 0x1000;
        return f;
    }
    f.device = 0x5D05;       // not QEMU's own, for which drivers have quirks
    f.class_code = 0x010802; // NVM Express over PCIe, 2.1
    f.bar = 0;
    f.bar_size = NVME_BAR_SIZE;
    f.vectors = config.nvme.vectors;
    f.msix_table = NVME_REG_MSIX_TABLE;
    f.msix_pba = NVME_REG_MSIX_PBA;
    return f;
}

guest_bus::guest_bus(ssd& drive, qemu& machine, const advance_function& advance)
    : m_drive(drive), m_machine(machine), m_advance(advance), m_guest(drive.host().guest()),
      m_identity(function_of(drive.config())), m_config(m_identity),
      m_clock(std::chrono::steady_clock::now())
{
    m_guest.on_message([this](std::uint64_t a, std::uint32_t d) { message(a, d); });
}

guest_bus::~guest_bus()
{
    m_guest.on_message({});
    m_guest.map({});
}

guest_bus::state guest_bus::turn()
{
    const bool busy = works();
    if (m_machine.channel().wait(busy ? 0 : idle_wait)) {
        const auto m = m_machine.channel().receive();
        if (!m) {
            return state::left;
        }
        handle(*m);
    } else if (busy) {
        simulate(slice);
    } else {
        follow_the_clock();
    }
    return m_alive ? state::serves : state::dead;
}

bool guest_bus::works() const
{
    return !m_drive.idle() || (sc_core::sc_pending_activity() &&
                               sim_time::from_sc(sc_core::sc_time_to_pending_activity()) < soon);
}

void guest_bus::simulate(sim_time t)
{
    if (t != sim_time() && m_alive) {
        m_alive = m_advance(t);
    }
    m_clock = std::chrono::steady_clock::now();
}

/// While nothing is asked of the drive its clock is the wall's, for what it does in its rests.
void guest_bus::follow_the_clock()
{
    const auto t = std::chrono::steady_clock::now();
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t - m_clock).count();
    const sim_time passed(static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)) * 1000);
    simulate(earlier(passed, longest));
}

void guest_bus::handle(const proxy_message& m)
{
    std::visit(
        [this](const auto& what) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(what)>, not_for_us>) {
                handle(what);
            }
        },
        m);
}

void guest_bus::handle(const share_memory& m)
{
    m_guest.map(m_ram.map(m));
}

void guest_bus::handle(const config_access& a)
{
    if (!a.write) {
        m_machine.channel().reply(m_config.read(a.offset, a.length));
        return;
    }
    m_config.write(a.offset, a.value, a.length);
    m_guest.set_master(m_config.bus_master());
    m_machine.channel().reply(0);
    deliver();
}

void guest_bus::handle(const bar_access& a)
{
    if (!a.write) {
        m_machine.channel().reply(read_bar(a));
        return;
    }
    m_machine.channel().reply(0); // posted: the guest goes on
    write_bar(a);
}

/// A reset of the bus: configuration space and controller are as after power-up.
void guest_bus::handle(const device_reset&)
{
    m_config.reset();
    m_guest.set_master(false);
    m_held.clear();
    if (is_sata(m_drive.config())) {
        m_guest.write(AHCI_REG_GHC, AHCI_GHC_HR);
    } else {
        m_guest.write(NVME_REG_CC, 0);
    }
    simulate(slice);
    m_machine.channel().reply(0);
}

/// The writes before it come first.
std::uint32_t guest_bus::read_register(std::uint64_t offset)
{
    if (m_guest.settled() > now()) {
        simulate(m_guest.settled() - now());
    }
    const auto r = m_guest.read(offset);
    simulate(later(r.delay, register_read));
    return static_cast<std::uint32_t>(r.value);
}

std::uint64_t guest_bus::read_bar(const bar_access& a)
{
    const std::uint64_t offset = a.address & (m_identity.bar_size - 1);
    const unsigned shift = 8 * static_cast<unsigned>(offset % 4);
    std::uint64_t value = read_register(offset & ~3ull);
    if (a.length == 8) {
        value |= std::uint64_t{read_register(offset + 4)} << 32;
    }
    value >>= a.length < 4 ? shift : 0;
    return a.length == 8 ? value : value & ((1ull << 8 * a.length) - 1);
}

/// Registers take doublewords; what is shorter is lost, as the specifications allow.
void guest_bus::write_bar(const bar_access& a)
{
    const std::uint64_t offset = a.address & (m_identity.bar_size - 1);
    if (a.length < 4 || offset % 4 != 0) {
        return;
    }
    m_guest.write(offset, static_cast<std::uint32_t>(a.value));
    if (a.length == 8) {
        m_guest.write(offset + 4, static_cast<std::uint32_t>(a.value >> 32));
    }
}

void guest_bus::message(std::uint64_t address, std::uint32_t data)
{
    if (!m_config.messages_enabled()) {
        return;
    }
    if (is_sata(m_drive.config())) { // the adapter knows no address of its own
        m_held.push_back({m_config.message_address(), m_config.message_data()});
    } else {
        m_held.push_back({address, data});
    }
    deliver();
}

void guest_bus::deliver()
{
    if (m_config.function_masked()) {
        return;
    }
    for (const interrupt_message& m : m_held) {
        m_machine.interrupt(m.address, m.data);
    }
    m_held.clear();
}

} // namespace ssdvp::platform
