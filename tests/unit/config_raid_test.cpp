// SPDX-License-Identifier: Apache-2.0
//
// Lists of drives and of arrays: each key has its value, and each rule its edge.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "tests/unit/config_support.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

namespace {

const std::string small = "extends: device/small\n";

run_plan plan_of(const std::string& text)
{
    const scratch dir;
    config_sources s;
    s.files = {dir.write("c.yaml", text)};
    return resolve_run(s);
}

std::string refusal_of(const std::string& text)
{
    try {
        plan_of(text);
    } catch (const config_error& e) {
        return e.what();
    }
    return {};
}

/// Two drives in md0, with more keys of the array and of its stream, and more lines.
std::string pair(const std::string& array, const std::string& stream = "",
                 const std::string& more = "")
{
    return small + "drives: [{name: a}, {name: b, run.seed: 9}]\n" +
           "raid: [{name: md0, drives: [b, a], " + array + "}]\n" + "workload: [{drive: md0" +
           stream + "}]\n" + more;
}

} // namespace

TEST_CASE("raid: each key has its value, and defaults where there is none")
{
    const run_plan striped = plan_of(pair("level: 0"));
    REQUIRE(striped.arrays.size() == 1);
    const named_array& a = striped.arrays[0];
    CHECK(a.config.name == "md0");
    CHECK(a.config.level == host::raid_level::stripe);
    CHECK(a.config.chunk == 64 * 1024);
    CHECK(a.members == std::vector<std::size_t>{1, 0}); // in the order of the list
    CHECK(plan_of(pair("level: 0, chunk: 4KiB")).arrays[0].config.chunk == 4096);
    CHECK(plan_of(pair("level: 0, chunk: 16MiB")).arrays[0].config.chunk == 16 << 20);
    const run_plan mirrored = plan_of(pair("level: 1"));
    CHECK(mirrored.arrays[0].config.level == host::raid_level::mirror);
    CHECK(mirrored.arrays[0].config.reads == host::mirror_reads::round_robin);
    CHECK(plan_of(pair("level: 1, read_policy: least_loaded")).arrays[0].config.reads ==
          host::mirror_reads::least_loaded);
}

TEST_CASE("raid: values beyond their range are refused")
{
    CHECK_THAT(refusal_of(pair("level: 2")), Contains("raid.0.level"));
    CHECK_THAT(refusal_of(pair("level: 0, chunk: 2KiB")), Contains("raid.0.chunk"));
    CHECK_THAT(refusal_of(pair("level: 0, chunk: 6KiB")), Contains("raid.0.chunk"));
    CHECK_THAT(refusal_of(pair("level: 0, chunk: 32MiB")), Contains("raid.0.chunk"));
    CHECK_THAT(refusal_of(pair("level: 1, read_policy: nearest")), Contains("raid.0.read_policy"));
    const std::string long_name(33, 'x');
    const auto named = [](const std::string& name) {
        return small + "drives: [{name: a}, {name: b}]\nraid: [{name: " + name +
               ", level: 0, drives: [a, b]}]\nworkload: [{drive: " + name + "}]\n";
    };
    CHECK_THAT(refusal_of(named(long_name)), Contains("raid.0.name: is not a name"));
    CHECK(refusal_of(named(long_name.substr(1))).empty());
}

TEST_CASE("raid: the array runs by what stands outside of the list, its streams within it")
{
    const run_plan p = plan_of(pair("level: 0", "",
                                    "run: {seed: 4, requests: 77, warmup: 5}\n"
                                    "data: full\n"));
    const named_array& a = p.arrays[0];
    CHECK(a.run.seed == 4);
    CHECK(a.run.requests == 77);
    CHECK(a.run.warmup_requests == 5);
    CHECK(a.config.data == data_mode::full);
    CHECK(p.drives[1].resolved.config.run.seed == 9);
    REQUIRE(a.workload.streams.size() == 1);
    const std::uint64_t chunk = 64 * 1024;
    const std::uint64_t all = host_bytes(p.drives[0].resolved.config) / chunk * chunk * 2;
    const auto range = [&](const char* level, std::uint64_t size) {
        return refusal_of(pair(level, fmt::format(", range: {{size: {}B}}", size)));
    };
    CHECK(range("level: 0", all).empty());
    CHECK_THAT(range("level: 0", all + 512),
               Contains("c.yaml:4:") && Contains("workload.0.range.size: ends beyond the last"));
    const std::uint64_t one = host_bytes(p.drives[0].resolved.config);
    CHECK(range("level: 1", one).empty());
    CHECK_THAT(range("level: 1", one + 512), Contains("of array 'md0'"));
    const auto start = [&](std::uint64_t at) {
        return refusal_of(pair("level: 0", fmt::format(", range: {{start: {}B}}", at)));
    };
    CHECK(start(all - 4096).empty());
    CHECK_THAT(start(all - 512), Contains("block_size: is larger than the range"));
    CHECK_THAT(start(all), Contains("range.start: is not one"));
    // A member sees the stream without its range.
    const run_plan ranged = plan_of(pair("level: 0", fmt::format(", range: {{size: {}B}}", all)));
    CHECK(ranged.drives[0].resolved.config.workload.streams[0].range_size == 0);
    CHECK(ranged.arrays[0].workload.streams[0].range_size == all);
}

