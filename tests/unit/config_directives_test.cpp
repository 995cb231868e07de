// SPDX-License-Identifier: Apache-2.0
//
// Keys of streams by directive, and what they need of each other.
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

namespace {

/// Of `sets` on a drive with streams; empty when they are accepted.
std::string refused_with_streams(std::vector<std::string> sets)
{
    sets.emplace_back("ftl.streams=4");
    return error_of(with_sets(sets));
}

} // namespace

std::vector<key_case> directive_cases()
{
    return {{"ftl.streams", "16", [](C c) { return c.ftl.streams == 16; }, "17", {}}};
}

TEST_CASE("streams: a request names one only where the drive has them")
{
    CHECK_THAT(error_of_text("workload: [{stream_id: 3}]"),
               Contains("c.yaml:1:") && Contains("workload.0.stream_id") &&
                   Contains("use ftl.streams of 1 or more"));
    CHECK_THAT(error_of_text("workload: [{stream_id: 65536}]"),
               Contains("c.yaml:1:") && Contains("stream_id"));
    const std::string text = "ftl: {streams: 1}\nworkload: [{stream_id: 65535}, {}]";
    const ssd_config c = load_text(text);
    CHECK(c.driver.stream_ids == std::vector<std::uint16_t>{65535, 0});
    CHECK_THAT(resolved_yaml(c), Contains("stream_id: 65535") && Contains("streams: 1"));
    CHECK_THAT(resolved_yaml(load_text("name: x")), !Contains("stream_id"));
}

TEST_CASE("streams: schemes that cannot keep them apart are refused, with what to change")
{
    CHECK(refused_with_streams({}).empty());
    for (const char* scheme : {"dftl", "vm_map", "log_set"}) {
        CHECK(refused_with_streams({std::string("ftl.scheme=") + scheme}).empty());
    }
    CHECK_THAT(refused_with_streams({"ftl.scheme=bast", "nand.page_order=any"}),
               Contains("ftl.streams") && Contains("use ftl.scheme: page_map"));
    CHECK_THAT(refused_with_streams({"ftl.stripe=block"}), Contains("with ftl.stripe: drive"));
    CHECK_THAT(refused_with_streams({"ftl.placement=CWDP"}), Contains("use ftl.placement: stripe"));
    CHECK_THAT(refused_with_streams({"write.mode=shallow", "nand.shallow.speed_up=2",
                                     "nand.shallow.retention=50ms"}),
               Contains("use write.mode: normal or slc"));
    CHECK_THAT(refused_with_streams({"host.interface=sata"}), Contains("use host.interface: nvme"));
}

TEST_CASE("streams: each takes a superblock of the spare ones, and memory of its own")
{
    const ssd_config none = load({});
    const ssd_config some = load(with_sets({"ftl.streams=5"}));
    CHECK(needs_of(some).open == needs_of(none).open + 5);
    CHECK(needs_of(some).share("blocks").dram > needs_of(none).share("blocks").dram);
}

} // namespace ssdvp::platform::test
