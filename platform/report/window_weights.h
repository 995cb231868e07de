// SPDX-License-Identifier: Apache-2.0
//
// Windows of a sampled run are a few of many that it could have had, and by chance collection has
// more to do in them than in the run, or less. How much that is in all of the run is known: between
// the windows firmware does the same work, in no time. So each window counts as much as makes its
// work and that of the others the run's own (calibration: Deville, Särndal, "Calibration Estimators
// in Survey Sampling", J. Am. Stat. Assoc. 87, 1992; by their multiplicative distance, so that no
// weight is negative). What follows from the work is no chance then; the rest is.
#pragma once

#include <vector>

namespace ssdvp::platform {

/// What a request costs in a window, or in the whole run.
struct window_work {
    double programs = 0.0; // units that firmware writes, by request
    double erases = 0.0;   // blocks, by request
};

/// How much a window counts, and how far its work is off that of the run.
struct window_control {
    double weight = 1.0; // mean of all: 1
    window_work off;
};

/// Fewer windows say too little of what follows from what.
constexpr std::size_t fewest_weighted = 12;
constexpr double largest_weight = 4.0;

/// Empty: there are fewer than fewest_weighted; fewer than three of them had more work of a kind
/// than the run, or less; or one would count for more than largest_weight.
[[nodiscard]] std::vector<window_control> weighted(const std::vector<window_work>& windows,
                                                   const window_work& run);

/// What is left of values of the windows when what follows from their work is taken off (weighted
/// least squares), each times its weight. Precondition: as many as controls; the weighted values
/// add up to 0.
[[nodiscard]] std::vector<double> beside_work(const std::vector<double>& values,
                                              const std::vector<window_control>& controls);
/// Degrees of freedom that this takes: of the mean and of both kinds of work.
constexpr std::size_t weighted_degrees = 3;

} // namespace ssdvp::platform
