// SPDX-License-Identifier: Apache-2.0
//
// Keys of what the driver asks of an NVMe controller, and what they need of each other.
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using namespace ssdvp::literals;
using C = const ssd_config&;
using host::arbitration_kind;
using host::priority_class;

namespace {

const std::vector<std::string> two_queues = {"host.driver.queue_pairs=2"};
const std::vector<std::string> with_metadata = {"data=full", "host.nvme.metadata.bytes=8"};
const std::vector<std::string> weighted = {"host.driver.queue_pairs=2",
                                           "host.nvme.arbitration=weighted_round_robin"};

std::vector<std::string> weighted_with(const char* priority)
{
    std::vector<std::string> sets = weighted;
    sets.push_back(std::string("workload.priority=") + priority);
    return sets;
}

/// Of `sets` on top of two queues under weighted round robin; empty when they are accepted.
std::string refused_when_weighted(std::vector<std::string> sets,
                                  const std::string& text = "name: x")
{
    sets.insert(sets.begin(), weighted.begin(), weighted.end());
    const scratch dir;
    config_sources s = with_sets(sets);
    s.files = {dir.write("c.yaml", text)};
    return error_of(s);
}

} // namespace

std::vector<key_case> nvme_cases()
{
    return {
        {"host.nvme.arbitration", "weighted_round_robin",
         [](C c) { return c.driver.arbitration == arbitration_kind::weighted_round_robin; },
         "weighted", two_queues},
        {"host.nvme.arbitration_burst", "unlimited", [](C c) { return c.driver.burst == 0; }, "3",
         two_queues},
        {"host.nvme.weights.high", "256", [](C c) { return c.driver.weight_high == 256; }, "257",
         weighted_with("high")},
        {"host.nvme.weights.medium", "3", [](C c) { return c.driver.weight_medium == 3; }, "0",
         weighted},
        {"host.nvme.weights.low", "5", [](C c) { return c.driver.weight_low == 5; }, "0",
         weighted_with("low")},
        {"host.nvme.coalescing.threshold",
         "256",
         [](C c) { return c.driver.coalescing_threshold == 256; },
         "257",
         {"host.nvme.coalescing.time=100us"}},
        {"host.nvme.coalescing.time",
         "25500us",
         [](C c) { return c.driver.coalescing_time == 25500_us; },
         "25600us",
         {"host.nvme.coalescing.threshold=2"}},
        {"host.nvme.lookup", "true", [](C c) { return c.nvme.lookup; }, "1", {}},
        {"host.nvme.lookup_time",
         "90ns",
         [](C c) { return c.nvme.lookup_time == 90_ns; },
         "11us",
         {"host.nvme.lookup=true"}},
        {"host.driver.sgl", "true", [](C c) { return c.driver.sgl; }, "1", {}},
        {"host.nvme.metadata.bytes",
         "64",
         [](C c) { return c.driver.metadata.bytes == 64; },
         "32",
         {"data=full"}},
        {"host.nvme.metadata.protection", "2",
         [](C c) { return c.driver.metadata.protection == 2; }, "4", with_metadata},
        {"host.nvme.metadata.extended", "true", [](C c) { return c.driver.metadata.extended; }, "1",
         with_metadata},
    };
}

TEST_CASE("NVMe features: by default none is set, and a resolved configuration does not name them")
{
    const ssd_config c = load_text("name: x");
    CHECK(c.driver.arbitration == arbitration_kind::round_robin);
    CHECK(c.driver.burst == 8);
    CHECK(c.driver.coalescing_threshold == 1);
    const std::string yaml = resolved_yaml(c);
    for (const char* key :
         {"weights", "arbitration_burst", "coalescing", "sgl", "priority", "metadata"}) {
        CHECK(yaml.find(key) == std::string::npos);
    }
}

TEST_CASE("NVMe features: what would have no effect is refused, with what to change")
{
    CHECK(refused_when_weighted({}).empty());
    CHECK_THAT(refused_when_weighted({"host.driver.queue_pairs=1"}),
               Contains("host.nvme.arbitration") && Contains("queue_pairs of 2 or more"));
    CHECK_THAT(
        refused_when_weighted({"host.nvme.arbitration=round_robin", "host.nvme.weights.low=2"}),
        Contains("host.nvme.weights.low") && Contains("weighted_round_robin"));
    for (const std::string other : {"high", "low"}) {
        CHECK_THAT(refused_when_weighted({"host.nvme.weights." + other + "=9"}),
                   Contains("has no effect") && Contains("a stream has priority " + other));
    }
    CHECK_THAT(refused_when_weighted({"host.nvme.weights.medium=9", "workload.priority=urgent"}),
               Contains("has no effect") && Contains("a stream has priority medium"));
    CHECK(refused_when_weighted({"host.nvme.weights.medium=9"}).empty());
    CHECK_THAT(error_of_text("host: {nvme: {arbitration_burst: 4}}"),
               Contains("c.yaml:1:") && Contains("host.driver.queue_pairs is above 1"));
    CHECK_THAT(error_of_text("host: {nvme: {coalescing: {threshold: 2}}}"),
               Contains("use host.nvme.coalescing.time of 100us or more"));
    CHECK_THAT(error_of_text("host: {nvme: {coalescing: {time: 100us}}}"),
               Contains("use host.nvme.coalescing.threshold of 2 or more"));
    CHECK_THAT(error_of_text("host: {nvme: {coalescing: {threshold: 2, time: 150us}}}"),
               Contains("150us is no multiple of 100us"));
    CHECK(error_of_text("host: {nvme: {coalescing: {threshold: 2, time: 100us}}}").empty());
}

