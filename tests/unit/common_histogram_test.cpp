// SPDX-License-Identifier: Apache-2.0
//
// The histogram against sorting: every percentile within the documented error, everything that is
// documented as exact exact.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "models/common/histogram.h"
#include "models/common/rng.h"

namespace common_histogram_test {

namespace {

using ssdvp::histogram;
using ssdvp::sim_time;

std::uint64_t nearest_rank(const std::vector<std::uint64_t>& sorted, std::uint32_t ppm)
{
    const std::uint64_t scaled = sorted.size() * std::uint64_t{ppm};
    const std::uint64_t rank = std::max<std::uint64_t>((scaled + 999999) / 1000000, 1);
    return sorted[rank - 1];
}

constexpr std::uint32_t ppms[] = {1,      1000,   250000, 500000, 900000,
                                  990000, 999000, 999900, 999990, 999999};

void compare_with_sort(std::vector<std::uint64_t> values)
{
    histogram h;
    for (const std::uint64_t v : values) {
        h.record(sim_time(v));
    }
    std::sort(values.begin(), values.end());
    REQUIRE(h.count() == values.size());
    CHECK(h.min().ps() == values.front());
    CHECK(h.max().ps() == values.back());
    for (const std::uint32_t ppm : ppms) {
        const std::uint64_t exact = nearest_rank(values, ppm);
        const std::uint64_t found = h.percentile(ppm).ps();
        const std::uint64_t error = found > exact ? found - exact : exact - found;
        CAPTURE(ppm, exact, found);
        CHECK(static_cast<double>(error) <= histogram::relative_error * static_cast<double>(exact));
    }
}

} // namespace

TEST_CASE("percentiles keep the documented error against sorting", "[histogram]")
{
    ssdvp::rng random(7);
    std::vector<std::uint64_t> values;
    SECTION("exponential latencies around 80 us")
    {
        for (int i = 0; i < 200000; ++i) {
            values.push_back(static_cast<std::uint64_t>(-8e7 * std::log(1.0 - random.real())));
        }
    }
    SECTION("every magnitude from 1 ps to 5 h")
    {
        for (int i = 0; i < 200000; ++i) {
            values.push_back(static_cast<std::uint64_t>(std::exp2(54.0 * random.real())));
        }
    }
    SECTION("all 64-bit values")
    {
        for (int i = 0; i < 50000; ++i) {
            values.push_back(random.engine()());
        }
    }
    SECTION("two values far apart")
    {
        values.assign(9999, 60000000);
        values.push_back(900000000000);
    }
    SECTION("fewer values than percentiles")
    {
        values = {5, 3000, 77777};
    }
    compare_with_sort(values);
}

TEST_CASE("occupied buckets hold every value once, in order", "[histogram]")
{
    histogram h;
    const std::vector<std::uint64_t> values = {0, 5, 5, 1023, 1024, 1025, 74000000, 1ull << 62};
    for (const std::uint64_t v : values) {
        h.record(sim_time(v));
    }
    std::uint64_t seen = 0;
    sim_time last;
    for (const histogram::bucket& b : h.occupied()) {
        CHECK(b.from >= last);
        CHECK(b.to > b.from);
        const auto inside = std::count_if(values.begin(), values.end(), [&](std::uint64_t v) {
            return b.from.ps() <= v && v < b.to.ps();
        });
        CHECK(static_cast<std::uint64_t>(inside) == b.count);
        seen += b.count;
        last = b.to;
    }
    CHECK(seen == values.size());
    CHECK(h.occupied().front().to == sim_time(1));
    CHECK(h.occupied()[3].from == sim_time(1024)); // 1024 and 1025 share a bucket of 2 ps
    CHECK(h.occupied()[3].to == sim_time(1026));
}

TEST_CASE("nearest rank: one more value moves a percentile exactly there", "[histogram]")
{
    histogram h;
    for (std::uint64_t v = 1; v <= 1000; ++v) {
        h.record(sim_time(v)); // below 1024 ps: exact
    }
    CHECK(h.percentile(999000).ps() == 999);
    CHECK(h.percentile(999001).ps() == 1000);
    CHECK(h.percentile(500000).ps() == 500);
    CHECK(h.percentile(500001).ps() == 501);
    CHECK(h.percentile(1).ps() == 1);
    CHECK(h.percentile(1000000).ps() == 1000);
}

TEST_CASE("the largest error of a bucket is reached and not passed", "[histogram]")
{
    // The middle of the first bucket of an octave is 1/1024 away from its lowest value.
    for (unsigned exponent = 10; exponent < 64; ++exponent) {
        const std::uint64_t lowest = std::uint64_t{1} << exponent;
        histogram h;
        h.record(sim_time(1));
        h.record(sim_time(lowest));
        h.record(sim_time(UINT64_MAX));
        const std::uint64_t found = h.percentile(500000).ps();
        CAPTURE(exponent);
        CHECK(found - lowest == lowest / 1024);
    }
}

TEST_CASE("mean and standard deviation are exact to a double", "[histogram]")
{
    histogram h;
    SECTION("small numbers")
    {
        for (const std::uint64_t v : {2u, 4u, 4u, 4u, 5u, 5u, 7u, 9u}) {
            h.record(sim_time(v));
        }
        CHECK(h.mean() == 5.0);
        CHECK(h.stdev() == 2.0);
    }
    SECTION("a mean that is not whole")
    {
        h.record(sim_time(1));
        h.record(sim_time(2));
        CHECK(h.mean() == 1.5);
        CHECK(h.stdev() == 0.5);
    }
    SECTION("no cancellation: 1 h +- 1 ps")
    {
        for (int i = 0; i < 1000; ++i) {
            h.record(sim_time(3600000000000000ull - 1));
            h.record(sim_time(3600000000000000ull + 1));
        }
        CHECK(h.mean() == 3600000000000000.0);
        CHECK(h.stdev() == 1.0);
    }
    SECTION("the sum of squares wraps 128 bits and nothing is lost")
    {
        for (int i = 0; i < 8; ++i) {
            h.record(sim_time(UINT64_MAX));
            h.record(sim_time(UINT64_MAX - 6));
        }
        CHECK(h.stdev() == 3.0);
    }
}

TEST_CASE("a scaled histogram has as much below each value, within a half", "[histogram]")
{
    histogram h;
    std::mt19937_64 random(11);
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 5000; ++i) {
        values.push_back(1'000'000 + random() % 50'000'000);
        h.record(sim_time(values.back()));
    }
    const double factor = GENERATE(0.37, 1.0, 1.9);
    histogram scaled = h;
    scaled.scale(factor);
    CHECK(static_cast<double>(scaled.count()) == Approx(5000 * factor).margin(0.5));
    CHECK(scaled.mean() == Approx(h.mean()).epsilon(1e-3));
    CHECK(scaled.stdev() == Approx(h.stdev()).epsilon(1e-9));
    for (const std::uint32_t ppm : {10'000u, 500'000u, 990'000u}) {
        CHECK(scaled.percentile(ppm).ns() == Approx(h.percentile(ppm).ns()).epsilon(0.01));
    }
    histogram none;
    none.scale(factor);
    CHECK(none.count() == 0);
    histogram one;
    one.record(sim_time(5));
    one.scale(0.3);
    CHECK(one.count() == 0);
}

TEST_CASE("an empty histogram is all zeros", "[histogram]")
{
    const histogram h;
    CHECK(h.count() == 0);
    CHECK(h.min() == sim_time());
    CHECK(h.max() == sim_time());
    CHECK(h.mean() == 0.0);
    CHECK(h.stdev() == 0.0);
    CHECK(h.percentile(999999) == sim_time());
}

TEST_CASE("merged histograms equal one that saw everything", "[histogram]")
{
    ssdvp::rng random(11);
    histogram all;
    histogram left;
    histogram right;
    for (int i = 0; i < 10000; ++i) {
        const sim_time v(random.below(1ull << 40));
        all.record(v);
        (random.chance(0.3) ? left : right).record(v);
    }
    left.merge(right);
    left.merge(histogram());
    CHECK(left.count() == all.count());
    CHECK((left.sum() == all.sum()));
    CHECK(left.min() == all.min());
    CHECK(left.max() == all.max());
    CHECK(left.stdev() == all.stdev());
    for (const std::uint32_t ppm : ppms) {
        CHECK(left.percentile(ppm) == all.percentile(ppm));
    }
    left.reset();
    CHECK(left.occupied().empty());
    CHECK(left.count() == 0);
    CHECK(left.percentile(500000) == sim_time());
    left.record(sim_time(42));
    CHECK(left.min().ps() == 42);
    CHECK(left.percentile(1).ps() == 42);
}

} // namespace common_histogram_test
