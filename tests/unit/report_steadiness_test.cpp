// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "platform/report/steadiness.h"
#include "tests/unit/report_sample.h"

namespace report_steadiness_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using platform::unsteady;

std::string judged(const std::vector<double>& values)
{
    return unsteady("IOPS", values, {});
}

TEST_CASE("steady: the range of five rounds is 20 % of their mean at most", "[report][trust]")
{
    CHECK(judged({100, 110, 90, 110, 90}).empty()); // 20 %, and falls by 8 %
    const std::string why = judged({100, 110.1, 90, 110, 90});
    CHECK_THAT(why, Catch::Contains("IOPS: rounds differ by 20.1 %"));
}

TEST_CASE("steady: the fitted line changes by 10 % of the mean at most", "[report][trust]")
{
    CHECK(judged({95, 97.5, 100, 102.5, 105}).empty());
    CHECK_THAT(judged({94.9, 97.45, 100, 102.55, 105.1}), Catch::Contains("IOPS: rises by 10.2 %"));
    CHECK_THAT(judged({105.1, 102.55, 100, 97.45, 94.9}), Catch::Contains("IOPS: falls by 10.2 %"));
}

TEST_CASE("steady: only the last rounds of the window count")
{
    CHECK(judged({1, 2, 3, 100, 100, 100, 100, 100}).empty());
    CHECK_FALSE(unsteady("IOPS", {1, 2, 3, 100, 100, 100, 100, 100}, {6, 0.2, 0.1}).empty());
    CHECK(unsteady("IOPS", {100, 130, 100}, {3, 0.4, 0.4}).empty());
}

/// 1,000 writes of 4 KiB in 1 s, and what the flash did for them.
platform::run_sample round_of(double latency, std::uint64_t programs, std::uint64_t erases)
{
    platform::run_sample r;
    r.when = 1_s;
    r.kinds[static_cast<std::size_t>(host::request_kind::write)] = {1000, 4096000, 1000 * latency};
    r.flash = {programs * 16384, programs, erases};
    return r;
}

TEST_CASE("steady: rounds of equal rate are not, while latency or amplification change")
{
    const auto rounds = [](double latency, std::uint64_t programs) {
        std::vector<platform::run_sample> all(4, round_of(1e6, 640, 10));
        all.push_back(round_of(latency, programs, 10));
        return all;
    };
    CHECK(unsteady(rounds(1e6, 640), {}, 64).empty());
    CHECK_THAT(unsteady(rounds(2e6, 640), {}, 64), Catch::Contains("mean latency of writes"));
    CHECK_THAT(unsteady(rounds(1e6, 960), {}, 64), Catch::Contains("write amplification"));
    platform::steady_rule rates;
    rates.latencies = false;
    CHECK(unsteady(rounds(2e6, 640), rates, 64).empty());
    CHECK_THAT(unsteady(rounds(2e6, 960), rates, 64), Catch::Contains("write amplification"));
}

TEST_CASE("steady: a drive that erases less than it programs lives on free space")
{
    // 640 pages are 10 blocks of 64.
    CHECK(unsteady(std::vector<platform::run_sample>(5, round_of(1e6, 640, 8)), {}, 64).empty());
    CHECK_THAT(unsteady(std::vector<platform::run_sample>(5, round_of(1e6, 640, 7)), {}, 64),
               Catch::Contains("free space: 70 % of what is programmed is erased"));
    CHECK(platform::erased_share(round_of(1e6, 640, 7), 64).value() == Approx(0.7));
    CHECK_FALSE(platform::erased_share(round_of(1e6, 0, 0), 64).has_value());
}

TEST_CASE("settled: as much was written as there is, and half of it collected as before",
          "[report][steady]")
{
    const auto rounds = [](const std::vector<double>& amplifications) {
        std::vector<platform::run_sample> all;
        for (const double wa : amplifications) {
            platform::run_sample r;
            r.kinds[static_cast<std::size_t>(host::request_kind::write)].bytes = 1000;
            r.flash.bytes_programmed = static_cast<std::uint64_t>(1000 * wa);
            all.push_back(r);
        }
        return all;
    };
    CHECK_FALSE(platform::unsettled(rounds({2, 2, 2, 2, 2, 2, 2, 2}), 8001).empty());
    CHECK(platform::unsettled(rounds({2, 2, 2, 2, 2, 2, 2, 2}), 8000).empty());
    // The begin is forgotten: of eight rounds the last four by the two before.
    CHECK(platform::unsettled(rounds({1, 9, 2, 2, 2, 2, 2, 2}), 8000).empty());
    CHECK(platform::unsettled(rounds({1, 9, 2, 2, 2.059, 2.059, 2.059, 2.059}), 8000).empty());
    CHECK_FALSE(platform::unsettled(rounds({1, 9, 2, 2, 2.07, 2.07, 2.07, 2.06}), 8000).empty());
    CHECK_FALSE(platform::unsettled(rounds({1, 9, 2, 2, 1.93, 1.93, 1.93, 1.94}), 8000).empty());
    CHECK(platform::unsettled(rounds({1, 2, 4}), 0, 0.1).empty()); // no quarter of their own
    CHECK_FALSE(platform::unsettled(rounds({1, 2, 4, 4}), 0, 0.1).empty());
    CHECK(platform::unsettled(rounds({1, 9, 2, 2, 2.19, 2.19, 2.19, 2.19}), 0, 0.1).empty());
    CHECK_FALSE(platform::unsettled(rounds({1, 9, 2, 2, 2.21, 2.21, 2.21, 2.21}), 0, 0.1).empty());
    // 1 + 2 * (1 - e^(-t / 10)): five rounds in the middle differ by less than 20 % of their mean.
    std::vector<double> slow;
    for (int t = 0; t < 120; ++t) {
        slow.push_back(1.0 + 2.0 * (1.0 - std::exp(-t / 10.0)));
    }
    CHECK_FALSE(platform::unsettled(rounds({slow.begin(), slow.begin() + 20}), 8000).empty());
    CHECK(platform::unsettled(rounds(slow), 8000).empty());
    platform::run_sample read; // what writes nothing has no state to forget
    read.kinds[static_cast<std::size_t>(host::request_kind::read)].requests = 10;
    CHECK(platform::unsettled({read, read, read, read}, 8000).empty());
}

} // namespace report_steadiness_test
