// SPDX-License-Identifier: Apache-2.0
//
// Keys of zoned namespaces, and what they need of each other and of the drive.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "models/regs/parts/zones.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

namespace {

const std::string reads = "workload.0.read_fraction=1"; // writes have rules of their own
const std::vector<std::string> zoned = {"host.nvme.zns.zone_size=256MiB", reads};

std::string refused_when_zoned(std::vector<std::string> sets)
{
    sets.insert(sets.begin(), zoned.begin(), zoned.end());
    return error_of(with_sets(sets));
}

} // namespace

std::vector<key_case> zone_cases()
{
    return {
        {"host.nvme.zns.zone_size",
         "256MiB",
         [](C c) { return c.zones->size == 256 << 20; },
         "5000",
         {reads}},
        {"host.nvme.zns.zone_capacity", "60MiB", [](C c) { return c.zones->capacity == 60 << 20; },
         "5000", zoned},
        {"host.nvme.zns.max_open", "1024", [](C c) { return c.zones->open == 1024; }, "1025",
         zoned},
        {"host.nvme.zns.max_active",
         "14",
         [](C c) { return c.zones->active == 14; },
         "1025",
         {"host.nvme.zns.zone_size=256MiB", reads, "host.nvme.zns.max_open=14"}},
        {"host.nvme.zns.read_across", "false", [](C c) { return !c.zones->read_across; }, "1",
         zoned},
    };
}

TEST_CASE("zones: a guest brings requests of its own, so no default workload is in its way")
{
    config_sources s = with_sets({"host.nvme.zns.zone_size=256MiB"});
    CHECK_THAT(error_of(s), Contains("workload.0"));
    s.guest = true;
    CHECK(resolve(s).config.zones->size == 256 << 20);
}

TEST_CASE("zones: by default there are none, and a resolved configuration does not name them")
{
    const ssd_config c = load_text("name: x");
    CHECK(c.zones->size == 0);
    CHECK(resolved_yaml(c).find("zns:") == std::string::npos);
    const ssd_config z = load_text("host: {nvme: {zns: {zone_size: 256MiB}}}\nworkload: [{}]");
    CHECK(z.zones->capacity == z.zones->size);
    CHECK(z.zones->read_across);
    CHECK_THAT(resolved_yaml(z), Contains("zone_size: 256MiB"));
}

TEST_CASE("zones: what would have no effect, or cannot be, is refused, with what to change")
{
    CHECK(refused_when_zoned({}) == "");
    CHECK_THAT(error_of_text("host: {nvme: {zns: {max_open: 4}}}"),
               Contains("c.yaml:1:") && Contains("zone_size is not 0"));
    CHECK(refused_when_zoned({"host.nvme.zns.zone_capacity=256MiB"}).empty());
    CHECK_THAT(refused_when_zoned({"host.nvme.zns.zone_capacity=262148KiB"}),
               Contains("more than a zone of 256MiB"));
    CHECK(refused_when_zoned({"host.nvme.zns.max_open=4", "host.nvme.zns.max_active=4"}).empty());
    CHECK_THAT(refused_when_zoned({"host.nvme.zns.max_open=5", "host.nvme.zns.max_active=4"}),
               Contains("max_open of 1 to 4"));
    CHECK_THAT(refused_when_zoned({"host.nvme.zns.max_active=4"}), Contains("max_open of 1 to 4"));
    CHECK_THAT(refused_when_zoned({"ftl.trim=false"}), Contains("use ftl.trim: true"));
    CHECK_THAT(refused_when_zoned({"ftl.map_unit=8KiB"}),
               Contains("use ftl.map_unit of 4KiB or less"));
}

TEST_CASE("zones: a drive has one at least, and 1024 at most")
{
    const ssd_config c = load_text("name: x");
    const std::uint64_t blocks = user_units(c) * c.ftl.map_unit / 4096;
    const auto sized = [](std::uint64_t size) {
        return error_of(with_sets({fmt::format("host.nvme.zns.zone_size={}KiB", size * 4), reads}));
    };
    CHECK(sized(blocks) == "");
    CHECK_THAT(sized(blocks + 1), Contains("has no such zone"));
    const std::uint64_t least = blocks / 1025 + 1;
    CHECK(sized(least) == "");
    CHECK_THAT(sized(least - 1), Contains("more than a drive has"));
}

TEST_CASE("zones: streams that write do it in order, in whole zones, whatever the queues")
{
    const auto with = [](const std::string& stream, const std::string& more = "") {
        return error_of_text("host: {nvme: {zns: {zone_size: 256MiB}}" + more + "}\nworkload: [" +
                             stream + "]");
    };
    const std::string good = "{pattern: sequential, read_fraction: 0, block_size: 128KiB";
    CHECK(with(good + "}") == "");
    CHECK(with("{}") == ""); // reads
    CHECK_THAT(with("{pattern: sequential, read_fraction: 0.5}"), Contains("workload.0.pattern"));
    CHECK_THAT(with("{read_fraction: 0}"), Contains("use pattern: sequential"));
    CHECK_THAT(with("{block_size: 512B}"), Contains("multiples of 4KiB"));
    CHECK_THAT(with("{trim_fraction: 0.1}"), Contains("only a reset"));
    CHECK_THAT(with(good + ", range: {start: 128MiB}}"), Contains("whole zones of 256MiB"));
    CHECK(with(good + ", range: {size: 1GiB}}, " + good + ", range: {start: 1GiB}}") == "");
    CHECK_THAT(with(good + ", range: {size: 1GiB}}, " + good + ", range: {start: 768MiB}}"),
               Contains("stream 0 writes the same zones"));
    CHECK(with(good + "}", ", driver: {queue_pairs: 4}") == "");
}

} // namespace ssdvp::platform::test
