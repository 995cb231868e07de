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

std::string watchdog::who_waits() const
{
    const std::uint64_t requests = m_drive.host().drive().in_flight();
    return requests == 0 ? "the host waits for the controller to come up or to shut down"
                         : fmt::format("{} requests of the host wait", requests);
}

bool watchdog::look()
{
    if (!host_waits() || m_drive.flash_works()) {
        m_since = now();
        return false;
    }
    const std::uint64_t progress = m_drive.progress();
    if (progress != m_progress) {
        m_progress = progress;
        m_since = now();
        return false;
    }
    if (m_limit != sim_time() && now() - m_since >= m_limit) {
        return stop(fmt::format("no progress since {} ns of simulated time: {}, no flash operation "
                                "runs (a limit that is too short: raise cpu.watchdog)",
                                m_since.ns(), who_waits()));
    }
    return false;
}

void watchdog::nothing_left()
{
    if (host_waits()) {
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
    m_since = now();
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
