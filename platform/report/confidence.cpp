// SPDX-License-Identifier: Apache-2.0
#include "platform/report/confidence.h"

#include <algorithm>
#include <array>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "platform/report/json_numbers.h"
#include "platform/report/overload.h"
#include "platform/report/percentiles.h"
#include "platform/report/rare_waits.h"
#include "platform/report/window_error.h"

namespace ssdvp::platform {

namespace {

constexpr double usual = 0.95;            // probability of an interval
constexpr double upper_tail = 0.975;      // of a two-sided 95 %
constexpr std::size_t fewest_batches = 8; // a variance of fewer says little
constexpr std::size_t most_cosines = 8;   // the last one has four waves in the run
constexpr double rare_least = 80.0;       // requests beyond a quantile
constexpr double many_least = 800.0;      // of so many it is known how they clump
// Requests of a closed loop make up for each other: a slow one holds the others back. But that
// pieces are alike by chance says nothing of the run.
constexpr double worth_least = 1.0 / 9.0; // a third of the width that independent ones have

constexpr std::array waits_for_collection = {latency_part::wait_gc, latency_part::wait_erase};
constexpr std::array waits_for_luns = {latency_part::wait_gc, latency_part::wait_erase,
                                       latency_part::wait_program, latency_part::wait_read};

batch sum_of_batches(const std::vector<batch>& batches)
{
    batch sum;
    for (const batch& b : batches) {
        sum.amount += b.amount;
        sum.divisor += b.divisor;
    }
    return sum;
}

std::vector<double> residuals_of(const std::vector<batch>& batches, double ratio)
{
    std::vector<double> r;
    for (const batch& b : batches) {
        r.push_back(b.amount - ratio * b.divisor);
    }
    return r;
}

/// Variance of the residuals' sum, by so many cosines: cos(j x) of piece i at x = pi (i + 1/2) / n.
/// Each is an estimate of its own: where what a piece does is made up for soon, as collection makes
/// up for the room that writes take, the slow ones see nothing of it; where it lasts they see it.
double variance_of_sum(const std::vector<double>& r, std::size_t cosines)
{
    std::array<double, most_cosines> weighted = {};
    for (std::size_t i = 0; i < r.size(); ++i) {
        const double first =
            std::cos(boost::math::constants::pi<double>() * (static_cast<double>(i) + 0.5) /
                     static_cast<double>(r.size()));
        double before = 1.0;
        double now = first;
        for (std::size_t j = 0; j < cosines; ++j) {
            weighted[j] += r[i] * now;
            before = std::exchange(now, 2.0 * first * now - before); // Chebyshev
        }
    }
    double squares = 0.0;
    for (const double w : weighted) {
        squares += 2.0 * w * w;
    }
    return squares / static_cast<double>(cosines);
}

/// The same of windows by phase, the last of which is beside the first.
double variance_by_phase(const std::vector<double>& r)
{
    double squares = 0.0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        const double d = r[i] - r[i == 0 ? r.size() - 1 : i - 1];
        squares += d * d;
    }
    return squares / 2.0;
}

/// Of a sum by `divisor`, whose residuals by window are `r`.
estimate estimate_by_phase(double value, const std::vector<double>& r, double divisor, double below)
{
    const boost::math::students_t distribution(2.0 / 3.0 * static_cast<double>(r.size()));
    return {value, std::sqrt(variance_by_phase(r)) / divisor,
            boost::math::quantile(distribution, below)};
}

/// Each as often as it counts.
std::vector<batch> times(std::vector<batch> all, const std::vector<window_control>& controls)
{
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].amount *= controls[i].weight;
        all[i].divisor *= controls[i].weight;
    }
    return all;
}