TEST_CASE("metadata: what they need is asked for by name")
{
    const std::string with = "host: {nvme: {metadata: {bytes: 8}}}\n";
    CHECK(error_of_text(with + "data: full").empty());
    CHECK_THAT(error_of_text(with), Contains("c.yaml:1:") && Contains("use data: full"));
    CHECK_THAT(error_of_text(with + "data: full\nprecondition: {fill: 0.1}"),
               Contains("host.nvme.metadata.bytes") && Contains("use precondition.fill: 0"));
    const std::string small = "\nnand: {page_size: 4KiB, oob_size: 256B}\n";
    CHECK_THAT(error_of_text(with + "data: full" + small + "ftl: {map_unit: 512B}"),
               Contains("use ftl.map_unit of 1KiB or more"));
    CHECK(error_of_text(with + "data: full" + small + "ftl: {map_unit: 1KiB}").empty());
    for (const char* key : {"protection: 1", "extended: true"}) {
        CHECK_THAT(error_of_text(std::string("host: {nvme: {metadata: {") + key + "}}}"),
                   Contains("has no effect") && Contains("use host.nvme.metadata.bytes: 8"));
    }
    // Half of the drive is left to the host: its sectors, and as many beside them.
    const std::string range = "data: full\nworkload: [{range: {size: ";
    const std::uint64_t half = host_bytes(load_text(with + "data: full"));
    CHECK(half * 2 == logical_bytes(load_text("data: full")));
    CHECK(error_of_text(with + range + std::to_string(half) + "B}}]").empty());
    CHECK_THAT(error_of_text(with + range + std::to_string(half + 512) + "B}}]"),
               Contains("and metadata"));
}

TEST_CASE("NVMe features: a stream's class has queues of its own")
{
    const std::string two = "workload: [{priority: high}, {priority: low}]";
    CHECK(refused_when_weighted({}, two).empty());
    CHECK_THAT(refused_when_weighted({}, "workload: [{priority: first}]"), Contains("c.yaml:1:23"));
    CHECK_THAT(refused_when_weighted({"host.nvme.arbitration=round_robin"}, two),
               Contains("c.yaml:1:") && Contains("workload.0.priority: has no effect") &&
                   Contains("use host.nvme.arbitration: weighted_round_robin"));
    const std::string three = "workload: [{priority: high}, {priority: low}, {}]";
    CHECK_THAT(refused_when_weighted({}, three),
               Contains("2 queue pairs for 3 classes of streams") &&
                   Contains("use host.driver.queue_pairs of 3 or more"));
    CHECK(refused_when_weighted({"host.driver.queue_pairs=3"}, three).empty());
    const ssd_config c = load_text("host: {driver: {queue_pairs: 2}, nvme: {arbitration: "
                                   "weighted_round_robin}}\n" +
                                   two);
    CHECK(c.driver.stream_priorities ==
          std::vector<priority_class>{priority_class::high, priority_class::low});
    CHECK_THAT(resolved_yaml(c), Contains("priority: high"));
}

TEST_CASE("the driver's buffers fit the host's memory")
{
    const auto sized = [](const char* entries) {
        return error_of(with_sets({"host.nvme.queue_pairs=8", "host.driver.queue_pairs=8",
                                   "host.nvme.queue_entries=65536",
                                   std::string("host.driver.queue_entries=") + entries}));
    };
    // 32 GiB less 64 MiB, in pieces of 128 KiB and 4,096 + 64 + 16 bytes, for 8 queues.
    constexpr std::uint64_t room = ((32ull << 30) - (64 << 20)) / (131072 + 4096 + 64 + 16) / 8;
    CHECK(sized(std::to_string(room).c_str()).empty());
    CHECK_THAT(sized(std::to_string(room + 1).c_str()),
               Contains("host.driver.queue_entries") &&
                   Contains("use host.driver.queue_entries of at most " + std::to_string(room)));
    CHECK(error_of(with_sets({"host.nvme.queue_entries=65536"})).empty());
    CHECK(error_of(with_sets({"host.nvme.queue_pairs=255", "host.driver.queue_pairs=255",
                              "host.nvme.queue_entries=512"}))
              .empty());
}

} // namespace ssdvp::platform::test
