// SPDX-License-Identifier: Apache-2.0
#include "platform/control/watchdog.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "platform/control/firmware_guard.h"
#include "platform/ssd/core_places.h"

namespace ssdvp::platform {

namespace {

/// Limits that a host waits while the drive only reads: with the default of 5 s a minute, the time
/// limit of Linux for admin commands (nvme_core.admin_timeout).
constexpr std::uint64_t while_reading = 12;

} // namespace

/// For requests, or for the drive to start or to shut down.
bool watchdog::host_waits() const
{
    host::drive& d = m_drive.host().drive();
    return d.in_flight() != 0 || d.in_sequence();
}

/// It has said why. Nobody asks the drive for anything any more.
bool watchdog::given_up() const
{
    const host::drive& d = m_drive.host().drive();
    return d.in_flight() != 0 && !d.ready() && !d.in_sequence();
}

std::string watchdog::who_waits() const
{
    const std::uint64_t requests = m_drive.host().drive().in_flight();
    const std::string open = m_drive.open_commands();
    const std::uint64_t in_vain = m_drive.progress().in_vain - m_seen.in_vain;
    return (requests == 0 ? "the host waits for the controller to come up or to shut down"
                          : fmt::format("{} requests of the host wait", requests)) +
           (open.empty() ? "" : fmt::format("; not completed: {}", open)) +
           (in_vain == 0 ? "" : fmt::format("; operations that failed since then: {}", in_vain));
}

void watchdog::restart()
{
    m_since = m_looked = now();
    m_idle = sim_time();
}

sim_time watchdog::passed()
{
    const sim_time ends = m_drive.busy_until();
    const sim_time all = now() - m_looked;
    const bool same = ends == m_busy_until && ends > now();
    const sim_time most(m_limit.ps() / 10);
    const sim_time counts = same ? earlier(all, most - m_computed) : all;
    m_computed = same ? m_computed + counts : sim_time();
    m_busy_until = ends;
    return counts;
}

bool watchdog::patient() const
{
    return now() - m_lasting < sim_time(m_limit.ps() * while_reading);
}

/// Since the last look. An operation under way is a reason to wait, unless such ones fail.
bool watchdog::gets_on()
{
    const drive_progress p = m_drive.progress();
    const bool anew = !host_waits() || m_drive.powered_since() > m_looked;
    const bool lasting = anew || p.lasting != m_seen.lasting;
    const bool works = m_drive.flash_works() && p.in_vain == m_seen.in_vain;
    const bool passing = p.passing != m_seen.passing || works;
    if (lasting || m_drive.host().drive().in_sequence()) { // a start may read the whole drive
        m_lasting = now();
    }
    if (lasting || (passing && patient())) {
        m_seen = p;
        return true;
    }
    return false;
}

bool watchdog::look()
{
    if (given_up()) {
        return true;
    }
    if (m_limit == sim_time()) {
        return false;
    }
    m_drive.look_for_forgotten(m_limit);
    if (gets_on()) {
        restart();
        return false;
    }
    m_idle += passed();
    m_looked = now();
    if (m_idle >= m_limit) {
        const std::string before =
            patient() ? "" : fmt::format(", and nothing but reads since {} ns", m_lasting.ns());
        return stop(fmt::format("no progress since {} ns of simulated time{}: {} (a limit that is "
                                "too short: raise cpu.watchdog)",
                                m_since.ns(), before, who_waits()));
    }
    return false;
}

bool watchdog::must_end()
{
    const haste how = firmware_guard::to_end();
    if (how != haste::none && !m_told) {
        m_told = true;
        spdlog::warn("{}: the run was asked to end, and goes on at {} ns of simulated time; a "
                     "second signal ends it at once",
                     m_drive.name(), now().ns());
        tell_cores(m_drive);
    }
    return how == haste::now;
}

void watchdog::nothing_left()
{
    if (host_waits() && !given_up()) {
        stop(fmt::format("asleep, and nothing is left that could wake it: {}", who_waits()));
    }
}

/// The core to ask: one at work, else the first that sleeps. Null: all have returned.
cpu::native_core* watchdog::suspect() const
{
    cpu::native_core* sleeping = nullptr;
    for (std::size_t i = 0; i < m_drive.cores(); ++i) {
        cpu::native_core& core = m_drive.core(i);
        if (core.running() && !core.asleep()) {
            return &core;
        }
        if (core.running() && sleeping == nullptr) {
            sleeping = &core;
        }
    }
    return sleeping;
}

bool watchdog::stop(const std::string& why)
{
    restart();
    if (m_drive.panicked()) {
        return false;
    }
    cpu::native_core* core = suspect();
    if (core == nullptr) {
        constexpr const char* what = "firmware returned from its entry point, and the host waits; "
                                     "it may return only when hal_stopping() says so";
        m_drive.faults().record(m_drive.core().name(), what);
        spdlog::error("{}: {}", m_drive.core().name(), what);
        spdlog::error("  noticed at {} ns of simulated time", now().ns());
        return true;
    }
    m_why = why;
    core->halt_now(m_why.c_str());
    return false;
}

} // namespace ssdvp::platform
