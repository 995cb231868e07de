// SPDX-License-Identifier: Apache-2.0
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "platform/report/summary_json.h"
#include "tests/unit/report_sample.h"

namespace report_shallow_test {

using namespace ssdvp;
using report_test::sample;
namespace json = boost::json;

namespace {

json::object ftl_of(const sample& s)
{
    return json::parse(platform::summary_text(s.m, s.requests, {})).at("ftl").as_object();
}

} // namespace

TEST_CASE("shallow pages: counted in the measured part, absent where they are not tracked",
          "[report][summary]")
{
    sample s;
    CHECK_FALSE(ftl_of(s).contains("retention"));
    s.begin.ftl->retention = {9, 100, 20, 30, 1, 40, 5, 6};
    s.end.ftl->retention = {3, 150, 22, 37, 2, 60, 8, 16};
    s.m.drive.retention = true;
    s.m.drive.retention_speed = 1000.0;
    s.measure();
    const json::object o = ftl_of(s).at("retention").as_object();
    const auto count = [&](const char* key) { return o.at(key).to_number<std::uint64_t>(); };
    CHECK(count("tracked") == 3); // a gauge
    CHECK(count("shallow_pages") == 50);
    CHECK(count("deep_pages") == 2);
    CHECK(count("rewritten_units") == 7);
    CHECK(count("late") == 1);
    CHECK(count("overwritten_units") == 20);
    CHECK(o.at("speed").to_number<double>() == 1000.0);
    CHECK_FALSE(o.contains("predicted"));
    s.m.drive.predicts = true;
    const json::object p = ftl_of(s).at("retention").at("predicted").as_object();
    CHECK(p.at("right").to_number<std::uint64_t>() == 20 + 10);
    CHECK(p.at("wrong").to_number<std::uint64_t>() == 7 + 3);
}

} // namespace report_shallow_test