/// Of a sum by `divisor`, whose weighted residuals by window are `r`, beside the work of each.
estimate estimate_beside_work(double value, const std::vector<double>& r, double divisor,
                              double below)
{
    const auto n = static_cast<double>(r.size());
    const double degrees = n - static_cast<double>(weighted_degrees);
    const double squares = std::inner_product(r.begin(), r.end(), r.begin(), 0.0);
    const boost::math::students_t distribution(degrees);
    return {value, std::sqrt(squares * n / degrees) / divisor,
            boost::math::quantile(distribution, below)};
}

/// Of a sum by `divisor`, whose residuals by piece are `r`.
estimate estimate_of(double value, const std::vector<double>& r, double divisor,
                     double below = upper_tail)
{
    const std::size_t cosines = std::min(most_cosines, r.size() / 2);
    const boost::math::students_t distribution(static_cast<double>(cosines));
    return {value, std::sqrt(variance_of_sum(r, cosines)) / divisor,
            boost::math::quantile(distribution, below)};
}

/// By how much a run of this length is off the level of its drive's state because that comes and
/// goes in waves, as a share with 95 %: what settling saw of them.
double unseen_waves(const measurement& m)
{
    const load_memory& memory = m.drive.memory;
    if (memory.level_bytes == 0 || m.samples.empty()) {
        return 0.0;
    }
    const run_sample whole = difference(m.samples.back(), m.samples.front());
    const double part = m.sampling ? m.sampling->share : 1.0; // windows lie all over the run
    const double host = static_cast<double>(whole.flash.bytes_programmed) -
                        static_cast<double>(whole.flash.moved) * m.drive.map_unit;
    const double seen = host / part / static_cast<double>(memory.level_bytes);
    const std::optional<estimate> e = window_error(memory.levels, seen);
    return e ? e->error * e->factor : 0.0;
}

