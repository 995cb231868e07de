// SPDX-License-Identifier: Apache-2.0
//
// What the buffer's policy moves, and hit rates that a formula gives.
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>

#include "tests/support/direction.h"
#include "tests/support/measures.h"

namespace cache_test {

using namespace ssdvp;
using test::mean_read;

namespace {

/// Share of the units of reads that were in the buffer.
double read_hits(const test::platform_run& r)
{
    const auto& f = *r.measured().ftl;
    return static_cast<double>(f.cache_read_hits) /
           static_cast<double>(f.cache_read_hits + f.cache_read_misses);
}
double read_misses(const test::platform_run& r)
{
    return 1 - read_hits(r);
}
double host_reads(const test::platform_run& r) // of the flash, per read of the host
{
    return static_cast<double>(r.measured().flash.by_purpose[FLASH_PURPOSE_HOST].reads) /
           static_cast<double>(r.reads().requests);
}

const std::vector<std::string> common = {"cache.policy=rw_lru", "precondition.fill=1",
                                         "run.warmup=20000", "run.requests=20000"};

double hit_rate(const std::vector<std::string>& more)
{
    std::vector<std::string> sets = common;
    sets.insert(sets.end(), more.begin(), more.end());
    return test::measure_apart({"device/small", "workload/random-read"}, sets, read_hits);
}

} // namespace

TEST_CASE("cache.policy: what was read is read again from the buffer")
{
    const std::vector<std::string> sets = {"precondition.fill=1", "run.warmup=5000",
                                           "run.requests=10000", "workload.0.range.size=2MiB"};
    for (const test::direction& d : std::vector<test::direction>{
             {"cache.policy", "rw_lru", "wo_lru", mean_read, {}},
             {"cache.policy", "rw_lru", "wo_lru", host_reads, {}},
             {"cache.capacity", "1MiB", "768KiB", read_misses, {"cache.policy=rw_lru"}},
         }) {
        test::check_direction(d, {"device/small", "workload/random-read"}, sets);
    }
}

TEST_CASE("rw_lru: uniform reads hit the buffer's share of the footprint")
{
    // 1 MiB of 4 MiB, 20000 reads: standard deviation 0.0031, and four of them.
    CHECK(hit_rate({"workload.0.range.size=4MiB"}) == Approx(0.25).margin(0.0125));
}

namespace {

/// Che's approximation for an LRU buffer of C units, h hot ones (80 % of the reads) and n cold
/// ones: a unit stays for t reads, C = h (1 - exp(-0.8 t / h)) + n (1 - exp(-0.2 t / n)).
double hot_cold_hits(double buffer, double hot, double cold)
{
    const auto present = [](double rate, double t, double units) {
        return 1 - std::exp(-rate * t / units);
    };
    double low = 0;
    double high = 1e6;
    for (int i = 0; i < 100; ++i) {
        const double t = (low + high) / 2;
        (hot * present(0.8, t, hot) + cold * present(0.2, t, cold) < buffer ? low : high) = t;
    }
    return 0.8 * present(0.8, low, hot) + 0.2 * present(0.2, low, cold);
}

} // namespace

TEST_CASE("rw_lru: with 80 % of the reads in a hot set hits tend to 0.8")
{
    // 1 MiB of buffer, 100 MiB in all, hot sets of 1 MiB, 256 KiB and 64 KiB. Cold units pass
    // through: a buffer of just the hot set holds 0.7 of it. Those of a hot set much smaller stay.
    double before = 0;
    for (const double share : {0.01, 0.0025, 0.000625}) {
        const double units = 25600;
        const double formula = hot_cold_hits(256, share * units, (1 - share) * units);
        const double hits = hit_rate({"workload.0.range.size=100MiB", "workload.0.pattern=hot_cold",
                                      fmt::format("workload.0.hot_fraction={}", share),
                                      "workload.0.hot_probability=0.8"});
        CAPTURE(share, formula);
        CHECK(hits == Approx(formula).margin(0.015)); // four standard deviations
        CHECK(hits > before);
        before = hits;
    }
    CHECK(before == Approx(0.8).margin(0.015));
}

} // namespace cache_test
