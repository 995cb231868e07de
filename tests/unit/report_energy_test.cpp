// SPDX-License-Identifier: Apache-2.0
//
// Energy of the sample by hand: 1 ms measured; 2 channels, 250 and 100 us of bus; LUNs busy for
// 500 us, 1 ms, 125 us and not at all.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "platform/report/energy.h"
#include "platform/report/energy_output.h"
#include "platform/report/identities.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"
#include "tests/unit/report_sample.h"

namespace report_energy_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using Catch::Matchers::Contains;
using report_test::sample;
namespace json = boost::json;

namespace {

sample drawing()
{
    sample s;
    energy_figures& f = s.m.energy;
    f.voltage_mv = 2000;
    f.array_ua = {10000, 20000, 30000};
    f.extra_plane = 0.25;
    f.bus_ua = 5000;
    f.idle_ua = 1000;
    f.io_voltage_mv = 1200;
    f.io_ua = 80000;
    f.link = {50000, 40000};
    f.core = {100000, 10000};
    f.channel = {60000, 20000};
    f.ecc = {30000, 5000};
    f.dram_phy = {200000, 50000};
    f.lanes = 4;
    // Of the first LUN 100 us of reads on one plane, 300 us of programs on two; the second erased
    // two planes all the time.
    s.end.channels[0].luns[0].arrays = {{{100_us, 100_us}, {300_us, 600_us}, {}}};
    s.end.channels[0].luns[1].arrays = {{{}, {}, {1_ms, 2_ms}}};
    s.measure();
    return s;
}

} // namespace

TEST_CASE("energy: current x voltage x time, by hand", "[report][energy]")
{
    const sample s = drawing();
    const energy_parts e = energy_of(s.m);
    CHECK(joules(e.array[0]) == Approx(10e-3 * 2.0 * 100e-6));
    CHECK(joules(e.array[1]) == Approx(20e-3 * 2.0 * 300e-6 * 1.25)); // a quarter for plane two
    CHECK(joules(e.array[2]) == Approx(30e-3 * 2.0 * 1e-3 * 1.25));
    CHECK(joules(e.bus) == Approx(5e-3 * 2.0 * 350e-6));
    CHECK(joules(e.nand_idle) == Approx(1e-3 * 2.0 * (500e-6 + 0 + 875e-6 + 1e-3)));
    // 100 us up and 50 us down of 1 ms, 4 lanes; the core worked for 250 us.
    CHECK(joules(e.link.active) == Approx(4 * 50e-3 * 150e-6));
    CHECK(joules(e.link.idle) == Approx(4 * 40e-3 * 1850e-6));
    CHECK(joules(e.cores.active) == Approx(100e-3 * 250e-6));
    CHECK(joules(e.cores.idle) == Approx(10e-3 * 750e-6));
    // Both ends of the buses, then their channels at work for 350 of 2000 us, the DRAM for 10.
    CHECK(joules(e.io) == Approx(80e-3 * 1.2 * 350e-6));
    CHECK(joules(e.channels.active) == Approx(60e-3 * 350e-6));
    CHECK(joules(e.channels.idle) == Approx(20e-3 * 1650e-6));
    CHECK(joules(e.ecc.active) == Approx(30e-3 * 350e-6));
    CHECK(joules(e.ecc.idle) == Approx(5e-3 * 1650e-6));
    CHECK(joules(e.dram_phy.active) == Approx(200e-3 * 10e-6));
    CHECK(joules(e.dram_phy.idle) == Approx(50e-3 * 990e-6));
    CHECK((e.sum() == energy_of_blocks(s.m)));
    CHECK(check_identities(s.m, s.requests).empty());
}

TEST_CASE("energy: a block that booked ahead does not idle for less than nothing",
          "[report][energy]")
{
    sample s = drawing();
    s.end.cpu[0].busy += 5_ms;
    s.measure();
    CHECK((energy_of(s.m).cores.idle == 0));
}