/// Which pieces stand where, of so many: windows by phase, others in time.
std::vector<std::size_t> places_of(const measurement& m, std::size_t count)
{
    if (m.sampling) {
        return m.sampling->by_phase;
    }
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// Pieces of the run, `amount` by `divisor` of each.
template <typename Amount, typename Divisor>
std::vector<batch> pieces(const measurement& m, Amount amount, Divisor divisor)
{
    std::vector<batch> all;
    for (const std::size_t i : places_of(m, m.samples.empty() ? 0 : m.samples.size() - 1)) {
        const run_sample piece = difference(m.samples[i + 1], m.samples[i]);
        all.push_back({amount(piece), divisor(piece)});
    }
    return all;
}

class kind_intervals {
public:
    kind_intervals(const measurement& m, const kind_statistics& k, host::request_kind kind)
        : m_run(m), m_statistics(k), m_kind(kind),
          m_name(std::string("host.") + request_kind_names[static_cast<std::size_t>(kind)]),
          m_waves(unseen_waves(m)), m_episodes(m.sampling ? m.sampling->unseen : 0.0),
          m_scatter(m.sampling ? piece_order::by_phase : piece_order::in_time)
    {
        if (m.sampling && !m.sampling->controls.empty()) {
            for (const std::size_t i : m.sampling->by_phase) {
                m_controls.push_back(m.sampling->controls[i]);
            }
            m_scatter.controls = &m_controls;
        }
        if (kind == host::request_kind::write && !m.sampling) {
            m_rare = rare_waits_of(m, k);
        }
        for (const std::size_t i : places_of(m, m.latencies.size())) {
            m_pieces.emplace_back(m.latencies[i][static_cast<std::size_t>(kind)]);
        }
    }

    std::vector<named_interval> all()
    {
        const auto seconds = [](const run_sample& p) {
            return static_cast<double>(p.when.ps()) * 1e-12;
        };
        const auto requests = [this](const run_sample& p) {
            return static_cast<double>(p.of(m_kind).requests);
        };
        const auto bytes = [this](const run_sample& p) {
            return static_cast<double>(p.of(m_kind).bytes);
        };
        const auto latency = [this](const run_sample& p) { return p.of(m_kind).latency / 1000.0; };
        const sim_time t = m_run.measured.when;
        const bool asked = m_run.drive.load.rate > 0.0; // and that holds
        const double waves = asked ? 0.0 : 1.0;
        const double episodes = asked ? 0.0 : m_episodes;
        add(".iops", per_second(static_cast<double>(m_statistics.requests), t),
            estimate_beside(waves, pieces(m_run, requests, seconds), &batch::amount),
            std::hypot(m_waves * waves, episodes));
        add(".bytes_per_s", per_second(static_cast<double>(m_statistics.bytes), t),
            estimate_beside(waves, pieces(m_run, bytes, seconds), &batch::amount),
            std::hypot(m_waves * waves, episodes));
        if (overload_of(m_run)) {
            return std::move(m_all); // its latency is that of a queue that grows
        }
        if (!waits_for_episodes(mean_ppm)) {
            add(".latency_ns.mean", m_statistics.latency.mean() / 1000.0,
                estimate_beside(share_of_collection(), pieces(m_run, latency, requests),
                                &batch::divisor),
                std::hypot(m_waves * share_of_collection(), m_episodes));
            bound_mean();
        }
        for (const auto& [name, ppm] : percentiles) {
            if (!waits_for_episodes(ppm)) {
                add_percentile(name, ppm);
            }
        }
        return std::move(m_all);
    }

private:
    static constexpr std::uint32_t mean_ppm =
        990000; // what few requests wait for is in the mean too
    /// Of a sampled run: writes wait for room while a checkpoint takes it, and the windows have
    /// seen too few of them to tell how many.
    [[nodiscard]] bool waits_for_episodes(std::uint32_t ppm) const
    {
        return m_run.sampling && m_run.sampling->episodes_few() &&
               m_kind == host::request_kind::write && ppm >= mean_ppm;
    }
    /// `unseen`: what the run does not know of it beside that, as a share.
    void add(const char* what, double value, const std::optional<estimate>& e, double unseen)
    {
        if (e) {
            const double half = std::hypot(e->factor * e->error, value * unseen);
            m_all.push_back({m_name + what, {value, std::max(0.0, value - half), value + half}});
        }
    }
    /// Of writes whose mean is that of a few long waits, which the run may not have seen.
    void bound_mean()
    {
        const std::optional<double> most = m_rare ? largest_mean(*m_rare) : std::nullopt;
        if (most && !m_all.empty() && m_all.back().name == m_name + ".latency_ns.mean") {
            interval& mean = m_all.back().value;
            mean.high = std::max(mean.high.value(), *most / 1000.0);
        }
    }
    /// What differs between pieces beside the waves of the drive's state, whose error is known
    /// apart: the share `part` of the requests (or bytes) of each is taken as what it programmed.
    [[nodiscard]] std::optional<estimate> estimate_beside(double part, std::vector<batch> all,
                                                          double batch::*requests) const
    {
        const auto programmed = [](const run_sample& p) {
            return static_cast<double>(p.flash.bytes_programmed);
        };
        const std::vector<batch> work = pieces(m_run, programmed, programmed);
        const double sum = sum_of_batches(all).*requests;
        const double programs = sum_of_batches(work).amount;
        if (m_waves != 0.0 && programs != 0.0 && m_controls.empty()) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                const double as_work = work[i].amount * sum / programs;
                all[i].*requests += part * (as_work - all[i].*requests);
            }
        }
        return ratio_estimate(all, usual, m_scatter);
    }
    /// Of a request's time, what goes as write amplification does.
    [[nodiscard]] double share_of_collection() const { return share_of(waits_for_collection); }
    template <std::size_t N>
    [[nodiscard]] double share_of(const std::array<latency_part, N>& parts) const
    {
        const auto all = static_cast<double>(m_statistics.latency.sum());
        uint128 waits = 0;
        for (const latency_part p : parts) {
            waits += m_statistics.parts[static_cast<std::size_t>(p)];
        }
        return all == 0.0 ? 0.0 : static_cast<double>(waits) / all;
    }
    /// By an independent error, a share of the value.
    static void widen(interval& i, double by)
    {
        i.low = i.mean - std::hypot(i.mean - i.low, by * i.mean);
        if (i.high) {
            i.high = i.mean + std::hypot(*i.high - i.mean, by * i.mean);
        }
    }
    /// Of each piece: requests at or below a latency, of all of them.
    [[nodiscard]] std::vector<batch> below(sim_time latency) const
    {
        const auto bucket = static_cast<std::uint32_t>(histogram::bucket_of(latency));
        std::vector<batch> all;
        for (const latency_sums& piece : m_pieces) {
            all.push_back(
                {static_cast<double>(piece.up_to(bucket)), static_cast<double>(piece.all())});
        }
        return all;
    }
    /// Ranks among all requests that the quantile lies between, if each independent request is
    /// worth so many as at that latency.
    [[nodiscard]] ranks ranks_of(double p, double worth) const
    {
        const std::uint64_t all = m_statistics.latency.count();
        worth = std::clamp(worth, worth_least, static_cast<double>(all));
        const auto n = static_cast<std::uint64_t>(static_cast<double>(all) / worth);
        const ranks r = quantile_ranks(std::max<std::uint64_t>(n, 1), p);
        const auto of_all = [&](std::uint64_t rank) {
            const auto scaled = static_cast<std::uint64_t>(static_cast<double>(rank) * worth);
            return std::clamp<std::uint64_t>(scaled, 1, all);
        };
        return {of_all(r.low), r.high == 0 ? 0 : of_all(r.high)};
    }
    /// The first rank above `low`, up to `high`, whose latency cannot be the quantile `p`: so many
    /// requests are at or below that one, by what they are worth there.
    [[nodiscard]] std::uint64_t first_above(double p, std::uint64_t low, std::uint64_t high,
                                            double least) const
    {
        const histogram& h = m_statistics.latency;
        while (low + 1 < high) {
            const std::uint64_t rank = low + (high - low) / 2;
            const std::optional<double> worth = worth_at(below(h.ranked(rank)), p, m_scatter);
            const ranks r = ranks_of(p, std::max(worth.value_or(1.0), least));
            (r.high != 0 && r.high <= rank ? high : low) = rank;
        }
        return high;
    }
    /// In the slower of two modes requests come in larger clumps, so its end may be higher than
    /// what those at the percentile are worth says: by as much as the interval is wide, at most.
    /// Where few requests lie beyond it they may be spread evenly by chance: they are worth no less
    /// than at any percentile below. Slow ones come in clumps that are no smaller further out.
    void add_percentile(const char* name, std::uint32_t ppm)
    {
        const histogram& h = m_statistics.latency;
        const double p = ppm * 1e-6;
        const std::optional<double> found = worth_of(below(h.percentile(ppm)), p, m_scatter);
        if (!found && !m_worth) {
            return; // nothing is known of it
        }
        const double least = m_worth.value_or(worth_least);
        const double beyond = (1.0 - p) * static_cast<double>(h.count());
        const double own = std::max(found.value_or(0.0), worth_least);
        const double worth = found && beyond >= many_least ? own : std::max(own, least);
        const ranks r = ranks_of(p, worth);
        interval i = {
            ns(h.percentile(ppm)), std::min(ns(h.ranked(r.low)), ns(h.percentile(ppm))), {}};
        const std::optional<double> rare = m_rare ? largest_share(*m_rare) : std::nullopt;
        if (found && r.high != 0 && (!rare || *rare < 1.0 - p)) {
            const std::uint64_t most = std::min(h.count(), 2 * r.high - r.low);
            const auto at = static_cast<std::uint64_t>(p * static_cast<double>(h.count()));
            std::uint64_t above = first_above(p, at, r.high, least);
            above = above == r.high ? first_above(p, r.high - 1, most, least) : above;
            i.high = std::max(ns(h.ranked(above)), i.mean);
        }
        m_worth = std::max(m_worth.value_or(0.0), worth);
        // A write waits for collection; a read for what collection gives the LUNs to do.
        widen(i, m_waves * (m_kind == host::request_kind::write ? share_of_collection()
                                                                : share_of(waits_for_luns)));
        i.low = m_low = std::max(i.low, m_low); // of a lower percentile, which is no larger
        m_all.push_back({m_name + ".latency_ns." + name, i});
    }

    const measurement& m_run;
    const kind_statistics& m_statistics;
    host::request_kind m_kind;
    std::string m_name;
    double m_waves;
    double m_episodes;
    std::vector<window_control> m_controls; // of the windows, as pieces are ordered
    piece_scatter m_scatter;
    std::optional<rare_waits> m_rare; // of writes
    std::vector<latency_sums> m_pieces;
    std::vector<named_interval> m_all;
    double m_low = 0.0;            // of the percentiles so far, the largest lower end
    std::optional<double> m_worth; // the largest of the percentiles so far
};

} // namespace

