// SPDX-License-Identifier: Apache-2.0
//
// Values of presets beside another part: they give way, and are named; those of a user do not.
#include <catch2/catch.hpp>

#include "platform/config/derived.h"
#include "platform/config/parts/cache.h"
#include "tests/unit/config_support.h"

namespace ssdvp::platform::test {
namespace {

using Catch::Contains;

config_sources merged(std::vector<std::string> files, std::vector<std::string> sets = {})
{
    config_sources s = with_sets(std::move(sets));
    s.files = std::move(files);
    return s;
}

std::string from(const resolved_config& r, const std::string& key)
{
    for (const resolved_key& k : r.keys) {
        if (k.key == key) {
            return k.from;
        }
    }
    return "absent";
}

} // namespace

TEST_CASE("preset fit: the rate of a preset is lowered to what the part takes, or raised")
{
    const resolved_config r = resolve(merged({"device/small", "nand/slc-2d"}));
    CHECK(r.config.channel.bus.transfer_rate.per_second() == 50000000);
    REQUIRE(r.idle.size() == 1);
    CHECK_THAT(r.idle[0],
               Contains("small.yaml:18:11: nand.interface.rate: 667MT/s of the preset is "
                        "lowered to 50MT/s: nand.interface.mode sdr5 (") &&
                   Contains("slc-2d.yaml:26:11) takes no more"));
    CHECK_THAT(from(r, "nand.interface.rate"), Contains("small.yaml:18:11, fitted"));
    // Beside a mode of a user as well; and no further than needed.
    const auto with_mode = [](const char* mode) {
        return load(merged({"device/small"}, {std::string("nand.interface.mode=") + mode}))
            .channel.bus.transfer_rate.per_second();
    };
    CHECK(with_mode("nv_ddr2") == 534000000);
    CHECK(with_mode("nv_lpddr4") == 667000000);
    const scratch dir;
    config_sources slow = merged({"device/d"}, {"nand.interface.mode=nv_ddr3"});
    slow.configs_dir = dir.path();
    dir.write("device/d.yaml", "nand: {interface: {mode: sdr0, rate: 10MT/s}}\n");
    CHECK_THAT(resolve(slow).idle.at(0), Contains("is raised to 66MT/s"));
}

TEST_CASE("preset fit: the spare area of a preset is lowered to what a smaller page has")
{
    const resolved_config r = resolve(merged({"nand/tlc-3d"}, {"nand.page_size=4KiB"}));
    CHECK(r.config.channel.die.geo.oob_size == 552);
    CHECK_THAT(r.idle.at(0), Contains("tlc-3d.yaml:8:13: nand.oob_size: 2208B of the preset is "
                                      "lowered to 552B: nand.page_size 4KiB (") &&
                                 Contains("has no more"));
    const auto spare = [](std::vector<std::string> sets) {
        return load(merged({"nand/tlc-3d"}, std::move(sets))).channel.die.geo.oob_size;
    };
    CHECK(spare({}) == 2208);
    CHECK(spare({"nand.page_size=8KiB"}) == 1104);
    CHECK(spare({"nand.page_size=32KiB"}) == 2208);
    CHECK(spare({"nand.page_size=4KiB", "nand.oob_size=2KiB"}) == 2048); // a user's stays
    CHECK(load(merged({"nand/slc-2d"})).channel.die.geo.oob_size == 64);
    CHECK(load(with_sets({"nand.page_size=512B"})).channel.die.geo.oob_size == 69);
}

TEST_CASE("preset fit: buffer and DRAM of a preset grow with the part")
{
    const resolved_config r = resolve(merged({"device/tiny", "nand/qlc-3d"}));
    CHECK(r.config.cache->capacity == buffer_bytes_needed(r.config));
    CHECK(r.config.dram.capacity >= dram_bytes_needed(r.config));
    CHECK(r.config.dram.capacity < dram_bytes_needed(r.config) + (1u << 20));
    REQUIRE(r.idle.size() == 2);
    CHECK_THAT(r.idle[0],
               Contains("tiny.yaml:28:13: cache.capacity: 4KiB of the preset is raised to "
                        "256KiB: 4 write units of nand.page_size 16KiB ("));
    CHECK_THAT(r.idle[1],
               Contains("tiny.yaml:23:13: dram.capacity: 16MiB of the preset is raised to ") &&
                   Contains("map ") && Contains("MiB by ftl.map_unit 4KiB"));
    // A drive whose buffer is off has none to grow.
    CHECK(load(merged({"device/tiny", "nand/qlc-3d"}, {"cache.policy=none"})).cache->capacity == 0);
    // Of SRAM too, by the channels of a user.
    const resolved_config wide =
        resolve(merged({"device/nvme-tlc"}, {"flash.channels=64", "dram.capacity=64GiB"}));
    CHECK(wide.config.sram_size >= sram_bytes_needed(wide.config));
    CHECK(wide.config.sram_size < sram_bytes_needed(wide.config) + 4096);
    CHECK_THAT(wide.idle.at(0), Contains("sram.capacity: 4MiB of the preset is raised to ") &&
                                    Contains("by host.nvme.slots 512"));
}

TEST_CASE(
    "preset fit: for keys of a user a memory does not grow by a factor, but says who needs it")
{
    const auto of = [](std::vector<std::string> sets) {
        return error_of(merged({"device/nvme-tlc"}, std::move(sets)));
    };
    CHECK_THAT(of({"ftl.scheme=dftl", "ftl.map_memory=hmb"}),
               Contains("nvme-tlc.yaml:31:13: sram.capacity: sram.capacity 4MiB (") &&
                   Contains("is too small: map 14") && Contains("KiB by ftl.map_cache "));
    CHECK_THAT(of({"flash.channels=17"}),
               Contains("nvme-tlc.yaml:25:13: dram.capacity: dram.capacity 4GiB (") &&
                   Contains("map ") && Contains("MiB by ftl.map_unit 4KiB"));
    // Less than that is as little as is needed.
    const ssd_config c = load(merged({"device/nvme-tlc"}, {"flash.channels=15"}));
    CHECK(c.dram.capacity > 4ull << 30);
    CHECK(c.dram.capacity < dram_bytes_needed(c) + (1u << 20));
    // Another part, and a smaller memory of one's own.
    CHECK(error_of(merged({"device/sata-mlc", "nand/qlc-3d"})).empty());
    CHECK(of({"ftl.scheme=dftl", "ftl.map_memory=hmb", "ftl.map_cache=1MiB"}).empty());
}

TEST_CASE("preset fit: what a user gives is refused, not changed")
{
    CHECK_THAT(error_of(merged({"device/small", "nand/slc-2d"}, {"nand.interface.rate=667MT/s"})),
               Contains("667MT/s is not legal with nand.interface.mode sdr5"));
    CHECK_THAT(error_of(merged({"device/small", "nand/tlc-3d"}, {"dram.capacity=64MiB"})),
               Contains("is too small"));
    const scratch dir; // nor what a file of his says
    const std::string own = dir.write("own.yaml", "extends: device/small\n"
                                                  "dram: {capacity: 64MiB}\n");
    CHECK_THAT(error_of(merged({own, "nand/tlc-3d"})), Contains("own.yaml:2:18: dram.capacity"));
}

TEST_CASE("preset fit: a fitted configuration, written down, is the same without a notice")
{
    const scratch dir;
    const ssd_config c = load(merged({"device/tiny", "nand/slc-2d"}));
    const std::string file = dir.write("resolved.yaml", resolved_yaml(c));
    CHECK(resolved_yaml(load(merged({file}))) == resolved_yaml(c));
    CHECK(resolve(merged({file})).idle.empty());
}

TEST_CASE("preset fit: defaults do not clash")
{
    // The default workload has a queue depth, which a rate makes idle.
    for (const char* key : {"workload.0.rate=1000/s", "workload.rate=1000/s"}) {
        CHECK(error_of(merged({"device/small"}, {key})).empty());
    }
    CHECK_THAT(
        error_of(merged({"device/small"}, {"workload.rate=1000/s", "workload.queue_depth=16"})),
        Contains("queue_depth: has no effect: it is used only when rate is not given"));
    CHECK(load(with_sets({})).sram_size == 4u << 20);
    const ssd_config wide = load(with_sets({"flash.channels=64"}));
    CHECK(wide.sram_size >= sram_bytes_needed(wide));
    CHECK(wide.sram_size / 2 < sram_bytes_needed(wide));
}

} // namespace ssdvp::platform::test
