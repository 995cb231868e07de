// SPDX-License-Identifier: Apache-2.0
//
// What shows that a run of fixed length is no steady state though its rate looks even: figures that
// go one way from its beginning to its end, and a load that has not written enough to have made the
// drive's state its own.
#pragma once

#include <string>
#include <vector>

#include "platform/report/measurement.h"

namespace ssdvp::platform {

/// IOPS, write amplification, what is valid in victims of collection, mean latency of reads and of
/// writes: the first one that rises or falls along the run, by more than chance and `trend_least`.
/// "" if none does.
[[nodiscard]] std::string trend_of(const std::vector<run_sample>& samples);

/// Of a figure, along the whole run: less is of no use to know.
constexpr double trend_least = 0.03;
/// Five figures of a steady run, which mostly go together, so trend by chance in less than 1 %.
constexpr double trend_sure = 0.998;

/// The measured part should have begun later: MSER (White, "An Effective Truncation Heuristic for
/// Bias Reduction in Simulation Output", Simulation 69, 1997) cuts off its beginning, and IOPS of
/// all are off those of the rest by `start_least` and more, and by more than chance; or by
/// `unlike_least` and more, and no stretch of the rest is like the beginning. "" if it need not.
[[nodiscard]] std::string late_start(const std::vector<run_sample>& samples);
constexpr double start_least = 0.02;
constexpr double unlike_least = 0.05; // the interval of IOPS holds less than that, and says so

/// In an open loop the mean latency of the pieces crosses its median so seldom that the queue
/// wanders for as long as the run lasts: in words. Waves of collection within the run hide that, so
/// many such runs are not found. "" if it does not, or there are fewer than `wander_pieces`. (Runs
/// above and below the median: of 64 independent pieces 33, standard deviation 4; Wald, Wolfowitz,
/// Ann. Math. Stat. 11, 1940.)
[[nodiscard]] std::string wanders(const measurement& m);
constexpr std::size_t wander_pieces = 32;
constexpr double wander_most = 0.125; // runs by piece

/// Collection finds what was written before the load (load_memory) in more than a quarter of the
/// measured part: in words. "" if it finds the load's own.
[[nodiscard]] std::string remembered(const measurement& m);

/// Of the measured part, which may lie before that: what it adds then fades in the rest.
constexpr double remembered_most = 0.25;
/// Units that collection moves for each of the host's: with fewer no state makes a difference.
constexpr double moved_least = 0.05;

/// Beside collection the drive comes to hold more data than it did, or less: in words. "" if it
/// does not, by more than `growth_least` of what is written, and than chance (writes beside trims).
[[nodiscard]] std::string fills_or_empties(const measurement& m);
constexpr double growth_least = 0.02;
constexpr double growth_noise = 4.0; // times the square root of the units written

/// A load that writes nothing runs beside collection of what was written before, which ends: in
/// words. "" if none, or less than `debt_least` units for each request.
[[nodiscard]] std::string collects_for_nobody(const measurement& m);
constexpr double debt_least = 0.01;

} // namespace ssdvp::platform
