// SPDX-License-Identifier: Apache-2.0
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include "platform/report/json_text.h"
#include "platform/report/summary_json.h"
#include "tests/unit/report_sample.h"

namespace ssdvp::report_test {
extern const char* const golden_summary; // report_summary_golden.cpp
}

using namespace ssdvp;
using namespace ssdvp::literals;
using report_test::sample;
namespace json = boost::json;

TEST_CASE("the summary of the sample, byte for byte", "[report][summary]")
{
    const sample s;
    CHECK(platform::deterministic_summary(s.m, s.requests, {}) == report_test::golden_summary);
}

TEST_CASE("three keys depend on the machine, all others do not", "[report][summary]")
{
    sample s;
    const std::string first = platform::summary_text(s.m, s.requests, {});
    s.end.wall_s += 100.0;
    s.m.peak_rss_bytes = 123;
    s.measure();
    const std::string second = platform::summary_text(s.m, s.requests, {});
    CHECK(first != second);
    CHECK(platform::deterministic_summary(first) == platform::deterministic_summary(second));
    CHECK(platform::deterministic_summary(first) == report_test::golden_summary);

    const json::value parsed = json::parse(first);
    const json::object& sim = parsed.at("sim").as_object();
    CHECK(sim.at("wall_s").to_number<double>() == 2.5);
    CHECK(sim.at("requests_per_wall_s").to_number<double>() == 2.8);
    CHECK(sim.at("peak_rss_bytes").to_number<std::uint64_t>() == 1048576);
}

TEST_CASE("rows of the DRAM are told where it has banks", "[report][summary]")
{
    sample s;
    const platform::request_statistics nothing;
    const auto dram = [&] {
        s.measure();
        const json::value v = json::parse(platform::summary_text(s.m, nothing, {}));
        return v.at("dram").as_object();
    };
    CHECK(dram().size() == 3);
    s.begin.dram->banks = s.end.dram->banks = true;
    s.begin.dram->row_hits = 10;
    s.end.dram->row_hits = 15;
    s.end.dram->row_misses = 4;
    s.end.dram->row_conflicts = 3;
    s.end.dram->activates = 14;
    s.end.dram->refreshes = 2;
    const json::object o = dram();
    CHECK(o.size() == 8);
    CHECK(o.at("row_hits") == 5);
    CHECK(o.at("row_misses") == 4);
    CHECK(o.at("row_conflicts") == 3);
    CHECK(o.at("activates") == 14);
    CHECK(o.at("refreshes") == 2);
}

TEST_CASE("roles of several cores, their caches and TLBs are in the summary", "[report][summary]")
{
    sample s;
    const auto first = [&] {
        s.measure();
        const platform::request_statistics nothing;
        const json::object o = json::parse(platform::summary_text(s.m, nothing, {})).as_object();
        return o.at("cpu").at(0).as_object();
    };
    CHECK_FALSE(first().contains("role"));
    CHECK_FALSE(first().contains("dcache"));
    CHECK_FALSE(first().contains("tlb"));
    CHECK_FALSE(first().contains("icache"));
    s.begin.cpu[0].dcache = ssdvp::cpu::cache_stats{10, 20, 5};
    s.end.cpu[0].dcache = ssdvp::cpu::cache_stats{110, 50, 6};
    s.begin.cpu[0].tlb = ssdvp::cpu::cache_stats{7, 1, 0};
    s.end.cpu[0].tlb = ssdvp::cpu::cache_stats{27, 4, 0};
    s.begin.cpu[0].icache = platform::fetch_statistics{{50, 6, 0}, 100_us};
    s.end.cpu[0].icache = platform::fetch_statistics{{1050, 16, 0}, 350_us};
    s.end.cpu[0].role = "ftl+flash";
    const json::object o = first();
    CHECK(o.at("role") == "ftl+flash");
    CHECK(o.at("dcache") == json::object({{"hits", 100}, {"misses", 30}, {"writebacks", 1}}));
    CHECK(o.at("icache") ==
          json::object({{"hits", 1000}, {"misses", 10}, {"stall", 0.25}})); // of 1 ms
    CHECK(o.at("tlb") == json::object({{"hits", 20}, {"misses", 3}}));
}

TEST_CASE("absent parts are absent, never 0", "[report][summary]")
{
    sample s;
    s.m.drive.cache_policy = "none";
    s.end.channels.clear();
    s.end.cpu.clear();
    s.end.dram.reset();
    s.end.link.reset();
    s.end.nvme.reset();
    s.end.integrity.reset();
    s.measure();
    const platform::request_statistics nothing;
    json::object o = json::parse(platform::summary_text(s.m, nothing, {})).as_object();
    for (const char* key : {"cache", "channels", "cpu", "dram", "link", "nvme", "integrity"}) {
        CAPTURE(key);
        CHECK_FALSE(o.contains(key));
    }
    CHECK(o.at("host").as_object().empty());
    CHECK_FALSE(o.at("flash").as_object().contains("copybacks"));
    CHECK_FALSE(o.at("flash").at("by_purpose").as_object().contains("merge"));
    for (const char* key :
         {"write_amplification", "worst_blocking_ns", "map", "merges", "strayed_units", "zones"}) {
        CAPTURE(key);
        CHECK_FALSE(o.at("ftl").as_object().contains(key));
    }
    s.end.ftl.reset();
    s.measure();
    o = json::parse(platform::summary_text(s.m, nothing, {})).as_object();
    CHECK_FALSE(o.contains("ftl"));
    CHECK_FALSE(o.contains("cache"));
}

