// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/unit/config_support.h"

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Matchers::Contains;

TEST_CASE("power: cuts by time, by count, at random, and shutdowns, all off by default")
{
    CHECK_FALSE(load_text("name: x").power.any());
    const ssd_config at = load_text("power: {cut: {at: [5ms, 40ms]}, off_time: 20ms}");
    CHECK(at.power.cut_at == std::vector<sim_time>{5_ms, 40_ms});
    CHECK(at.power.off_time == 20_ms);
    CHECK(at.power.verify == power_verify::uncertain);
    CHECK(load_text("power: {cut: {at: 1us}}").power.cut_at.size() == 1);
    CHECK(load_text("power: {cut: {every: 1000}}").power.cut_every == 1000);
    CHECK(load_text("power: {cut: {random: 0.5}}").power.cut_rate == 0.5);
    const ssd_config off = load_text("power: {shutdown: {every: 1s}, verify: all}");
    CHECK(off.power.shutdown_every == 1_s);
    CHECK(off.power.verify == power_verify::all);
    CHECK_FALSE(off.power.cuts());
    CHECK(load_text("power: {shutdown: {at: 3ms}}").power.shutdown_at.front() == 3_ms);
}

TEST_CASE("power: a resolved configuration says power keys only when they mean something")
{
    CHECK(resolved_yaml(load_text("name: x")).find("power") == std::string::npos);
    const std::string yaml = resolved_yaml(load_text("power: {cut: {at: [5ms, 40ms]}}"));
    CHECK_THAT(yaml, Contains("at: [5ms, 40ms]") && Contains("off_time: 10ms"));
    CHECK(resolved_yaml(load_text(yaml)) == yaml);
}

TEST_CASE("power: --power-cut takes the place of the cuts in files")
{
    const scratch dir;
    config_sources s;
    s.files = {dir.write("c.yaml", "power: {cut: {every: 10}, off_time: 1ms}")};
    s.power_cut = "at=5ms,20ms";
    const ssd_config c = load(s);
    CHECK(c.power.cut_every == 0);
    CHECK(c.power.cut_at == std::vector<sim_time>{5_ms, 20_ms});
    s.power_cut = "random=100";
    CHECK(load(s).power.cut_rate == 100.0);
    s.power_cut = "every=7";
    CHECK(load(s).power.cut_every == 7);
    for (const char* wrong : {"5ms", "never=1", "at", ""}) {
        s.power_cut = wrong;
        if (!s.power_cut.empty()) {
            CHECK_THAT(error_of(s), Contains("--power-cut") && Contains("write at=5ms"));
        }
    }
    s.power_cut = "at=5";
    CHECK_THAT(error_of(s), Contains("power.cut.at") && Contains("unit"));
}

TEST_CASE("power: errors name the key and the remedy")
{
    CHECK_THAT(error_of_text("power: {cut: {every: 10, random: 5}}"),
               Contains("power.cut.random") && Contains("power.cut.every is given too") &&
                   Contains("keep one of the two"));
    CHECK_THAT(error_of_text("power: {shutdown: {every: 10ms, at: 5ms}}"),
               Contains("power.shutdown.every") && Contains("power.shutdown.at is given too"));
    CHECK_THAT(error_of_text("power: {cut: {at: [5ms, 4ms]}}"),
               Contains("power.cut.at") && Contains("further apart than power.off_time"));
    CHECK_THAT(error_of_text("power: {cut: {at: [5ms, 15ms]}}"),
               Contains("15ms comes before power is back from 5ms"));
    CHECK(error_of_text("power: {cut: {at: [5ms, 15001us]}}").empty());
    CHECK_THAT(error_of_text("power: {shutdown: {at: [5ms, 6ms]}}"), Contains("power.shutdown.at"));
    CHECK_THAT(error_of_text("power: {off_time: 5ms}"),
               Contains("power.off_time") && Contains("has no effect"));
    CHECK_THAT(error_of_text("power: {verify: all}"),
               Contains("power.verify") && Contains("has no effect"));
    CHECK_THAT(error_of_text("{data: none, power: {cut: {every: 5}, verify: all}}"),
               Contains("power.verify") && Contains("data: tag"));
    CHECK_THAT(error_of_text("power: {cut: {every: 0}}"), Contains("power.cut.every"));
    CHECK_THAT(error_of_text("power: {cut: {random: 0}}"), Contains("power.cut.random"));
    CHECK_THAT(error_of_text("power: {cut: {evry: 5}}"), Contains("power.cut.every"));
}

TEST_CASE("power: what recovery relies on")
{
    const std::string cuts = "power: {cut: {every: 5}}";
    CHECK_THAT(error_of_text("{flash: {ecc: {kind: none}}, " + cuts + "}"),
               Contains("flash.ecc.kind") && Contains("use bch or ldpc"));
    CHECK_THAT(error_of_text("{extends: device/small, nand: {one_pass: true}, " + cuts + "}"),
               Contains("nand.one_pass") && Contains("use nand.one_pass: false"));
    CHECK(error_of_text("{flash: {ecc: {kind: none}}}").empty());
    CHECK(error_of_text("{flash: {ecc: {kind: ldpc}}, " + cuts + "}").empty());
}