std::size_t pieces_to_cut(const std::vector<batch>& pieces)
{
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t cut = pieces.size(); cut-- > 0;) { // the last piece alone has no scatter
        const double value = pieces[cut].divisor / std::max(pieces[cut].amount, 1.0);
        const auto n = static_cast<double>(pieces.size() - cut);
        sum += value;
        squares += value * value;
        const double error = std::max(0.0, squares - sum * sum / n) / (n * n);
        if (2 * cut <= pieces.size() && error <= least) {
            least = error;
            best = cut;
        }
    }
    return best;
}

double standard_error(const std::vector<batch>& batches)
{
    const batch sum = sum_of_batches(batches);
    if (batches.size() < 2 || sum.divisor == 0.0) {
        return 0.0;
    }
    const auto n = static_cast<double>(batches.size());
    double squares = 0.0;
    for (const double r : residuals_of(batches, sum.amount / sum.divisor)) {
        squares += r * r;
    }
    return std::sqrt(n / (n - 1.0) * squares) / sum.divisor;
}

std::optional<estimate> ratio_estimate(const std::vector<batch>& batches, double sure,
                                       const piece_scatter& scatter)
{
    if (batches.size() < fewest_batches) {
        return std::nullopt;
    }
    const bool weighs = scatter.controls != nullptr;
    const batch sum =
        weighs ? sum_of_batches(times(batches, *scatter.controls)) : sum_of_batches(batches);
    if (sum.divisor == 0.0) {
        return std::nullopt;
    }
    const double ratio = sum.amount / sum.divisor;
    const std::vector<double> r = residuals_of(batches, ratio);
    const double below = 0.5 + sure / 2.0;
    if (weighs) {
        return estimate_beside_work(ratio, beside_work(r, *scatter.controls), sum.divisor, below);
    }
    const auto estimated = scatter.order == piece_order::by_phase ? estimate_by_phase : estimate_of;
    return estimated(ratio, r, sum.divisor, below);
}

