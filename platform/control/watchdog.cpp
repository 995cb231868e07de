// SPDX-License-Identifier: Apache-2.0
#include "platform/control/watchdog.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace ssdvp::platform {

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
    return (requests == 0 ? "the host waits for the controller to come up or to shut down"
                          : fmt::format("{} requests of the host wait", requests)) +
           (open.empty() ? "" : fmt::format("; not completed: {}", open));
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

bool watchdog::look()
{
    if (given_up()) {
        return true;
    }
    if (m_limit != sim_time()) {
        m_drive.look_for_forgotten(m_limit);
    }
    const std::uint64_t progress = m_drive.progress();
    if (!host_waits() || m_drive.flash_works() || progress != m_progress ||
        m_drive.powered_since() > m_looked) {
        m_progress = progress;
        restart();
        return false;
    }
    m_idle += passed();
    m_looked = now();
    if (m_limit != sim_time() && m_idle >= m_limit) {
        return stop(fmt::format("no progress since {} ns of simulated time: {}, no flash operation "
                                "runs (a limit that is too short: raise cpu.watchdog)",
                                m_since.ns(), who_waits()));
    }
    return false;
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
