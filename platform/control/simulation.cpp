// SPDX-License-Identifier: Apache-2.0
#include "platform/control/simulation.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "models/common/calendar.h"
#include "platform/config/derived.h"
#include "platform/config/loader.h"
#include "platform/control/describe.h"
#include "platform/control/simulation_state.h"
#include "platform/control/version.h"
#include "platform/report/counter_sums.h"
#include "platform/report/identities.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

bool kernel_stopped()
{
    return sc_core::sc_get_status() == sc_core::SC_STOPPED;
}

double wall_seconds()
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

} // namespace

bool simulation::state::power_due() const
{
    const power_schedule& s = m_power.schedule();
    const auto next = s.next(m_power.serving());
    return s.operations().fired() || (next && next->when <= now());
}

/// False: nothing is left to happen.
bool simulation::state::advance(sim_time t)
{
    if (kernel_stopped()) { // by firmware that panicked at once: it starts no more
        return true;
    }
    if (m_hooks.together != nullptr) {
        return m_hooks.together->advance(t);
    }
    const calendar::ahead allowed(now() + t);
    sc_core::sc_start(t.to_sc(), sc_core::SC_RUN_TO_TIME);
    return sc_core::sc_pending_activity();
}

ending simulation::state::simulate(const bool& flag, sim_time limit, bool interruptible)
{
    const sim_time until = now() + limit;
    while (!flag) {
        if (power_due()) {
            return ending::power;
        }
        if (now() >= until) {
            return ending::limit;
        }
        const auto next = m_power.schedule().next(m_power.serving());
        const sim_time stop = next ? earlier(until, next->when) : until;
        const bool pending = advance(earlier(slice, stop - now()));
        if (m_drive.panicked() || kernel_stopped()) {
            return m_watchdog.must_end() ? ending::interrupted : ending::stuck;
        }
        if (!flag && !pending) {
            m_watchdog.nothing_left();
            advance(1_ns);
            return ending::stuck;
        }
        if (m_watchdog.look()) {
            return ending::stuck;
        }
        if (m_hooks.progress) {
            m_hooks.progress(now(), m_hub.completed());
        }
        if (m_watchdog.must_end() || (interruptible && m_hooks.interrupted())) {
            return ending::interrupted;
        }
    }
    return ending::done;
}

/// The kernel stands still, and this drive is not the reason.
bool simulation::state::stopped_by_another() const
{
    return m_hooks.together != nullptr && !m_drive.panicked() && kernel_stopped();
}

bool simulation::state::failed(const char* what, ending how)
{
    if (how == ending::done) {
        return false;
    }
    if (how == ending::interrupted) {
        m_interrupted = true;
    } else if (m_drive.faults().count() == 0 && !stopped_by_another()) {
        m_drive.faults().record(
            "control", fmt::format("{}: {} at {} ns with {} requests in flight", what,
                                   how == ending::limit ? "too slow" : "nothing left to do",
                                   now().ns(), m_drive.host().drive().in_flight()));
    }
    return true;
}

void simulation::state::wait_until_idle()
{
    const bool never = false;
    for (sim_time waited; !m_drive.idle() && waited < shutdown_limit; waited += slice) {
        if (simulate(never, slice, false) != ending::limit) {
            return;
        }
    }
}