TEST_CASE("present parts are there", "[report][summary]")
{
    sample s;
    s.m.drive.map_is_paged = true;
    s.m.drive.merges = true;
    s.m.drive.places = true;
    s.m.drive.zoned = true;
    s.m.worst_blocking = 1500_ps;
    s.end.ftl->map_misses = 5;
    s.end.ftl->merges_full = 6;
    s.end.ftl->strayed_units = 7;
    s.begin.ftl->zones = {1, 1, 1, 1, 1};
    s.end.ftl->zones = {9, 8, 7, 6, 5};
    s.end.flash.copybacks = 4;
    s.m.fault_count = 40;
    s.m.faults = {{3_ns, "ssd.die0", "programmed \"twice\""}};
    s.m.complete = false;
    s.measure();
    const json::value v = json::parse(platform::summary_text(s.m, s.requests, {"a (1) is b (2)"}));
    CHECK(v.at("complete") == false);
    CHECK(v.at("ftl").at("worst_blocking_ns") == 1.5);
    CHECK(v.at("ftl").at("map").at("misses") == 5);
    CHECK(v.at("ftl").at("merges").at("full") == 6);
    CHECK(v.at("ftl").at("strayed_units") == 7);
    const json::object zones = {{"opened", 8},
                                {"closed_by_controller", 7},
                                {"filled", 6},
                                {"too_many_open", 5},
                                {"too_many_active", 4}};
    CHECK(v.at("ftl").at("zones") == zones);
    CHECK(v.at("flash").at("copybacks") == 4);
    CHECK(v.at("faults").at("count") == 40);
    CHECK(v.at("faults").at("first").at(0).at("who") == "ssd.die0");
    CHECK(v.at("faults").at("first").at(0).at("what") == "programmed \"twice\"");
    CHECK(v.at("violations").at(0) == "a (1) is b (2)");
}

TEST_CASE("block and hybrid mapping: merges, what they wait for and where they erase",
          "[report][summary]")
{
    sample s;
    s.m.drive.merges = true;
    s.begin.ftl->merged_logs = 2; // warm-up
    s.begin.ftl->merged_logical_blocks = 2;
    s.begin.ftl->scan_page_reads = 100;
    s.begin.ftl->erases_log = 3;
    s.end.ftl->merges_switch = 1;
    s.end.ftl->merges_partial = 2;
    s.end.ftl->merges_full = 5;
    s.end.ftl->merged_logs = 6;
    s.end.ftl->merged_logical_blocks = 10;
    s.end.ftl->merged_logical_blocks_max = 4;
    s.end.ftl->copy_page_reads = 30;
    s.end.ftl->copy_page_writes = 31;
    s.end.ftl->blocking_max_ns = 1234;
    s.end.ftl->scan_page_reads = 177;
    s.end.ftl->erases_data = 7;
    s.end.ftl->erases_log = 8;
    s.end.ftl->erases_map = 1;
    s.end.ftl->erase_blocks = 4;
    s.m.erase_histogram = {{0, 3}, {17, 1}};
    s.measure();
    const json::value v = json::parse(platform::summary_text(s.m, s.requests, {}));
    const json::value& ftl = v.at("ftl");
    CHECK(ftl.at("merges") ==
          json::parse("{\"switch\": 1, \"partial\": 2, \"full\": 5, \"associativity\": {\"mean\": "
                      "2, \"max\": 4}, \"pages_read\": 30, \"pages_programmed\": 31, "
                      "\"longest_wait_ns\": 1234}"));
    CHECK(ftl.at("scan_reads") == 77);
    CHECK(ftl.at("erases") == json::parse("{\"data\": 7, \"log\": 5, \"map\": 1}"));
    CHECK(ftl.at("wear").at("histogram") ==
          json::parse("[{\"erases\": 0, \"blocks\": 3}, {\"erases\": 17, \"blocks\": 1}]"));
    s.end.ftl = s.begin.ftl; // nothing merged: no mean of nothing
    s.measure();
    const json::value none = json::parse(platform::summary_text(s.m, s.requests, {}));
    CHECK_FALSE(none.at("ftl").at("merges").as_object().contains("associativity"));
}

TEST_CASE("the mean parts sum to the mean latency", "[report][summary]")
{
    const sample s;
    const json::value v = json::parse(platform::summary_text(s.m, s.requests, {}));
    for (const char* kind : {"read", "write", "flush"}) {
        double sum = 0.0;
        for (const auto& part : v.at("host").at(kind).at("parts_ns").as_object()) {
            sum += part.value().to_number<double>();
        }
        // each of 13 numbers is rounded to a picosecond
        CHECK(sum == Approx(v.at("host").at(kind).at("latency_ns").at("mean").to_number<double>())
                         .margin(0.007));
    }
}

TEST_CASE("JSON text keeps order and writes numbers plainly", "[report][json]")
{
    const json::value v = {{"z", 0.5},
                           {"a", json::array{1, -2, 18446744073709551615ull}},
                           {"text", "a\"b\n"},
                           {"none", nullptr},
                           {"yes", true},
                           {"empty", json::object{}},
                           {"list", json::array{}},
                           {"whole", 3.0},
                           {"long", 3600000000000.001}};
    CHECK(platform::to_text(v) == "{\n"
                                  "  \"z\": 0.5,\n"
                                  "  \"a\": [\n"
                                  "    1,\n"
                                  "    -2,\n"
                                  "    18446744073709551615\n"
                                  "  ],\n"
                                  "  \"text\": \"a\\\"b\\n\",\n"
                                  "  \"none\": null,\n"
                                  "  \"yes\": true,\n"
                                  "  \"empty\": {},\n"
                                  "  \"list\": [],\n"
                                  "  \"whole\": 3,\n"
                                  "  \"long\": 3600000000000.001\n"
                                  "}\n");
    CHECK_THROWS_AS(platform::to_text(json::value(1.0 / 0.0)), std::logic_error);
}
