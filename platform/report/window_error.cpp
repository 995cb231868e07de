// SPDX-License-Identifier: Apache-2.0
#include "platform/report/window_error.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace ssdvp::platform {

namespace {

constexpr std::size_t fewest = 8;
constexpr std::size_t slowest = 4; // cosines whose mean stands for waves longer than the record

/// Squares of the cosines 1, 2, ... of what differs from the mean, as a share of it. Of independent
/// entries each has the variance of one of them.
std::vector<double> spectrum_of(const std::vector<double>& record, double mean)
{
    const auto n = static_cast<double>(record.size());
    std::vector<double> squares;
    for (std::size_t j = 1; j < record.size(); ++j) {
        double sum = 0.0;
        for (std::size_t i = 0; i < record.size(); ++i) {
            sum += (record[i] / mean - 1.0) *
                   std::cos(boost::math::constants::pi<double>() * static_cast<double>(j) *
                            (static_cast<double>(i) + 0.5) / n);
        }
        squares.push_back(2.0 / n * sum * sum);
    }
    return squares;
}

/// What the mean of a window has of the variance of cosine j.
double weight_of(double j, double n, double window)
{
    const double x = boost::math::constants::pi<double>() * j / (2.0 * n);
    const double kernel = std::sin(x * window) / (std::sin(x) * window);
    return kernel * kernel / n;
}

} // namespace

std::optional<estimate> window_error(const std::vector<double>& record, double window)
{
    const auto n = static_cast<double>(record.size());
    const double mean = std::accumulate(record.begin(), record.end(), 0.0) / n;
    if (record.size() < fewest || mean == 0.0) {
        return std::nullopt;
    }
    window = std::max(window, 1.0); // an entry is the mean of a window of one
    const std::vector<double> spectrum = spectrum_of(record, mean);
    // Beyond the record's length only what is longer than it counts, the less the longer the
    // window.
    const double slow = window > n ? 1.0 / window : 1.0 / (2.0 * n);
    double variance = 0.0;
    double squares = 0.0;
    for (std::size_t k = 0; k < spectrum.size(); ++k) {
        const double own = window > n ? 0.0 : weight_of(static_cast<double>(k + 1), n, window);
        const double part = (own + (k < slowest ? slow / slowest : 0.0)) * spectrum[k];
        variance += part;
        squares += part * part;
    }
    if (variance == 0.0) {
        return estimate{mean, 0.0, 0.0};
    }
    // Each part is chi-square with one degree. So their squares are three times what they should
    // be, and the square of their sum is too large by as much as two thirds of these.
    const double degrees = std::max(1.0, 3.0 * variance * variance / squares - 2.0);
    return estimate{mean, std::sqrt(variance),
                    boost::math::quantile(boost::math::students_t(degrees), 0.975)};
}

} // namespace ssdvp::platform