bool simulation::state::bring_up()
{
    if (m_hooks.together != nullptr) { // elaborates: sockets can be used from here on
        advance(sim_time());
    } else {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    if (m_drive.config().driver.guest) { // its driver does it
        return true;
    }
    if (m_hooks.states != nullptr) {
        m_interrupted = !m_hooks.states->before_host(m_drive, state_steps());
    }
    if (m_interrupted) {
        return false;
    }
    bool finished = false;
    bool ok = false;
    m_drive.host().start([&](bool good) {
        ok = good;
        finished = true;
        calendar::get().pause();
    });
    return !failed("the drive did not come up", simulate(finished, start_limit, true)) && ok;
}

void simulation::state::prepare()
{
    // Let firmware finish what bring-up left it, so that it sleeps while its memory is used.
    wait_until_idle();
    if (!m_filled && !m_drive.panicked()) {
        m_preconditioning = m_hooks.states != nullptr
                                ? m_hooks.states->prepare(m_drive, state_steps())
                                : precondition_now();
    }
    m_interrupted = m_preconditioning.interrupted;
    if (m_hooks.states == nullptr || !m_hooks.states->knows_sectors()) {
        const std::uint64_t unit = m_drive.config().ftl.map_unit;
        m_drive.host().check().set_preconditioned(0, m_preconditioning.units_filled *
                                                         (unit / sector_size));
    }
    m_drive.begin_accounts();
    m_base = read();
}

precondition_result simulation::state::precondition_now()
{
    return precondition(
        m_drive, [this](double share) { tell("preconditioning", share); }, m_hooks.interrupted,
        named_by_host());
}

address_function simulation::state::named_by_host()
{
    return m_hooks.instead == nullptr ? address_function() : [this](std::uint64_t lba) {
        return m_hooks.instead->address_of(lba);
    };
}

kept_states::steps simulation::state::state_steps()
{
    return {[this] { return precondition_now(); }, m_hooks.interrupted,
            [this](const char* phase) { tell(phase, 0.0); },
            [this](sim_time t) { // though nothing may be left to happen
                while (now() < t && !m_drive.panicked() && !kernel_stopped()) {
                    advance(earlier(slice, t - now()));
                }
                wait_until_idle();
            }};
}

void simulation::state::tell(const char* phase, double share)
{
    if (m_hooks.phase) {
        m_hooks.phase(phase, share);
    }
}

/// Returns why it was not kept, where it was to be.
std::string simulation::state::save_state()
{
    return m_hooks.states == nullptr || !m_hooks.states->saves_at_end()
               ? std::string()
               : m_hooks.states->save_at_end(m_drive, m_clean && !m_interrupted, state_steps());
}

/// The workload goes on afterwards (ending::limit), or cannot.
ending simulation::state::power_cycle()
{
    return m_power.cycle(
        m_drive, [this](const bool& flag, sim_time limit) { return simulate(flag, limit, true); },
        [this](bool& drained) {
            m_hub.pause_at(m_hub.completed() + m_drive.host().drive().in_flight(), drained);
        });
}

void simulation::state::warm_up()
{
    const run_config& run = m_drive.config().run;
    host::run_limits limits;
    if (!m_steady.wanted()) {
        limits.requests = run.requests == 0 ? 0 : run.requests + run.warmup_requests;
        limits.duration = run.duration == sim_time() ? sim_time() : run.duration + run.warmup;
    }
    m_drive.host().start_workload(limits, [this] {
        m_workload_done = true;
        m_warm = true;
        calendar::get().pause();
    });
    if (run.warmup_requests != 0) {
        m_hub.pause_at(run.warmup_requests, m_warm);
        simulate(m_warm, endless, true);
    } else if (run.warmup != sim_time()) {
        simulate(m_workload_done, run.warmup, true);
    }
}

/// False: it was stopped.
bool simulation::state::settle()
{
    const ending how =
        m_steady.settle([this](const bool& flag) { return simulate(flag, endless, true); },
                        {m_warm, m_workload_done, m_preconditioning.settled},
                        [this](double share) { tell("until it is steady", share); });
    if (how == ending::interrupted) { // anything else the measured part finds too
        stop_workload();
    }
    return how != ending::interrupted;
}

/// What is under way completes.
void simulation::state::stop_workload()
{
    m_interrupted = true;
    m_drive.host().stop();
    failed("requests in flight", simulate(m_workload_done, shutdown_limit, false));
}

/// Limit: it goes on.
ending simulation::state::run_measured()
{
    if (!m_steady.wanted()) {
        return simulate(m_workload_done, endless, true);
    }
    bool enough = false;
    const ending how =
        m_steady.go_on([this](const bool& flag) { return simulate(flag, endless, true); },
                       {m_warm, m_workload_done}, enough);
    if (enough) {
        m_drive.host().stop();
    }
    return how;
}

void simulation::state::begin_measurement()
{
    tell("running", 0.0);
    m_statistics.begin_measurement();
    m_drive.host().check().reset_counters();
    m_hub.measure(m_hooks.sinks);
    m_begin = read();
    m_sampler.begin(now());
    m_steady.begin();
    m_hub.tell(m_sampler);
    for (report_sink* s : m_hooks.sinks) {
        s->begin(m_begin, m_read);
    }
}

void simulation::state::end_measurement()
{
    for (report_sink* s : m_hooks.sinks) {
        s->end(m_end);
    }
    m_heard = difference(m_end, m_begin);
}

void simulation::state::measure()
{
    begin_measurement();
    m_power.schedule().begin(now());
    ending how = ending::limit;
    while (how == ending::limit) {
        how = run_measured();
        if (how == ending::power) {
            how = power_cycle();
        }
    }
    m_power.schedule().end();
    m_workload_complete = how == ending::done;
    m_end = read();
    if (failed("the workload stopped", how) && how == ending::interrupted) {
        stop_workload();
        m_end = read();
    }
    end_measurement();
}

/// Faults that end the session. Clients' wrong data do not: the drive goes on, and the run fails.
bool simulation::state::unfit()
{
    const std::uint64_t wrong = m_hooks.instead->requests().mismatches;
    return m_drive.faults().count() > std::min<std::uint64_t>(wrong, fault_log::kept);
}

/// For the session: time goes on until it is over. False: the drive can go on no more.
bool simulation::state::advance_session(sim_time t)
{
    if (m_hooks.together == nullptr && !kernel_stopped() && !sc_core::sc_pending_activity() &&
        m_drive.host().drive().idle()) {
        sc_core::sc_start(t.to_sc(), sc_core::SC_RUN_TO_TIME); // only the clock goes on
        return true;
    }
    const ending how = simulate(m_hooks.instead->over(), t, false);
    // With nothing left to do a drive that owes no answer is idle, not stuck.
    const bool idle = how == ending::stuck && m_drive.host().drive().idle() && !unfit() &&
                      !m_drive.panicked() && !kernel_stopped();
    const bool alive = how == ending::limit || how == ending::done || idle;
    failed("the drive stopped", alive ? ending::done : how);
    return alive;
}

/// Somebody outside uses the drive.
void simulation::state::serve()
{
    bool alive = true;
    const auto advance = [&](sim_time t) { return alive = advance_session(t); };
    const bool begun = m_hooks.instead->prepare(m_drive, advance);
    begin_measurement();
    if (begun) {
        m_hooks.instead->serve(m_drive, advance);
    }
    m_interrupted = m_hooks.instead->interrupted();
    m_workload_complete = begun && alive && !m_interrupted;
    m_end = read();
    end_measurement();
}

void simulation::state::shut_down()
{
    if (m_drive.config().driver.guest) { // its driver did, or its machine lost power
        return;
    }
    if (!m_drive.host().drive().idle() || !m_drive.host().ready() ||
        m_drive.faults().count() != 0) {
        return;
    }
    bool finished = false;
    m_drive.host().shutdown([&](bool good) {
        m_clean = good;
        finished = true;
        calendar::get().pause();
    });
    if (failed("the drive did not shut down", simulate(finished, shutdown_limit, false))) {
        return;
    }
    wait_until_idle(); // collection under way
}

counters simulation::state::read() const
{
    counters c = m_drive.read();
    c.wall_s = wall_seconds();
    if (m_hooks.instead != nullptr) {
        const session_counts n = m_hooks.instead->requests();
        c.driver.requests_in += n.in;
        c.driver.requests_out += n.out;
        c.driver.requests_lost += n.lost;
        if (c.integrity) {
            c.integrity->sectors_checked += n.sectors_checked;
            c.integrity->mismatches += n.mismatches;
        }
    }
    if (c.power) {
        c.power->cuts = m_power.cuts();
        c.power->shutdowns = m_power.shutdowns();
    }
    return c;
}

simulation_result simulation::state::conclude()
{
    const ssd_config& c = m_drive.config();
    simulation_result r;
    measurement& m = r.measured;
    m = described(c, m_preconditioning,
                  m_hooks.states != nullptr ? m_hooks.states->origin() : std::nullopt);
    m.complete = m_workload_complete;
    m.samples = m_sampler.samples();
    m.latencies = m_sampler.pieces();
    m_steady.put(m, m_interrupted, {m_begin, m_end, m_statistics});
    m.measured = difference(m_end, m_begin);
    m.lifetime = difference(read(), m_base);
    m.simulated = now();
    m.peak_rss_bytes = peak_rss_bytes();
    m.overrides = m_hooks.overrides;
    m.buffer_growth = buffer_growth(m_end, m_begin);
    m.data_growth = data_growth(m_end, m_begin);
    m.worst_blocking = m_drive.worst_blocking();
    if (m.drive.merges) {
        m.erase_histogram = m_drive.erase_histogram();
    }
    describe_trace(m, m_drive.host().replayed(), c.workload.trace);
    if (m_sampled) {
        put_sampled(m);
    }
    m.fault_count = m_drive.faults().count();
    m.faults = m_drive.faults().faults();
    m.power = m_power.times();
    if (!c.reset_at.empty()) {
        m.host_resets = m_power.resets();
    }
    r.unreached = m_power.schedule().left();
    r.interrupted = m_interrupted;
    for (const report_sink* s : m_hooks.sinks) {
        const std::vector<std::string> broken = s->violations(m_heard);
        r.violations.insert(r.violations.end(), broken.begin(), broken.end());
    }
    // Without a clean end others are loose and say nothing.
    const auto broken = m_clean     ? check_identities(m, m_statistics)
                        : m_sampled ? std::vector<std::string>() // each window was checked
                                    : check_busy(m);
    r.violations.insert(r.violations.end(), broken.begin(), broken.end());
    return r;
}

simulation_result simulation::state::run()
{
    m_filled = m_hooks.instead != nullptr && m_hooks.instead->fill(m_drive);
    if (bring_up() && !m_interrupted) {
        prepare();
        if (!m_interrupted && m_hooks.instead != nullptr) {
            serve();
            shut_down();
        } else if (!m_interrupted && m_drive.config().run.sampling.windows != 0) {
            sample();
        } else if (!m_interrupted) {
            warm_up();
            if (settle()) {
                measure();
            }
            shut_down();
        }
    }
    if (m_hooks.instead != nullptr) {
        m_hooks.instead->ended(m_drive);
    }
    simulation_result result = conclude();
    result.unsaved = save_state();
    return result;
}

bool simulation_result::good() const
{
    return violations.empty() && measured.fault_count == 0 &&
           (!measured.lifetime.integrity || measured.lifetime.integrity->mismatches == 0);
}

simulation::simulation(const ssd_config& config, const loaded_firmware& firmware,
                       const simulation_hooks& hooks, const ssd_options& options)
    : m_state(std::make_unique<state>(config, firmware, hooks, options))
{}

simulation::~simulation() = default;

simulation_result simulation::run()
{
    return m_state->run();
}

const request_statistics& simulation::requests() const
{
    return m_state->statistics();
}

ssd& simulation::drive()
{
    return m_state->drive();
}

double simulation::precondition_seconds() const
{
    return m_state->preconditioning().seconds;
}

std::uint64_t simulation::preconditioned_pages() const
{
    return m_state->preconditioning().pages;
}

} // namespace ssdvp::platform