std::optional<estimate> slope_estimate(const std::vector<std::pair<double, double>>& points)
{
    const auto n = static_cast<double>(points.size());
    std::pair<double, double> middle;
    for (const auto& [time, value] : points) {
        middle.first += time / n;
        middle.second += value / n;
    }
    double squares = 0.0;
    double products = 0.0;
    for (const auto& [time, value] : points) {
        squares += (time - middle.first) * (time - middle.first);
        products += (time - middle.first) * (value - middle.second);
    }
    if (points.size() < fewest_batches || squares == 0.0) {
        return std::nullopt;
    }
    const double slope = products / squares;
    std::vector<double> pulls; // of each point at the line
    for (const auto& [time, value] : points) {
        const double x = time - middle.first;
        pulls.push_back(x * (value - middle.second - slope * x));
    }
    return estimate_of(slope, pulls, squares);
}

std::optional<estimate> trend_estimate(const std::vector<batch>& batches, double sure)
{
    const batch sum = sum_of_batches(batches);
    if (batches.size() < fewest_batches || sum.divisor == 0.0 || sum.amount == 0.0) {
        return std::nullopt;
    }
    std::vector<double> place; // of each piece, from -1/2 to 1/2
    double before = 0.0;
    double middle = 0.0;
    for (const batch& b : batches) {
        place.push_back((before + b.divisor / 2.0) / sum.divisor - 0.5);
        before += b.divisor;
        middle += place.back() * b.divisor / sum.divisor;
    }
    const double ratio = sum.amount / sum.divisor;
    double products = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < place.size(); ++i) {
        place[i] -= middle;
        products += place[i] * (batches[i].amount - ratio * batches[i].divisor);
        squares += place[i] * place[i] * batches[i].divisor;
    }
    if (squares == 0.0) {
        return std::nullopt; // all of it is in one piece
    }
    const double slope = products / squares;
    std::vector<double> pulls; // of each piece at the line
    for (std::size_t i = 0; i < place.size(); ++i) {
        const double line = (ratio + slope * place[i]) * batches[i].divisor;
        pulls.push_back(place[i] * (batches[i].amount - line));
    }
    return estimate_of(slope / ratio, pulls, squares * ratio, 0.5 + sure / 2.0);
}

