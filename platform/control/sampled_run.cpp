// SPDX-License-Identifier: Apache-2.0
#include "platform/control/sampled_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "platform/control/completion_hub.h"
#include "platform/control/warming.h"
#include "platform/control/window_processes.h"
#include "platform/report/confidence.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t step = 64;         // requests between two looks at the phase
constexpr std::uint64_t looks_apart = 256; // steps between two looks for Ctrl-C
// How much collection moves tells whether the warming kept step with the drive.
constexpr double moved_unsound = 0.20;
constexpr double moved_least = 0.05; // units for each of the host's: of less nothing is told

/// Units that collection moves for each that the host writes.
double moved(const telemetry& t)
{
    return t.host_units_written == 0
               ? 0.0
               : static_cast<double>(t.gc_units_moved) / static_cast<double>(t.host_units_written);
}

bool apart(double a, double b, double most)
{
    return std::max(a, b) > moved_least && std::abs(a - b) > most * std::max(a, b);
}

class to_bytes final : public state_archive {
public:
    window_processes::bytes all;
    [[nodiscard]] bool loading() const override { return false; }

protected:
    void bytes(void* at, std::size_t count) override
    {
        const auto* from = static_cast<const unsigned char*>(at);
        all.insert(all.end(), from, from + count);
    }
    void pages(unsigned char* at, std::size_t used) override { bytes(at, used); }
};

class from_bytes final : public state_archive {
public:
    explicit from_bytes(const window_processes::bytes& all) : m_all(all) {}
    [[nodiscard]] bool loading() const override { return true; }

protected:
    void bytes(void* at, std::size_t count) override
    {
        if (count > m_all.size() - m_next) {
            throw process_error("a window's process told less than it counted");
        }
        std::memcpy(at, m_all.data() + m_next, count);
        m_next += count;
    }
    void pages(unsigned char* at, std::size_t used) override { bytes(at, used); }

private:
    const window_processes::bytes& m_all;
    std::size_t m_next = 0;
};

class windows_run {
public:
    windows_run(ssd& drive, const sampling_steps& steps)
        : m_drive(drive), m_steps(steps), m_plan(plan_samples(drive.config())),
          m_streams(streams_apart(drive.config().workload)), m_processes(steps.processes),
          m_sum(m_streams)
    {}

    sampled_result run();

private:
    window_result read(const window_processes::bytes& said) const;
    std::vector<double> shares();
    bool warm_to(const sample_window& w);
    void need_sound(const std::optional<telemetry>& whole) const;
    window_processes::bytes work(std::uint64_t measured);
    void begin(std::size_t k);
    void take();

    ssd& m_drive;
    const sampling_steps& m_steps;
    sample_plan m_plan;
    std::size_t m_streams;
    std::unique_ptr<warming> m_warming;
    window_processes m_processes;
    window_sum m_sum;
    std::uint64_t m_simulated = 0;
};

window_result windows_run::read(const window_processes::bytes& said) const
{
    window_result w(m_drive.read(), m_streams);
    from_bytes from(said);
    w.keep(from);
    return w;
}

/// The next requests, up to where the window's phase is. False: interrupted.
bool windows_run::warm_to(const sample_window& w)
{
    const std::uint64_t all = m_plan.windows.back().latest;
    for (std::uint64_t n = 0; m_warming->position() < w.earliest; ++n) {
        m_warming->go_on(std::min(step, w.earliest - m_warming->position()));
        if (n % looks_apart == 0) {
            m_steps.tell(static_cast<double>(m_warming->position()) / static_cast<double>(all + 1));
            if (m_steps.interrupted()) {
                return false;
            }
        }
    }
    bool there = false;
    while (!there && m_warming->position() < w.latest) {
        const double from = m_warming->phase();
        m_warming->go_on(std::min(step, w.latest - m_warming->position()));
        there = passes(w.phase, from, m_warming->phase());
    }
    return !m_steps.interrupted();
}

/// Windows that collect otherwise than the warming before them began in a state that the drive does
/// not have beside this load.
void windows_run::need_sound(const std::optional<telemetry>& whole) const
{
    measurement m;
    if (m_sum.windows() != m_plan.windows.size() || !whole) {
        return;
    }
    m_sum.put(m);
    if (!m.measured.ftl || !apart(moved(*m.measured.ftl), moved(*whole), moved_unsound)) {
        return;
    }
    std::vector<batch> pieces;
    for (std::size_t i = 1; i < m.samples.size(); ++i) {
        const run_sample p = difference(m.samples[i], m.samples[i - 1]);
        pieces.push_back({static_cast<double>(p.flash.moved),
                          static_cast<double>(p.of(host::request_kind::write).bytes) /
                              static_cast<double>(m_drive.config().ftl.map_unit)});
    }
    const auto e = ratio_estimate(pieces);
    const bool idle = m_drive.config().run.sampling.idle;
    if (e && std::abs(e->value - moved(*whole)) > e->factor * e->error) {
        throw process_error(fmt::format(
            "run.sampling.windows: collection moves {:.2f} units for each that is written within "
            "windows, and {:.2f} between them, where {}; use run.sampling.idle={}, a larger "
            "run.sampling.warmup, or run.sampling.windows=0",
            moved(*m.measured.ftl), moved(*whole),
            idle ? "the drive has all the idle time that it wants" : "it has no idle time", !idle));
    }
}

window_processes::bytes windows_run::work(std::uint64_t measured)
{
    const std::uint64_t refilled = m_warming->held();
    window_result w = m_steps.window(m_warming->end(), refilled + m_plan.warmup, measured);
    to_bytes to;
    w.keep(to);
    return std::move(to.all);
}

void windows_run::begin(std::size_t k)
{
    m_processes.begin(fmt::format("window {} of {}", k + 1, m_plan.windows.size()),
                      [this] { return work(m_plan.measured); });
    m_simulated += m_warming->held() + m_plan.warmup + m_plan.measured;
}

/// Results of those that are through.
void windows_run::take()
{
    while (const auto said = m_processes.take()) {
        m_sum.add(read(*said));
    }
}

sampled_result windows_run::run()
{
    const auto begin_time = std::chrono::steady_clock::now();
    m_warming = std::make_unique<warming>(
        m_drive,
        load_walk(m_drive.host().make_sources(), shares_asked_for(m_drive.config().workload)),
        m_steps.address);
    const std::optional<telemetry> before = m_drive.read().ftl;
    for (std::size_t k = 0; k < m_plan.windows.size() && warm_to(m_plan.windows[k]); ++k) {
        begin(k);
        m_processes.wait_for_room(m_steps.interrupted);
        take();
    }
    m_processes.finish(m_steps.interrupted);
    take();
    std::optional<telemetry> whole;
    if (const std::optional<telemetry> after = m_drive.read().ftl; before && after) {
        whole = difference(*after, *before);
    }
    need_sound(whole);
    sampled_result r(std::move(m_sum));
    r.complete = r.windows.windows() == m_plan.windows.size();
    r.simulated = m_simulated;
    r.whole = whole;
    r.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
    return r;
}

} // namespace

sampled_result run_sampled(ssd& drive, const sampling_steps& steps)
{
    return windows_run(drive, steps).run();
}

} // namespace ssdvp::platform
