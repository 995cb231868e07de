// SPDX-License-Identifier: Apache-2.0
#include "platform/report/validity.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "platform/report/bottleneck.h"
#include "platform/report/confidence.h"
#include "platform/report/format.h"
#include "platform/report/occupancy.h"
#include "platform/report/overload.h"
#include "platform/report/shares.h"
#include "platform/report/steadiness.h"
#include "platform/report/trends.h"
#include "platform/report/upkeep.h"

namespace ssdvp::platform {

namespace {

using host::request_kind;

constexpr double superblocks_least = 8.0; // written by the host: fewer is an episode
constexpr double buffered_most = 0.05;    // of what was written
constexpr double unwritten_most = 0.01;   // of what was read
constexpr double held_most = 0.01;        // of the time: throttled, asleep
constexpr double stored_most = 0.1;       // of the heat that parts gave off
constexpr std::size_t slices = 5;         // of the measured part, as rounds of the steady rule
constexpr double noise = 4.0; // standard errors between slices that chance alone does not make

constexpr const char* nothing_yet = "the run was stopped before its measured part began";

class judge {
public:
    judge(const measurement& m, const request_statistics& requests) : m_run(m), m_requests(requests)
    {}

    /// What changes numbers the most comes first.
    validity all()
    {
        if (nothing_measured(m_run)) {
            warn("stopped_early", "{}: nothing was measured", nothing_yet);
            return std::move(m_out);
        }
        collection();
        overloaded();
        failing();
        rewritten_late();
        folded();
        unwritten();
        throttled();
        power_capped();
        asleep();
        space();
        drift();
        unsteady_start();
        stopped_early();
        buffer();
        window();
        episodes();
        warming();
        host_side();
        return std::move(m_out);
    }

private:
    template <typename... Args>
    void warn(const char* code, fmt::format_string<Args...> text, Args&&... args)
    {
        m_out.warnings.push_back({code, fmt::format(text, std::forward<Args>(args)...)});
    }
    [[nodiscard]] double written() const
    {
        return static_cast<double>(m_requests.kind(request_kind::write).bytes);
    }

    void collection();
    void window();
    void episodes();
    void space();
    void buffer();
    void drift();
    [[nodiscard]] std::string change_of_slices() const;
    void overloaded();
    void failing();
    void throttled();
    void power_capped();
    void asleep();
    void warming();
    void unwritten();
    void host_side();
    void unsteady_start();
    void stopped_early();
    void folded();
    void rewritten_late();

