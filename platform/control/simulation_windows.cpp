// SPDX-License-Identifier: Apache-2.0
//
// The measured part of a run in windows (run.sampling).
#include <cmath>
#include <fmt/format.h>

#include "models/common/calendar.h"
#include "platform/control/simulation_state.h"
#include "platform/control/window_processes.h"
#include "platform/report/counter_sums.h"
#include "platform/report/identities.h"

namespace ssdvp::platform {

namespace {

/// What went wrong, and else what it counted is told.
void need_good(const fault_log& faults)
{
    if (faults.count() == 0) {
        return;
    }
    const fault_log::fault& first = faults.faults().front();
    throw process_error(fmt::format(
        "{} at {} ns: {}{}", first.who, first.when.ns(), first.what,
        faults.count() == 1 ? std::string()
                            : fmt::format(" (and {} faults more)", faults.count() - 1)));
}

/// Units that firmware writes for each of the host's.
double written_per_unit(const telemetry& t)
{
    return t.host_units_written == 0
               ? 0.0
               : static_cast<double>(units_ordered(t)) / static_cast<double>(t.host_units_written);
}

} // namespace

/// In a process of its own.
window_result simulation::state::measure_window(load_walk::sources load, std::uint64_t warmup,
                                                std::uint64_t measured)
{
    m_hooks.interrupted = [] { return false; };
    m_hooks.progress = nullptr;
    m_hooks.phase = nullptr;
    const sim_time begun = now();
    m_drive.host().start_workload(std::move(load), {}, [this] {
        m_workload_done = true;
        calendar::get().pause();
    });
    m_hub.pause_at(m_hub.completed() + warmup, m_warm);
    const ending warm = simulate(m_warm, endless, false);
    failed("the workload stopped", warm);
    need_good(m_drive.faults());
    begin_measurement();
    m_sampler.begin(now(), measured);
    bool enough = false;
    m_hub.pause_at(m_hub.completed() + measured, enough);
    failed("the workload stopped", simulate(enough, endless, false));
    m_end = read();
    need_good(m_drive.faults());
    measurement told;
    told.measured = difference(m_end, m_begin);
    if (const auto broken = check_busy(told); !broken.empty()) {
        throw process_error("its statistics contradict each other: " + broken.front());
    }
    window_result w(std::move(told.measured), m_statistics.streams().size());
    w.requests.report(m_statistics);
    w.sample = difference(m_sampler.samples().back(), m_sampler.samples().front());
    w.latency = m_sampler.pieces().front();
    w.buffer_growth = buffer_growth(m_end, m_begin);
    w.peak_rss_bytes = peak_rss_bytes();
    w.simulated = now() - begun;
    return w;
}

void simulation::state::sample()
{
    const sampling_steps steps = {
        m_hooks.interrupted, [this](double share) { tell("sampling", share); },
        [this](load_walk::sources load, std::uint64_t warmup, std::uint64_t measured) {
            return measure_window(std::move(load), warmup, measured);
        },
        named_by_host(), m_hooks.processes};
    m_sampled = run_sampled(m_drive, steps);
    m_workload_complete = m_sampled->complete;
    m_interrupted = !m_sampled->complete;
    m_statistics.report(m_sampled->windows.requests());
}

void simulation::state::put_sampled(measurement& m) const
{
    const sampled_result& s = *m_sampled;
    if (s.windows.windows() == 0) {
        return;
    }
    s.windows.put(m);
    m.measured.wall_s = s.seconds;
    m.worst_blocking.reset();
    sampling_figures f;
    f.windows = s.windows.windows();
    f.requests = s.stands_for;
    f.simulated = s.simulated;
    f.share = static_cast<double>(m_statistics.requests()) / static_cast<double>(s.stands_for);
    f.by_phase = s.by_phase;
    f.controls = s.controls;
    f.too_wide = s.exact_enough ? 0.0 : m_drive.config().run.sampling.within;
    if (s.whole && m.measured.ftl) {
        f.checkpoints = s.whole->checkpoints;
        const double written = static_cast<double>(units_ordered(*s.whole));
        const std::uint64_t freed = s.whole->gc_runs * superblock_units(m_drive.config());
        f.erased = written == 0.0 ? f.erased : static_cast<double>(freed) / written;
        f.victims = s.whole->gc_runs;
        f.windows_erasing = s.windows.windows_erasing();
        f.checkpoints_measured = m.measured.ftl->checkpoints;
        const double here = written_per_unit(*m.measured.ftl);
        f.unseen = here == 0.0          ? 0.0
                   : s.controls.empty() ? std::abs(written_per_unit(*s.whole) / here - 1.0)
                                        : warming_agrees;
    }
    m.sampling = f;
    m.drive.rows.emplace_back("sampled", sampling_text(f));
}

} // namespace ssdvp::platform