TEST_CASE("raid: what members must have in common")
{
    const auto members = [](const std::string& a, const std::string& b, int level) {
        return small + "drives: [{name: a" + a + "}, {name: b" + b + "}]\n" +
               fmt::format("raid: [{{name: md0, drives: [a, b], level: {}}}]\n", level) +
               "workload: [{drive: md0, read_fraction: 1.0}]\n";
    };
    CHECK(refusal_of(members("", ", flash.channels: 1", 0)).empty());
    const std::string half = ", precondition.fill: 0.5";
    CHECK_THAT(refusal_of(members(half, half, 0)), Contains("set precondition.fill to 0 or 1"));
    CHECK(refusal_of(members(half, half, 1)).empty());
    CHECK_THAT(refusal_of(members(half, half + ", flash.channels: 1", 1)),
               Contains("are not filled alike") && Contains("or use equal drives"));
    const std::string full = ", precondition.fill: 1";
    CHECK(refusal_of(members(full, full + ", flash.channels: 1", 1)).empty());
    CHECK_THAT(refusal_of(members(full, "", 1)), Contains("are not filled alike"));
    const std::string zoned = ", host.nvme.zns.zone_size: 16MiB";
    CHECK_THAT(refusal_of(members("", zoned, 1)), Contains("drive 'b' is zoned"));
    const std::string steady = ", run.until: steady";
    CHECK_THAT(refusal_of(members(steady, steady, 1)),
               Contains("c.yaml:2:") && Contains("run.until: drive 'a' is a member of an array"));
    for (const char* key : {"run.requests: 5", "run.duration: 5ms", "run.warmup: 5"}) {
        CHECK_THAT(refusal_of(members("", std::string(", ") + key, 0)),
                   Contains("c.yaml:2:") && Contains("drive 'b' is a member of an array"));
    }
}

TEST_CASE("drives: a stream goes to the drive that it names, or to the first")
{
    const run_plan p = plan_of(small + "drives: [{name: a}, {name: b, ftl.scheme: dftl}]\n"
                                       "workload: [{name: x}, {name: y, drive: b}, {drive: a}]\n");
    REQUIRE(p.drives.size() == 2);
    const auto& first = p.drives[0].resolved.config.workload.streams;
    REQUIRE(first.size() == 2);
    CHECK(first[0].name == "x");
    CHECK(first[1].name == "stream2");
    CHECK(p.drives[1].resolved.config.workload.streams[0].name == "y");
    CHECK(p.drives[1].resolved.config.ftl.scheme == ftl_scheme::dftl);
    CHECK(p.drives[0].resolved.config.ftl.scheme == ftl_scheme::page_map);
    CHECK(p.arrays.empty());
}

TEST_CASE("drives: a free drive beside an array needs a stream, a member must not have one")
{
    const std::string three = small + "drives: [{name: a}, {name: b}, {name: c}]\n"
                                      "raid: [{name: md0, level: 0, drives: [b, c]}]\n";
    const run_plan p = plan_of(three + "workload: [{name: x}, {name: y, drive: md0}]\n");
    CHECK(p.drives[0].resolved.config.workload.streams[0].name == "x");
    CHECK(p.drives[2].resolved.config.workload.streams[0].name == "y");
    CHECK_THAT(refusal_of(three + "workload: [{drive: md0}]\n"),
               Contains("c.yaml:2:") && Contains("no stream of the workload names drive 'a'"));
    CHECK_THAT(refusal_of(three + "workload: [{}, {drive: c}]\n"),
               Contains("c.yaml:4:") && Contains("write `drive: md0`"));
    CHECK_THAT(refusal_of(three + "workload: [{}]\n"),
               Contains("c.yaml:3:") && Contains("no stream of the workload names array 'md0'"));
}

} // namespace ssdvp::platform::test
