// SPDX-License-Identifier: Apache-2.0
#include "platform/report/window_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace ssdvp::platform {

namespace {

constexpr std::size_t steps = 50;            // of Newton; it takes five or so
constexpr double close_enough = 1e-12;       // of the spread
constexpr double hardly_differs = 1e-9;      // of a figure: nothing follows from it
constexpr std::size_t least_either_side = 3; // windows with more work than the run, and with less
constexpr double nearly_singular = 1e-9;     // both kinds of work are one

using pair = std::array<double, 2>;

/// Solves a symmetric system: {{a, b}, {b, d}} x = y. Where both equations say the same, the second
/// one is left out.
pair solved(double a, double b, double d, const pair& y)
{
    const double det = a * d - b * b;
    if (det > nearly_singular * a * d) {
        return {(d * y[0] - b * y[1]) / det, (a * y[1] - b * y[0]) / det};
    }
    return {a > 0.0 ? y[0] / a : 0.0, a > 0.0 || d <= 0.0 ? 0.0 : y[1] / d};
}

/// How far each window is off, by its spread over the windows; 0 of what does not differ.
std::vector<pair> distances(const std::vector<window_work>& windows, const window_work& run)
{
    const auto n = static_cast<double>(windows.size());
    std::vector<pair> all(windows.size());
    for (std::size_t c = 0; c < 2; ++c) {
        const auto member = c == 0 ? &window_work::programs : &window_work::erases;
        double sum = 0.0;
        double squares = 0.0;
        for (const window_work& w : windows) {
            sum += w.*member;
            squares += w.*member * (w.*member);
        }
        const double spread = std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
        const bool alike = spread <= hardly_differs * std::abs(run.*member);
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const double off = windows[i].*member - run.*member;
            all[i][c] = alike && std::abs(off) <= hardly_differs * run.*member ? 0.0
                        : alike                                                ? off
                                                                               : off / spread;
        }
    }
    return all;
}

/// Of a kind of work that few windows have, or few lack, nobody can tell what follows from it.
bool told_apart(const std::vector<pair>& z)
{
    for (std::size_t c = 0; c < 2; ++c) {
        const auto count = [&](auto side) {
            return static_cast<std::size_t>(std::count_if(z.begin(), z.end(), side));
        };
        const std::size_t above = count([c](const pair& p) { return p[c] > 0.0; });
        const std::size_t below = count([c](const pair& p) { return p[c] < 0.0; });
        if (above + below != 0 && std::min(above, below) < least_either_side) {
            return false;
        }
    }
    return true;
}

/// Weights exp(l z), of mean 1, in which z has the mean 0. Empty: there are none.
std::vector<double> balanced(const std::vector<pair>& z)
{
    pair l{};
    std::vector<double> weights(z.size());
    for (std::size_t step = 0; step < steps; ++step) {
        double all = 0.0;
        pair mean{};
        double a = 0.0;
        double b = 0.0;
        double d = 0.0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            weights[i] = std::exp(l[0] * z[i][0] + l[1] * z[i][1]);
            all += weights[i];
            mean[0] += weights[i] * z[i][0];
            mean[1] += weights[i] * z[i][1];
            a += weights[i] * z[i][0] * z[i][0];
            b += weights[i] * z[i][0] * z[i][1];
            d += weights[i] * z[i][1] * z[i][1];
        }
        if (!std::isfinite(all) || all <= 0.0) {
            return {};
        }
        if (std::abs(mean[0]) + std::abs(mean[1]) <= close_enough * all) {
            for (double& w : weights) {
                w *= static_cast<double>(z.size()) / all;
            }
            return weights;
        }
        mean = {mean[0] / all, mean[1] / all};
        const pair by = solved(a / all - mean[0] * mean[0], b / all - mean[0] * mean[1],
                               d / all - mean[1] * mean[1], mean);
        const double most = std::max({std::abs(by[0]), std::abs(by[1]), 1.0});
        l = {l[0] - by[0] / most, l[1] - by[1] / most}; // far from the end, steps of 1 at most
    }
    return {};
}

} // namespace

std::vector<window_control> weighted(const std::vector<window_work>& windows,
                                     const window_work& run)
{
    if (windows.size() < fewest_weighted) {
        return {};
    }
    const std::vector<pair> z = distances(windows, run);
    if (!told_apart(z)) {
        return {};
    }
    const std::vector<double> weights = balanced(z);
    std::vector<window_control> all;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] > largest_weight) {
            return {};
        }
        all.push_back(
            {weights[i], {windows[i].programs - run.programs, windows[i].erases - run.erases}});
    }
    return all;
}

std::vector<double> beside_work(const std::vector<double>& values,
                                const std::vector<window_control>& controls)
{
    double a = 0.0;
    double b = 0.0;
    double d = 0.0;
    pair y{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const window_control& c = controls[i];
        a += c.weight * c.off.programs * c.off.programs;
        b += c.weight * c.off.programs * c.off.erases;
        d += c.weight * c.off.erases * c.off.erases;
        y[0] += c.weight * c.off.programs * values[i];
        y[1] += c.weight * c.off.erases * values[i];
    }
    const pair by = solved(a, b, d, y);
    std::vector<double> left;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const window_control& c = controls[i];
        left.push_back(c.weight * (values[i] - by[0] * c.off.programs - by[1] * c.off.erases));
    }
    return left;
}

} // namespace ssdvp::platform
