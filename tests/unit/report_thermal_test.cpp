// SPDX-License-Identifier: Apache-2.0
//
// Heat in the reports: of the sample with two readings by hand.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "platform/report/counter_sums.h"
#include "platform/report/energy.h"
#include "platform/report/series.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"
#include "tests/unit/report_sample.h"

namespace report_thermal_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using Catch::Matchers::Contains;
using report_test::sample;
namespace json = boost::json;

namespace {

thermal::thermal_stats reading(double celsius, double joules, sim_time light)
{
    thermal::thermal_stats t;
    t.composite = celsius;
    t.controller = celsius;
    t.nand = celsius - 5.0;
    t.composite_max = celsius + 2.0;
    t.taken = joules;
    t.stored = joules / 4.0;
    t.given_off = joules * 3.0 / 4.0;
    t.time[1] = light;
    t.entries[1] = light.ps() / 100000000; // one each 100 us
    return t;
}

sample heated()
{
    sample s;
    s.begin.thermal = reading(30.0, 1.0, 100_us);
    s.end.thermal = reading(42.5, 3.0, 400_us);
    s.measure();
    return s;
}

} // namespace

TEST_CASE("thermal: the summary has temperatures of the end and heat of the measured part",
          "[report][thermal]")
{
    const sample s = heated();
    const json::object all = json::parse(summary_text(s.m, s.requests, {})).as_object();
    const json::object& t = all.at("thermal").as_object();
    CHECK(t.at("composite_c").at("end").to_number<double>() == 42.5);
    CHECK(t.at("composite_c").at("max").to_number<double>() == 44.5);
    CHECK(t.at("nand_c").at("end").to_number<double>() == 37.5);
    CHECK(t.at("heat_j").at("taken").to_number<double>() == 2.0);
    CHECK(t.at("heat_j").at("stored").to_number<double>() == 0.5);
    CHECK(t.at("heat_j").at("given_off").to_number<double>() == 1.5);
    CHECK(t.at("light").at("time_ns").to_number<double>() == 300000.0);
    CHECK(t.at("light").at("entries").to_number<int>() == 3);
    CHECK(t.at("stopped").at("entries").to_number<int>() == 0);
    CHECK_THAT(text_summary(s.m, s.requests, {}, {}),
               Contains("Heat") && Contains("42.5 C at the end, 44.5 C at most") &&
                   Contains("light 300 us"));
    const sample cold;
    CHECK(json::parse(summary_text(cold.m, cold.requests, {})).as_object().count("thermal") == 0);
}

TEST_CASE("thermal: the series has temperatures and shares of throttling, if there is a model",
          "[report][thermal]")
{
    run_series s{sim_time()};
    counters c = heated().begin;
    s.begin(c);
    c.when += 1_ms;
    c.thermal = reading(42.5, 3.0, 400_us);
    s.end(c);
    const std::string text = s.csv();
    CHECK_THAT(text,
               Contains(",composite_c,controller_c,nand_c,throttled_light,throttled_heavy,") &&
                   Contains(",42.500,42.500,37.500,0.300000,0.000000,"));
    run_series cold{sim_time()};
    cold.begin(sample().begin);
    CHECK(cold.csv().find("composite_c") == std::string::npos);
}

TEST_CASE("thermal: all energy heats some part, and each its own", "[report][thermal]")
{
    sample s;
    energy_figures& f = s.m.energy;
    f.array_ua = {10000, 20000, 30000};
    f.bus_ua = 5000;
    f.idle_ua = 7;
    f.link.active_uw = 50000;
    f.core.active_uw = 100000;
    f.lanes = 4;
    f.io_ua = 3000;
    f.channel.active_uw = f.ecc.idle_uw = f.dram_phy.idle_uw = 10000;
    s.end.channels[1].luns[0].arrays[0] = {100_us, 100_us};
    s.measure();
    const energy_places p = energy_places_of(f, s.m.measured);
    REQUIRE(p.luns.size() == 4);
    uint128 sum = p.controller + p.board;
    for (const uint128 lun : p.luns) {
        sum += lun;
    }
    const energy_parts parts = energy_of(s.m);
    CHECK((sum == parts.sum()));
    CHECK((p.controller == parts.controller()));
    CHECK((p.luns[2] > p.luns[3])); // it read
}

TEST_CASE("thermal: a slowed core draws as if it had worked at its full clock", "[report][thermal]")
{
    sample s;
    s.m.energy.core.active_uw = 100000;
    s.measure();
    const uint128 full = energy_of(s.m).cores.active;
    s.end.cpu[0].slowed = sim_time((s.end.cpu[0].busy - s.begin.cpu[0].busy).ps() / 2);
    s.measure();
    CHECK((energy_of(s.m).cores.active == full / 2));
    CHECK((energy_of(s.m).sum() == energy_of_blocks(s.m)));
}

} // namespace report_thermal_test
