// SPDX-License-Identifier: Apache-2.0
#include "platform/control/sampled_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "models/regs/choices/cache_policy.h"
#include "platform/config/derived.h"
#include "platform/control/completion_hub.h"
#include "platform/control/warming.h"
#include "platform/control/window_processes.h"
#include "platform/report/confidence.h"
#include "platform/report/counter_sums.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t step = 64;          // requests between two looks at the phase
constexpr std::uint64_t looks_apart = 256;  // steps between two looks for Ctrl-C
constexpr std::size_t fewest_looked_at = 8; // windows
constexpr std::size_t most_weighted = 512;  // ... of some 100 KB each
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

/// By request.
window_work work_of(const window_result& w)
{
    const auto requests = static_cast<double>(std::max<std::uint64_t>(w.requests.requests(), 1));
    const double programs =
        w.counted.ftl ? static_cast<double>(units_ordered(*w.counted.ftl)) : 0.0;
    return {programs / requests, static_cast<double>(w.counted.flash.erases) / requests};
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
    bool exact_enough() const;
    window_processes::bytes work(std::uint64_t measured);
    void begin(std::size_t k);
    void take();
    void finish();
    std::uint64_t stands_for() const;
    bool weighs() const;
    window_work work_of_run() const;
    std::vector<window_control> controls() const;
    window_sum sum_by(const std::vector<window_control>& controls) const;

    ssd& m_drive;
    const sampling_steps& m_steps;
    sample_plan m_plan;
    std::size_t m_streams;
    std::unique_ptr<warming> m_warming;
    window_processes m_processes;
    window_sum m_sum;
    bool m_enough = false;             // run.sampling.within is reached
    std::optional<telemetry> m_before; // all windows
    /// Of each window: requests that its process simulates, and what firmware had counted before.
    std::vector<std::uint64_t> m_simulated;
    std::vector<std::optional<telemetry>> m_counted;
    /// Of those that are through: what they said, and their work.
    std::vector<window_processes::bytes> m_said;
    std::vector<window_work> m_works;
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
    if (!whole) {
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
    m_simulated.push_back(m_warming->held() + m_plan.warmup + m_plan.measured);
    m_counted.push_back(m_drive.read().ftl);
}

/// By all that lies before the last window that is through. How many units of a request's data come
/// to the flash the windows know better: a buffer in simulated time holds a little more than that
/// of the warming, or less.
window_work windows_run::work_of_run() const
{
    const telemetry& now = *m_counted[m_sum.windows() - 1];
    const telemetry all = difference(now, *m_before);
    const auto erases = static_cast<double>(now.erase_sum - m_before->erase_sum);
    measurement m;
    m_sum.put(m);
    const double units = static_cast<double>(m.measured.ftl->host_units_written) /
                         static_cast<double>(m_sum.requests().requests());
    const double by_unit = units / static_cast<double>(all.host_units_written);
    return {by_unit * static_cast<double>(units_ordered(all)), by_unit * erases};
}

/// What a buffer that keeps reads brings to the flash, and with it what collection finds, is 4 %
/// off in the warming (measured). All results are kept for it, so not of any number of windows.
bool windows_run::weighs() const
{
    return m_plan.windows.size() <= most_weighted &&
           !buffer_has(m_drive.config(), CACHE_KEEPS_READS);
}

/// Of the windows that are through, if collection tells them apart.
std::vector<window_control> windows_run::controls() const
{
    const std::size_t n = m_sum.windows();
    if (n < fewest_weighted || !weighs() || !m_before || !m_counted[n - 1] ||
        moved(difference(*m_counted[n - 1], *m_before)) <= moved_least) {
        return {};
    }
    return weighted(m_works, work_of_run());
}

window_sum windows_run::sum_by(const std::vector<window_control>& controls) const
{
    window_sum sum(m_streams);
    for (std::size_t i = 0; i < controls.size(); ++i) {
        sum.add(read(m_said[i]), controls[i].weight);
    }
    return sum;
}

/// Looked for after 8, 16, 32, ... windows: the more often, the likelier is an interval that is
/// short by chance.
bool windows_run::exact_enough() const
{
    const std::size_t n = m_sum.windows();
    const double within = m_drive.config().run.sampling.within;
    if (within == 0.0 || n < fewest_looked_at || (n & (n - 1)) != 0) {
        return false;
    }
    measurement m;
    m_sum.put(m);
    const std::vector<window_control> all = controls();
    std::vector<window_control> ordered;
    std::vector<batch> pieces;
    for (const std::size_t i : by_phase(m_plan.windows, n)) {
        const run_sample p = difference(m.samples[i + 1], m.samples[i]);
        pieces.push_back({static_cast<double>(p.requests()), static_cast<double>(p.when.ps())});
        if (!all.empty()) {
            ordered.push_back(all[i]);
        }
    }
    piece_scatter scatter(piece_order::by_phase);
    scatter.controls = all.empty() ? nullptr : &ordered;
    const auto e = ratio_estimate(pieces, 0.95, scatter);
    const double unseen = all.empty() ? 0.0 : warming_agrees;
    return e && std::hypot(e->factor * e->error, unseen * e->value) <= within * e->value;
}

/// Results of those that are through, as many as are wanted.
void windows_run::take()
{
    while (!m_enough) {
        const auto said = m_processes.take();
        if (!said) {
            return;
        }
        const window_result w = read(*said);
        m_sum.add(w);
        if (weighs()) {
            m_said.push_back(*said);
        }
        m_works.push_back(work_of(w));
        m_enough = exact_enough();
    }
}

/// The rest of them, in their order.
void windows_run::finish()
{
    take();
    while (!m_enough && m_sum.windows() != m_simulated.size() && !m_steps.interrupted()) {
        m_processes.wait_for_next(m_steps.interrupted);
        take();
    }
    m_processes.end();
}

/// Each window stands for its stratum.
std::uint64_t windows_run::stands_for() const
{
    return m_drive.config().run.requests * m_sum.windows() / m_plan.windows.size();
}

sampled_result windows_run::run()
{
    const auto begin_time = std::chrono::steady_clock::now();
    m_warming = std::make_unique<warming>(
        m_drive,
        load_walk(m_drive.host().make_sources(), shares_asked_for(m_drive.config().workload)),
        m_steps.address);
    m_before = m_drive.read().ftl;
    for (std::size_t k = 0; k < m_plan.windows.size() && warm_to(m_plan.windows[k]); ++k) {
        begin(k);
        m_processes.wait_for_room(m_steps.interrupted);
        take();
        if (m_enough) {
            break;
        }
    }
    finish();
    const std::size_t windows = m_sum.windows();
    const bool complete = m_enough || windows == m_plan.windows.size();
    std::optional<telemetry> whole;
    if (windows != 0 && m_before && m_counted[windows - 1]) { // others may have begun since
        whole = difference(*m_counted[windows - 1], *m_before);
    }
    if (complete) {
        need_sound(whole);
    }
    const std::uint64_t requests = stands_for();
    std::vector<window_control> controls =
        complete ? this->controls() : std::vector<window_control>();
    sampled_result r(controls.empty() ? std::move(m_sum) : sum_by(controls));
    r.controls = std::move(controls);
    r.stands_for = requests;
    r.exact_enough = m_enough;
    r.by_phase = by_phase(m_plan.windows, windows);
    r.complete = complete;
    r.simulated = std::accumulate(m_simulated.begin(),
                                  m_simulated.begin() + static_cast<std::ptrdiff_t>(windows),
                                  std::uint64_t{0});
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
