// SPDX-License-Identifier: Apache-2.0
#include "platform/control/power_cycle.h"

#include <fmt/format.h>

#include "models/common/calendar.h"
#include "platform/config/config.h"
#include "platform/control/pace.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr sim_time verify_limit = 3600_s;
constexpr std::uint64_t fruitless_cuts = 1000;

/// Begins something of the host's and runs until it has ended. ending::stuck: it failed.
ending simulate_call(const power_cycler::simulator& simulate, sim_time limit,
                     const std::function<void(host::driver::callback)>& begin)
{
    bool finished = false;
    bool ok = false;
    begin([&](bool good) {
        ok = good;
        finished = true;
        calendar::get().pause();
    });
    const ending how = simulate(finished, limit);
    return how == ending::done && !ok ? ending::stuck : how;
}

} // namespace

power_cycler::power_cycler(const ssd_config& config)
    : m_config(config.power), m_schedule(config.power, config.run.seed, config.reset_at)
{}

void power_cycler::note_first_read(sim_time t)
{
    if (m_first_read && t >= m_on_since) {
        m_first_read = false;
        m_times.first_read.add(t - m_on_since);
    }
}

void power_cycler::completed(bool read)
{
    m_fruitless = 0;
    if (read) {
        note_first_read(now());
    }
}

/// The workload pauses and what is in flight completes.
ending power_cycler::until_quiet(ssd& drive, const simulator& simulate, const drainer& drain)
{
    drive.host().workload().pause();
    if (drive.host().drive().idle()) {
        return ending::done;
    }
    m_drained = false;
    drain(m_drained);
    return simulate(m_drained, shutdown_limit);
}

ending power_cycler::reset(ssd& drive, const simulator& simulate, const drainer& drain)
{
    const ending quiet = until_quiet(drive, simulate, drain);
    if (quiet != ending::done) {
        return quiet;
    }
    const ending how = simulate_call(simulate, start_limit, [&](host::driver::callback done) {
        drive.host().restart(std::move(done));
    });
    if (how == ending::limit || how == ending::stuck) {
        drive.faults().record("control", "the drive did not come back after a controller reset");
        return ending::stuck;
    }
    return how;
}

/// Shuts down in order. ending::done: it may be switched off; power: a cut came first.
ending power_cycler::until_off(ssd& drive, const simulator& simulate, const drainer& drain)
{
    const ending quiet = until_quiet(drive, simulate, drain);
    if (quiet != ending::done) {
        return quiet;
    }
    return simulate_call(simulate, shutdown_limit, [&](host::driver::callback done) {
        drive.host().shutdown(std::move(done));
    });
}

/// From power-on until the workload can go on.
ending power_cycler::until_serving(ssd& drive, const simulator& simulate)
{
    ending how = simulate_call(simulate, start_limit, [&](host::driver::callback done) {
        drive.host().start(std::move(done));
    });
    if (how != ending::done) {
        if (how == ending::stuck || how == ending::limit) {
            drive.faults().record("control", fmt::format("the drive did not come back after power "
                                                         "cycle {}",
                                                         m_cuts + m_shutdowns));
            return ending::stuck;
        }
        return how;
    }
    m_times.ready.add(drive.ready_since() - m_on_since);
    if (m_config.verify == power_verify::none) {
        return ending::done;
    }
    bool verified = false;
    m_schedule.checking(now());
    drive.host().verify(m_config.verify == power_verify::all, [&] {
        verified = true;
        calendar::get().pause();
    });
    how = simulate(verified, verify_limit);
    m_schedule.checked(now());
    note_first_read(drive.host().first_verified());
    return how == ending::limit ? ending::stuck : how;
}

bool power_cycler::goes_on(ssd& drive)
{
    if (m_fruitless < fruitless_cuts) {
        return true;
    }
    drive.faults().record("control",
                          fmt::format("{} power cuts without one completed request in between; cut "
                                      "less often (power.cut)",
                                      m_fruitless));
    return false;
}

ending power_cycler::cycle(ssd& drive, const simulator& simulate, const drainer& drain)
{
    auto event = m_schedule.take(now(), true);
    const bool was_read_only = drive.firmware_telemetry().read_only != 0;
    while (event) {
        ending how = ending::done;
        if (*event == power_schedule::event::reset) {
            m_serving = false;
            how = reset(drive, simulate, drain);
            if (how != ending::done && how != ending::power) {
                return how;
            }
            m_resets += how == ending::done ? 1 : 0;
            event = m_schedule.take(now(), how == ending::done);
            continue;
        }
        if (*event == power_schedule::event::shutdown) {
            m_serving = false;
            how = until_off(drive, simulate, drain);
        }
        if (how == ending::power) {
            event = m_schedule.take(now(), false);
            continue;
        }
        if (how != ending::done) {
            return how;
        }
        const bool cut = *event == power_schedule::event::cut;
        (cut ? m_cuts : m_shutdowns) += 1;
        m_fruitless += cut ? 1 : 0;
        if (!goes_on(drive)) {
            return ending::stuck;
        }
        m_serving = false;
        drive.power_off();
        sc_core::sc_start(m_config.off_time.to_sc(), sc_core::SC_RUN_TO_TIME);
        m_on_since = now();
        m_first_read = true;
        drive.power_on();
        m_schedule.powered(m_on_since);
        how = until_serving(drive, simulate);
        if (how != ending::done && how != ending::power) {
            return how;
        }
        event = how == ending::power ? m_schedule.take(now(), false) : std::nullopt;
    }
    if (drive.firmware_telemetry().read_only != 0 && !was_read_only) {
        drive.faults().record("control", fmt::format("the drive is read-only since power cycle {}",
                                                     m_cuts + m_shutdowns));
        return ending::stuck;
    }
    m_serving = true;
    drive.host().workload().resume();
    return ending::limit;
}

} // namespace ssdvp::platform
