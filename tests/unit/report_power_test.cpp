// SPDX-License-Identifier: Apache-2.0
//
// Power in reports: the section, and the identities of runs with power cuts.
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "platform/report/identities.h"
#include "platform/report/summary_json.h"
#include "tests/unit/report_sample.h"

namespace report_power_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using report_test::sample;

namespace json = boost::json;

TEST_CASE("power section: absent without power keys, else counts and times", "[report][power]")
{
    sample s;
    CHECK(!json::parse(platform::summary_text(s.m, s.requests, {})).as_object().contains("power"));
    s.begin.power = platform::power_statistics{};
    s.end.power = platform::power_statistics{3, 1, 5, 2, 7, 11};
    s.measure();
    s.m.power.ready.add(1_ms);
    s.m.power.ready.add(3_ms);
    const json::value v = json::parse(platform::summary_text(s.m, s.requests, {}));
    const json::object& p = v.at("power").as_object();
    CHECK(p.at("cuts").to_number<int>() == 3);
    CHECK(p.at("shutdowns").to_number<int>() == 1);
    CHECK(p.at("torn_pages").to_number<int>() == 5);
    CHECK(p.at("torn_blocks").to_number<int>() == 2);
    CHECK(p.at("lost_requests").to_number<int>() == 7);
    CHECK(p.at("verified_sectors").to_number<int>() == 11);
    CHECK(p.at("ready_ns").at("mean").to_number<double>() == 2e6);
    CHECK(p.at("ready_ns").at("max").to_number<double>() == 3e6);
    CHECK(!p.contains("first_read_ns"));
}

TEST_CASE("lost requests and untold operations are allowed for, to the unit", "[report][power]")
{
    sample s;
    s.end.driver.requests_in += 2;
    s.end.driver.requests_lost += 2;
    s.end.channels[0].luns[0].reads += 1;
    s.end.untold.reads += 1;
    s.measure();
    CHECK(platform::check_identities(s.m, s.requests).empty());
    s.end.untold.programs += 1;
    s.measure();
    CHECK(platform::check_identities(s.m, s.requests).size() == 1);
}

} // namespace report_power_test