TEST_CASE("energy: an array that worked for longer than its LUN was busy", "[report][energy]")
{
    sample s = drawing();
    s.end.channels[1].luns[0].arrays[0] = {126_us, 126_us};
    s.measure();
    const auto sentences = check_identities(s.m, s.requests);
    REQUIRE(sentences.size() == 1);
    CHECK(sentences[0] == "LUN 0 of channel 1: its array read, programmed and erased for 126000000 "
                          "ps and was busy for 125000000 ps");
}

TEST_CASE("energy: in the summary, by part, and only what is counted", "[report][energy]")
{
    sample s = drawing();
    const auto parsed = [&s] { return json::parse(summary_text(s.m, s.requests, {})).as_object(); };
    const json::object all = parsed().at("energy_j").as_object();
    CHECK(all.at("nand").at("array_program").to_number<double>() == 1.5e-5);
    CHECK(all.at("link").at("active").to_number<double>() == 3e-5);
    CHECK(all.at("cores").at("idle").to_number<double>() == 7.5e-6);
    CHECK(all.at("nand").at("io").to_number<double>() == 3.36e-5);
    CHECK(all.at("channels").at("active").to_number<double>() == 2.1e-5);
    CHECK(all.at("ecc").at("idle").to_number<double>() == 8.25e-6);
    CHECK(all.at("dram_phy").at("idle").to_number<double>() == 4.95e-5);
    const double controller = 5.4e-5 + 1.875e-5 + 5.15e-5 + 3e-5 + 2.96e-4 + 2.5e-5 + 7.5e-6;
    const double sum = 2e-6 + 1.5e-5 + 7.5e-5 + 3.5e-6 + 3.36e-5 + 4.75e-6 + controller;
    CHECK(all.at("total").to_number<double>() == Approx(sum));
    CHECK(all.at("mean_w").to_number<double>() == Approx(sum / 1e-3)); // in 1 ms
    // 3 reads of 4 KiB (the failed one moved nothing) and 2 writes of 8 KiB.
    CHECK(all.at("per_request").to_number<double>() ==
          Approx(sum / static_cast<double>(s.requests.requests())));
    CHECK(all.at("per_host_gb").to_number<double>() == Approx(sum * 1e9 / 28672));
    s.m.energy.link = {};
    s.m.energy.array_ua[0] = 0;
    const json::object less = parsed().at("energy_j").as_object();
    CHECK_FALSE(less.contains("link"));
    CHECK_FALSE(less.at("nand").as_object().contains("array_read"));
    CHECK(less.at("total").to_number<double>() == Approx(sum - 3e-5 - 2.96e-4 - 2e-6));
    s.m.energy = {};
    CHECK_FALSE(parsed().contains("energy_j"));
}

TEST_CASE("energy: of the DRAM, where its model tells", "[report][energy]")
{
    sample s = drawing();
    const double before = joules(energy_of(s.m).sum());
    s.begin.dram_energy = dram_joules{1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
    s.end.dram_energy = dram_joules{2e-6, 3e-6, 4e-6, 5e-6, 6e-6};
    s.measure();
    CHECK(joules(energy_of(s.m).sum()) == Approx(before + 15e-6));
    CHECK(check_identities(s.m, s.requests).empty());
    const auto dram =
        json::parse(summary_text(s.m, s.requests, {})).at("energy_j").at("dram").as_object();
    CHECK(dram.at("activate").to_number<double>() == Approx(1e-6));
    CHECK(dram.at("background").to_number<double>() == Approx(5e-6));
    CHECK_THAT(text_summary(s.m, s.requests, {}, {}), Contains("DRAM         15.0 uJ"));
}

TEST_CASE("energy: a row per part for people", "[report][energy]")
{
    const sample s = drawing();
    const std::string text = text_summary(s.m, s.requests, {}, {});
    CHECK_THAT(
        text,
        Contains("Energy") &&
            Contains("NAND          134 uJ   21.7 %   read 2.00 uJ, program 15.0 uJ") &&
            Contains("617 uJ, 617 mW on average, 88.1 uJ per request, 21.5 J per GB of the host"));
}

} // namespace report_energy_test
