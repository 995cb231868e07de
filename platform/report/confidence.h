// SPDX-License-Identifier: Apache-2.0
//
// How well a run knows its own numbers: confidence intervals of 95 %. Rates and means by the pieces
// of the run: how far off their sum may be is the variance of its slow parts, the first cosines of
// the run (equal-weighted cosines: Lazarus, Lewis, Stock, Watson, "HAR Inference", J. Bus. Econ.
// Stat. 36, 2018). Percentiles by order statistics, of as many independent samples as the run is
// worth for that percentile. That follows from how the share of requests at or below it differs
// between pieces. (What the mean is worth says nothing of it: in a closed loop the number of
// requests in flight holds the mean, by Little's law, while the tail comes and goes.)
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"

namespace ssdvp::platform {

struct interval {
    double mean = 0.0; // what the run says
    double low = 0.0;
    std::optional<double> high; // none: the run is too short to know
    [[nodiscard]] bool holds(double value) const
    {
        return value >= low && (!high || value <= *high);
    }
};

/// Amount and what it is divided by, of one piece of the run.
struct batch {
    double amount = 0.0;
    double divisor = 0.0;
};

/// A ratio of sums, how far off it may be, and how many standard errors are 95 %.
struct estimate {
    double value = 0.0;
    double error = 0.0;
    double factor = 0.0;
};
/// What pieces are to each other. In time, one behind the other: what lasts counts as one chance.
/// By phase: windows apart in time, in the order of where they lie in a cycle that they cover
/// evenly. What the phase explains is no chance there, so the error is that of neighbours, which
/// differ by little else (successive differences: Wolter, "Introduction to Variance Estimation",
/// 2007, chapter 8).
enum class piece_order { in_time, by_phase };

/// How pieces differ by chance. With `controls`, of each of them, they count as much as these say,
/// and what follows from their work is no chance (window_weights.h).
struct piece_scatter {
    piece_scatter(piece_order o = piece_order::in_time) : order(o) {} // NOLINT: it is one
    piece_order order;
    const std::vector<window_control>* controls = nullptr;
};

/// Of sum(amount) / sum(divisor), as the pieces differ from it (ratio estimator, Student's t with a
/// degree for each of the 8 cosines, or half as many as pieces; of pieces by phase two thirds as
/// many; with controls three fewer than pieces). None with fewer than 8 pieces.
[[nodiscard]] std::optional<estimate> ratio_estimate(const std::vector<batch>& batches,
                                                     double sure = 0.95,
                                                     const piece_scatter& scatter = {});

/// How a value rises with time: the slope of the line through points of (time, value), one behind
/// the other, and how far off it may be, likewise. None with fewer than 8.
[[nodiscard]] std::optional<estimate>
slope_estimate(const std::vector<std::pair<double, double>>& points);

/// By how much amount / divisor changes from the first piece to the last one, along the line
/// through them, as a share of the whole ratio; `sure`: probability of the interval. None as above,
/// or where the ratio is 0.
[[nodiscard]] std::optional<estimate> trend_estimate(const std::vector<batch>& batches,
                                                     double sure);

/// Pieces to cut off at the beginning, half of them at most: what is left has the least error of
/// its mean, by how its pieces scatter (MSER: squares about their mean, by the square of their
/// number; White, "An Effective Truncation Heuristic for Bias Reduction in Simulation Output",
/// Simulation 69, 1997).
[[nodiscard]] std::size_t pieces_to_cut(const std::vector<batch>& pieces);

/// Standard error of that ratio, the pieces taken as they are; 0 with fewer than two.
[[nodiscard]] double standard_error(const std::vector<batch>& batches);

/// Ranks between which the quantile `p` of `n` independent samples lies with 95 %: from 1 to n; an
/// upper one above n is 0: no sample is surely above it.
struct ranks {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
};
[[nodiscard]] ranks quantile_ranks(std::uint64_t n, double p);
/// Samples below which quantile_ranks() has no upper one.
[[nodiscard]] std::uint64_t samples_needed(double p);

/// Requests that an independent one is worth, a ninth at least, where so many of each piece's were
/// at or below the quantile `p` (amount) of all of them (divisor). None with fewer than 8 pieces,
/// or 80 requests beyond the quantile: slow ones come in clumps, and of fewer a variance is chance.
[[nodiscard]] std::optional<double> worth_of(const std::vector<batch>& below, double p,
                                             const piece_scatter& scatter = {});
/// The same, however few they are; `below`: at or below a latency that is near the quantile.
[[nodiscard]] std::optional<double> worth_at(const std::vector<batch>& below, double p,
                                             const piece_scatter& scatter = {});

struct named_interval {
    std::string name; // as in summary.json: "host.read.latency_ns.p99"
    interval value;
};
/// Of each kind of request: rates, mean latency, percentiles.
[[nodiscard]] std::vector<named_interval> intervals_of(const measurement& m,
                                                       const request_statistics& requests);

/// Of the named number; null: the run does not know.
[[nodiscard]] const interval* interval_of(const std::vector<named_interval>& known,
                                          const std::string& name);

} // namespace ssdvp::platform
