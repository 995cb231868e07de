// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "platform/report/confidence.h"
#include "platform/report/ideal_run.h"
#include "tests/unit/report_sample.h"

namespace report_ideal_run_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

/// 99 reads of 80 us and one of 480 us: a mean of 84 us.
platform::request_statistics reads()
{
    platform::request_statistics s;
    s.begin_measurement();
    for (unsigned i = 0; i < 100; ++i) {
        s.on_complete(
            report_test::finished(host::request_kind::read, i, 1_ms, i == 0 ? 480_us : 80_us));
    }
    return s;
}

platform::beside_ideal_run of_reads(double mean, double p99)
{
    platform::beside_ideal_run run;
    run.figures[0] = {20000.0, {mean, 60e3, p99, 400e3}};
    return run;
}

/// What a run knows of these: the mean within 1 us, the p99 within `p99` ns on either side.
std::vector<platform::named_interval> known(double p99 = 1e3)
{
    return {{"host.read.latency_ns.mean", {84e3, 83e3, 85e3}},
            {"host.read.latency_ns.p99", {80e3, 80e3 - p99, 80e3 + p99}},
            {"host.read.latency_ns.p99.9", {480e3, 470e3, std::nullopt}}};
}

} // namespace

TEST_CASE("ideal firmware: what is missing of a figure is the firmware's", "[report]")
{
    const auto o = platform::ideal_section(of_reads(63e3, 60e3), reads(), known());
    REQUIRE(o.size() == 2); // there were no writes
    CHECK(o.at("without") == "firmware");
    const auto& read = o.at("read").as_object();
    CHECK(read.at("iops").to_number<double>() == 20000);
    CHECK(read.at("latency_ns").at("mean").to_number<double>() == 63e3);
    CHECK(read.at("firmware_share").at("mean").to_number<double>() == Approx(0.25));
    CHECK(read.at("firmware_share").at("p99").to_number<double>() == Approx(0.25).margin(0.001));
    CHECK(read.at("firmware_share").at("p99.9").to_number<double>() ==
          Approx(1.0 / 6).margin(0.001));
}

TEST_CASE("ideal firmware: in a sentence, with nothing where it brings nothing", "[report]")
{
    const auto said = platform::ideal_texts(of_reads(63e3, 90e3), reads(), known());
    REQUIRE(said.size() == 1);
    CHECK(said[0] ==
          "read, with ideal firmware: mean 63.0 us instead of 84.0 us, p99 90.0 us "
          "instead of 80.0 us; 25 % of the mean and nothing of the p99 are firmware, the "
          "rest is hardware");
    CHECK(platform::ideal_section(of_reads(63e3, 90e3), reads(), known())
              .at("read")
              .at("firmware_share")
              .at("p99")
              .to_number<double>() < 0);
}

TEST_CASE("ideal firmware: what lies within the interval of the run tells nothing", "[report]")
{
    const auto shares = [](double p99, double known_to) {
        return platform::ideal_section(of_reads(63e3, p99), reads(), known(known_to))
            .at("read")
            .at("firmware_share")
            .as_object();
    };
    CHECK(shares(70e3, 10e3).count("p99") == 0);
    CHECK(shares(69.9e3, 10e3).count("p99") == 1);
    CHECK(shares(90e3, 10e3).count("p99") == 0);
    CHECK(shares(90.1e3, 10e3).count("p99") == 1);
    CHECK(shares(70e3, 10e3).count("p50") == 0); // nothing is known of it
    const auto said = [](double mean, double p99) {
        const auto all = platform::ideal_texts(of_reads(mean, p99), reads(), known(30e3));
        return all.at(0).substr(all.at(0).find("; "));
    };
    CHECK(said(63e3, 60e3) == "; 25 % of the mean is firmware, the rest is hardware; the p99 "
                              "differs by less than its interval");
    CHECK(said(84.5e3, 40e3) == "; 50 % of the p99 is firmware, the rest is hardware; the mean "
                                "differs by less than its interval");
    CHECK(said(84.5e3, 60e3) == "; both differ by less than their intervals");
}

TEST_CASE("ideal firmware: where its limits stay, it costs nothing, no more", "[report]")
{
    platform::beside_ideal_run beside = of_reads(63e3, 60e3);
    beside.costs_only = true;
    CHECK(platform::ideal_section(beside, reads(), known()).at("without") == "costs");
    CHECK(platform::ideal_texts(beside, reads(), known())
              .at(0)
              .find("read, with firmware that costs nothing: mean 63.0 us") == 0);
}

TEST_CASE("ideal firmware: kinds that one of the runs has not are not told", "[report]")
{
    CHECK(platform::ideal_section({}, reads(), known()).size() == 1);
    CHECK(platform::ideal_texts(of_reads(63e3, 60e3), platform::request_statistics(), known())
              .empty());
}

} // namespace report_ideal_run_test
