// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "platform/report/confidence.h"
#include "platform/report/window_weights.h"

namespace report_window_weights_test {

using namespace ssdvp;
using platform::batch;
using platform::window_control;
using platform::window_work;

namespace {

/// So many windows of a run in which a request costs 4 units and 0.01 erases on average.
std::vector<window_work> some(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::normal_distribution<double> programs(4.0, 0.8);
    std::poisson_distribution<int> erases(3.0);
    std::vector<window_work> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back({programs(random), 0.01 / 3.0 * erases(random)});
    }
    return all;
}

constexpr window_work run = {4.0, 0.01};

} // namespace

TEST_CASE("weights: windows count as much as makes their work that of the run", "[report][trust]")
{
    const std::vector<window_work> windows = some(16, 5);
    const auto controls = platform::weighted(windows, run);
    REQUIRE(controls.size() == 16);
    double all = 0.0;
    window_work mean;
    for (std::size_t i = 0; i < controls.size(); ++i) {
        CHECK(controls[i].weight > 0.0);
        CHECK(controls[i].off.programs == windows[i].programs - 4.0);
        all += controls[i].weight;
        mean.programs += controls[i].weight * windows[i].programs / 16.0;
        mean.erases += controls[i].weight * windows[i].erases / 16.0;
    }
    CHECK(all == Approx(16.0));
    CHECK(mean.programs == Approx(4.0));
    CHECK(mean.erases == Approx(0.01));
}

TEST_CASE("weights: by hand, of work that lies evenly on two sides")
{
    // Weights exp(l z), z = -1 and 1, mean z = -1/2 of the run: e^-2l = 3, so 3/2 and 1/2.
    std::vector<window_work> windows;
    for (int i = 0; i < 12; ++i) {
        windows.push_back({i % 2 == 0 ? 3.0 : 5.0, 0.01});
    }
    const auto controls = platform::weighted(windows, {3.5, 0.01});
    REQUIRE(controls.size() == 12);
    CHECK(controls[0].weight == Approx(1.5));
    CHECK(controls[1].weight == Approx(0.5));
    CHECK(platform::weighted(windows, {2.9, 0.01}).empty()); // all have more than the run
    CHECK(platform::weighted(windows, {4.0, 0.02}).empty()); // ... or fewer erases
    windows.pop_back();
    CHECK(platform::weighted(windows, {3.5, 0.01}).empty()); // eleven are too few
    for (window_work& w : windows) {
        w.erases = 0.0;
    }
    windows.push_back({5.0, 0.12}); // one window has them all
    CHECK(platform::weighted(windows, {3.5, 0.01}).empty());
}

TEST_CASE("weights: what follows from the work is known, and no chance", "[report][trust]")
{
    const std::vector<window_work> windows = some(16, 7);
    const auto controls = platform::weighted(windows, run);
    REQUIRE(!controls.empty());
    std::vector<batch> pieces; // times of 1,000 requests: 10 for a unit, 500 for an erase
    for (const window_work& w : windows) {
        pieces.push_back({1000.0, 1000.0 * (20.0 + 10.0 * w.programs + 500.0 * w.erases)});
    }
    platform::piece_scatter scatter;
    scatter.controls = &controls;
    const auto e = platform::ratio_estimate(pieces, 0.95, scatter);
    REQUIRE(e.has_value());
    CHECK(e->value == Approx(1.0 / 65.0));
    CHECK(e->error < 1e-9);
    CHECK(e->factor == Approx(2.160369)); // 13 degrees
    const auto alone = platform::ratio_estimate(pieces, 0.95, platform::piece_order::by_phase);
    CHECK(alone->error > 0.01 * alone->value);
}

TEST_CASE("weights: intervals hold the truth as often as they say", "[report][trust]")
{
    std::normal_distribution<double> noise(0.0, 3.0);
    int held = 0;
    int told = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        std::mt19937_64 random(1000 + seed);
        const std::vector<window_work> windows = some(16, seed);
        const auto controls = platform::weighted(windows, run);
        if (controls.empty()) {
            continue;
        }
        std::vector<batch> pieces;
        for (const window_work& w : windows) {
            pieces.push_back({20.0 + 10.0 * w.programs + 500.0 * w.erases + noise(random), 1.0});
        }
        platform::piece_scatter scatter;
        scatter.controls = &controls;
        const auto e = platform::ratio_estimate(pieces, 0.95, scatter);
        ++told;
        held += std::abs(e->value - 65.0) <= e->factor * e->error ? 1 : 0;
    }
    CHECK(told > 350); // in others all windows have more work than the run, or too few have less
    CHECK(held >= 0.92 * told);
    CHECK(held <= 0.98 * told);
}

TEST_CASE("weights: of two kinds of work that are one, one is taken off")
{
    std::vector<window_control> controls;
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) {
        const double off = i % 2 == 0 ? -1.0 : 1.0;
        controls.push_back({1.0, {off, 2.0 * off}});
        values.push_back(7.0 * off);
    }
    for (const double left : platform::beside_work(values, controls)) {
        CHECK(left == Approx(0.0).margin(1e-9));
    }
}

} // namespace report_window_weights_test