ranks quantile_ranks(std::uint64_t n, double p)
{
    // Of n samples so many lie below the quantile; B(n, p).
    const boost::math::binomial below(static_cast<double>(n), p);
    const auto fewest = static_cast<std::uint64_t>(boost::math::quantile(below, 1.0 - upper_tail));
    ranks r;
    r.low = std::min<std::uint64_t>(fewest + 1, n); // so many below it are too few with 97.5 %
    if (n >= samples_needed(p)) {
        const auto most = static_cast<std::uint64_t>(boost::math::quantile(below, upper_tail));
        r.high = std::min(most + 1, n);
    }
    return r;
}

std::uint64_t samples_needed(double p)
{
    return static_cast<std::uint64_t>(std::ceil(std::log(1.0 - upper_tail) / std::log(p)));
}

std::optional<double> worth_at(const std::vector<batch>& below, double p,
                               const piece_scatter& scatter)
{
    const double n = sum_of_batches(below).divisor;
    const auto e = ratio_estimate(below, usual, scatter);
    if (!e) {
        return std::nullopt;
    }
    const double error =
        e->error * e->factor / boost::math::quantile(boost::math::normal(), upper_tail);
    return std::max(worth_least, error * error * n / (p * (1.0 - p)));
}

std::optional<double> worth_of(const std::vector<batch>& below, double p,
                               const piece_scatter& scatter)
{
    // Requests on the smaller side of it; that p is no exact number takes none away.
    const double rare =
        std::round(sum_of_batches(below).divisor * std::min(p, 1.0 - p) * 1e6) / 1e6;
    return rare < rare_least ? std::nullopt : worth_at(below, p, scatter);
}

const interval* interval_of(const std::vector<named_interval>& known, const std::string& name)
{
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const named_interval& i) { return i.name == name; });
    return found == known.end() ? nullptr : &found->value;
}

std::vector<named_interval> intervals_of(const measurement& m, const request_statistics& requests)
{
    std::vector<named_interval> all;
    if (m.sampling && m.sampling->erases_few()) {
        return all; // rates and latencies are those of a drive that does not erase
    }
    for (std::size_t i = 0; i < host::request_kinds; ++i) {
        const kind_statistics& k = requests.kinds()[i];
        if (k.requests != 0) {
            for (named_interval& n :
                 kind_intervals(m, k, static_cast<host::request_kind>(i)).all()) {
                all.push_back(std::move(n));
            }
        }
    }
    return all;
}

} // namespace ssdvp::platform