    const measurement& m_run;
    const request_statistics& m_requests;
    validity m_out;
    bool m_consumed = false; // free space
    bool m_overloaded = false;
};

void judge::collection()
{
    if (m_run.measured.ftl) {
        m_out.gc_cycles = m_run.measured.ftl->gc_runs;
    }
    const drive_geometry& g = m_run.drive.geometry;
    if (g.superblock_bytes != 0) {
        // Windows lie all over what they stand for.
        const double part = m_run.sampling ? m_run.sampling->share : 1.0;
        m_out.superblocks_written = written() / part / static_cast<double>(g.superblock_bytes);
        m_out.superblocks_erased =
            static_cast<double>(m_run.measured.flash.erases) / part / g.superblock_blocks;
    }
}

void judge::window()
{
    if (written() != 0.0 && m_out.superblocks_written &&
        *m_out.superblocks_written < superblocks_least) {
        warn("short_window",
             "the host wrote {:.1f} superblocks' worth of data: rates and write amplification of "
             "fewer than {:g} are an episode; use a larger run.requests, or run.until: steady",
             *m_out.superblocks_written, superblocks_least);
    }
}

void judge::episodes()
{
    if (m_run.sampling && m_run.sampling->episodes_few()) {
        warn("few_checkpoints",
             "the windows saw {} of the {} checkpoints of the run: what writes wait for meanwhile "
             "is not told (mean, p99 and above); use a larger run.sampling.share, or an exact run",
             m_run.sampling->checkpoints_measured, m_run.sampling->checkpoints);
    }
    if (m_run.sampling && m_run.sampling->erases_few()) {
        warn("few_erases",
             "{} of {} windows saw an erase, where {} victims were collected: what erases hold up "
             "is not told, and rates are too high; use a larger run.sampling.share",
             m_run.sampling->windows_erasing, m_run.sampling->windows, m_run.sampling->victims);
    }
    if (m_run.sampling && m_run.sampling->too_wide != 0.0) {
        warn("wide_interval",
             "after {} windows the interval of IOPS is wider than +- {:.3g} %; use a larger "
             "run.requests with more run.sampling.windows, or a larger run.sampling.share",
             m_run.sampling->windows, 100.0 * m_run.sampling->too_wide);
    }
}

void judge::space()
{
    if (m_run.samples.size() < 2) {
        return;
    }
    const run_sample whole = difference(m_run.samples.back(), m_run.samples.front());
    const auto erased = m_run.sampling
                            ? m_run.sampling->erased // windows are short beside a superblock
                            : erased_share(whole, m_run.drive.geometry.pages_per_block);
    m_consumed = erased && *erased < erases_keep_up;
    if (m_consumed) {
        warn("space_consumed",
             "{:.0f} % of what was programmed was erased: the drive lived on free space, and "
             "slows down when that is used up; use run.until: steady",
             100.0 * *erased);
    }
}

void judge::buffer()
{
    const double share = buffered_share(m_run).value();
    if (share > buffered_most) {
        warn("buffer_filling",
             "{:.0f} % of the units put into the write buffer lie there, for it was not yet full; "
             "use a larger run.warmup, or run.until: steady",
             100.0 * share);
    }
}

/// By the measured part itself, and by what had been written before it: within a part of a slow
/// change all looks even.
void judge::drift()
{
    const std::vector<run_sample>& s = m_run.samples;
    if (s.size() < 2 * slices + 1) {
        return;
    }
    std::string why = change_of_slices();
    why = why.empty() ? late_start(s) : why;
    why = why.empty() && !m_overloaded ? trend_of(s) : why; // a queue that grows is told already
    why = why.empty() ? "" : "still changing within the measured part: " + why;
    why = why.empty() && !m_overloaded ? wanders(m_run) : why;
    if (why.empty()) {
        why = remembered(m_run);
        why = why.empty() && !m_consumed ? fills_or_empties(m_run) : why;
        why = why.empty() ? collects_for_nobody(m_run) : why;
        why += why.empty() ? "" : "; use run.until: steady, or a larger run.warmup";
    }
    if (why.empty()) {
        why = levels_first(m_run);
        why = why.empty() ? refreshes_later(m_run) : why;
        why += why.empty() ? "" : "; use a larger run.warmup";
    }
    m_out.steady = why.empty() && !m_consumed && !m_overloaded;
    if (!why.empty()) {
        warn("drifting", "{}", why);
    }
}

/// Slices of the measured part, as far as differences between them are no chance. Empty: none is.
std::string judge::change_of_slices() const
{
    const std::vector<run_sample>& s = m_run.samples;
    std::vector<double> rates;
    for (std::size_t i = 0; i < slices; ++i) {
        const std::size_t last = s.size() - 1;
        const run_sample part = difference(s[last * (i + 1) / slices], s[last * i / slices]);
        rates.push_back(static_cast<double>(part.requests()) /
                        static_cast<double>(std::max<std::uint64_t>(part.when.ps(), 1)));
    }
    std::vector<batch> pieces;
    for (std::size_t i = 1; i < s.size(); ++i) {
        const run_sample p = difference(s[i], s[i - 1]);
        pieces.push_back({static_cast<double>(p.requests()), static_cast<double>(p.when.ps())});
    }
    const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
    const double error = standard_error(pieces) * std::sqrt(static_cast<double>(slices));
    return *high - *low <= noise * error ? "" : unsteady("IOPS", rates, {});
}

void judge::overloaded()
{
    const auto o = overload_of(m_run);
    if (!o) {
        return;
    }
    m_overloaded = true;
    m_out.steady = false;
    const std::string rates =
        o->asked == 0.0 ? fmt::format("the trace asks for more than {} requests per second",
                                      text_rough(o->served))
                        : fmt::format("{} requests per second are asked for and {} done",
                                      text_rough(o->asked), text_rough(o->served));
    warn("overloaded",
         "{}: the queue grew throughout, from a mean latency of {} to {}, so that latencies tell "
         "how long the run was; ask for less, or use queue_depth",
         rates, text_time(o->first), text_time(o->last));
}

void judge::failing()
{
    const kind_statistics all = m_requests.overall();
    if (failed_share(m_requests) > m_run.drive.load.failed_limit) {
        warn("failing",
             "{} of {} requests failed: rates and latencies count them like the others, and a "
             "failed request moves no data",
             text_count(all.errors), text_count(all.requests));
    }
}

void judge::throttled()
{
    if (!m_run.measured.thermal) {
        return;
    }
    const auto& t = m_run.measured.thermal->time;
    const sim_time held = t[1] + t[2] + t[3];
    if (fraction(held, m_run.measured.when) > held_most) {
        warn("throttled",
             "heat held the drive back for {} of the run (light {}, heavy {}, stopped {}): rates "
             "are those of a hot drive; for those of a cool one improve the cooling, or set "
             "thermal.model: none",
             text_percent(fraction(held, m_run.measured.when)), text_time(t[1]), text_time(t[2]),
             text_time(t[3]));
    }
}

void judge::power_capped()
{
    const double used = power_used(m_run);
    if (used >= at_the_cap) {
        warn("power_capped",
             "the drive drew {} of the power that its state allows, and held work back to stay "
             "below: rates are those of this cap; for others raise power.states.max_power, or "
             "leave it out",
             text_percent(used));
    }
}

void judge::asleep()
{
    sim_time slept;
    if (m_run.measured.states) {
        for (const power_state_statistics& s : m_run.measured.states->states) {
            slept += s.asleep;
        }
    }
    if (fraction(slept, m_run.measured.when) > held_most) {
        warn("asleep",
             "the drive was asleep for {} of the run: requests that woke it waited for that, which "
             "is in their latency; for a drive that is awake use host.driver.apst: false",
             text_percent(fraction(slept, m_run.measured.when)));
    }
}

/// Heat that is stored raises the temperature: a longer run would be hotter.
void judge::warming()
{
    if (!m_run.measured.thermal || m_run.measured.thermal->taken <= 0.0) {
        return;
    }
    const thermal::thermal_stats& t = *m_run.measured.thermal;
    if (t.stored > stored_most * t.taken) {
        warn("warming",
             "the drive was still getting warmer: {} of the heat that its parts gave off stayed in "
             "it; use a longer run, a larger thermal.speed, or a higher thermal.start",
             text_percent(t.stored / t.taken));
    }
}

void judge::unwritten()
{
    const double share = unwritten_share(m_run).value();
    if (share > unwritten_most) {
        warn("unwritten_reads",
             "{:.0f} % of what was read had never been written, or was trimmed: such reads need "
             "no flash; set precondition.fill, or a smaller range",
             100.0 * share);
    }
}

void judge::host_side()
{
    if (m_requests.requests() != 0) {
        const bottleneck b = bottleneck_of(m_run, m_requests);
        if (b.on_host_side) {
            warn("host_bound", "the drive is not at its limit: {}", b.text);
        }
    }
}

void judge::unsteady_start()
{
    if (m_run.drive.precondition && !m_run.drive.precondition->steady.value_or(true)) {
        warn("precondition_not_steady",
             "overwriting ended before the drive was steady; use a larger precondition.overwrite");
    }
    if (!m_run.stopped && !m_run.never_steady.empty()) {
        m_out.steady = false;
        warn("not_steady", "run.until: steady was given up: {}; use a larger run.steady.limit",
             m_run.never_steady);
    }
}

/// A run.until: steady. What was steady is short of rounds at worst.
void judge::stopped_early()
{
    if (!m_run.stopped) {
        return;
    }
    const stopped_rounds& s = *m_run.stopped;
    m_out.rounds = s.complete;
    if (!s.unsteady.empty()) {
        m_out.steady = false;
    }
    const std::string why = s.unsteady.empty() ? "" : " (" + s.unsteady + ")";
    if (s.complete == 0) {
        warn("stopped_early",
             "run.until: steady was stopped before a round was complete: this is what completed "
             "until then, and not steady; let it run longer");
    } else if (!s.measured) {
        warn("stopped_early",
             "run.until: steady was stopped before its measured part: these are the last {} "
             "complete rounds before that, {}{}; let it run longer",
             s.complete, s.unsteady.empty() ? "which were steady" : "not steady", why);
    } else {
        warn("stopped_early",
             "run.until: steady was stopped after {} complete rounds of its measured part{}, which "
             "this is; let it run longer",
             s.complete, s.unsteady.empty() ? "" : ", not steady" + why);
    }
}

void judge::folded()
{
    if (m_run.trace && m_run.trace->folded != 0) {
        const trace_account& t = *m_run.trace;
        warn("folded_trace",
             "{} of {} requests of the trace lie beyond the drive's end and were folded back onto "
             "what others use; use a larger drive, fit scale, or a single device",
             text_count(t.folded), text_count(t.requests));
    }
}

void judge::rewritten_late()
{
    if (m_run.measured.ftl && m_run.measured.ftl->retention.late_units != 0) {
        const telemetry_retention& r = m_run.measured.ftl->retention;
        warn(
            "rewritten_late",
            "{} of {} units that were programmed shallow were written again only after their "
            "retention, or are lost: what delays that (map segments, erases, a power-up) takes "
            "longer than write.shallow.margin; use a larger one, or a smaller nand.retention_speed",
            text_count(r.late_units), text_count(r.rewritten_units));
    }
}

} // namespace

bool nothing_measured(const measurement& m)
{
    return !m.complete && m.samples.empty() && m.drive.geometry.channels != 0;
}

std::string what_was_measured(const measurement& m, const request_statistics& requests)
{
    return nothing_measured(m)
               ? std::string("nothing: ") + nothing_yet
               : fmt::format("{} requests in {} of simulated time", text_count(requests.requests()),
                             text_time(m.measured.when));
}

std::string what_is_told(const measurement& m)
{
    if (nothing_measured(m)) {
        return "nothing was measured yet";
    }
    if (!m.stopped || m.stopped->complete == 0) {
        return "this is what ran until then";
    }
    const stopped_rounds& s = *m.stopped;
    return fmt::format("the {} {} complete rounds{}", s.measured ? "first" : "last", s.complete,
                       s.unsteady.empty() ? "" : "; not steady");
}

double failed_share(const request_statistics& requests)
{
    const kind_statistics all = requests.overall();
    return all.requests == 0 ? 0.0
                             : static_cast<double>(all.errors) / static_cast<double>(all.requests);
}

validity validity_of(const measurement& m, const request_statistics& requests)
{
    return judge(m, requests).all();
}

} // namespace ssdvp::platform
