// SPDX-License-Identifier: Apache-2.0
//
// Drives whose FTL runs on several cores: whose a unit is, what a partition is told, what the whole
// needs, and what is refused.
#include <catch2/catch.hpp>
#include <numeric>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/config/partition.h"
#include "tests/unit/refusals.h"

namespace config_partitions_test {

using Catch::Matchers::Contains;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

namespace {

using texts = std::vector<std::string>;

texts divided(const texts& more)
{
    texts sets = {"cpu.ftl_cores=4", "flash.channels=8"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("partitions: units go to them in turn, a stripe each")
{
    const partition_map map(4, 16);
    struct {
        std::uint64_t unit;
        std::uint32_t partition;
        std::uint64_t local;
    } const worked[] = {{0, 0, 0},   {15, 0, 15}, {16, 1, 0},   {63, 3, 15},
                        {64, 0, 16}, {79, 0, 31}, {100, 2, 20}, {1023, 3, 255}};
    for (const auto& w : worked) {
        INFO(w.unit);
        CHECK(map.local(w.unit).partition == w.partition);
        CHECK(map.local(w.unit).unit == w.local);
        CHECK(map.global({w.partition, w.local}) == w.unit);
    }
    // Of the first 100 a whole turn of 64, then 16 and 16 more and 4 of the third one's.
    CHECK(map.share(0, 100) == 32);
    CHECK(map.share(1, 100) == 32);
    CHECK(map.share(2, 100) == 20);
    CHECK(map.share(3, 100) == 16);
    const partition_map one(1, 16);
    CHECK(one.local(100).unit == 100);
    CHECK(one.global({0, 100}) == 100);
    CHECK(one.share(0, 100) == 100);
}

TEST_CASE("partitions: each is told of its own channels, memories and addresses")
{
    const ssd_config c =
        accepted(divided({"cache.capacity=32MiB", "ftl.checkpoint_interval=64MiB"}));
    for (std::uint32_t i = 0; i < 4; ++i) {
        const boot_params p = make_boot_params(c, i);
        CHECK(p.partition.count == 4);
        CHECK(p.partition.index == i);
        CHECK(p.partition.stripe_shift == 8); // 128 KiB of 512 B
        CHECK(p.partition.channel == 2 * i);
        CHECK(p.partition.sram == i * p.sram_size);
        CHECK(p.partition.dram == i * p.dram_size);
        CHECK(p.geometry.channels == 2);
        CHECK(p.cache.capacity == 8 << 20);
        CHECK(p.map.checkpoint_units == 4096);
        CHECK(p.ftl.user_units * 4 == user_units(c));
        CHECK(p.ftl.user_units % 32 == 0);
        CHECK(p.cores.count == 5);
        CHECK(p.cores.roles[0] == BOOT_ROLE_HOST);
        CHECK(p.cores.roles[1 + i] == (BOOT_ROLE_FTL | BOOT_ROLE_FLASH));
    }
    const boot_params last = make_boot_params(c, 3);
    CHECK(last.sram_size % 4096 == 0);
    CHECK(last.dram_size % 4096 == 0);
    CHECK(last.partition.sram + last.sram_size <= sram_window(c));
    CHECK(last.partition.dram + last.dram_size <= service_buffer(c));
}

TEST_CASE("partitions: without them a drive is told what it was")
{
    const ssd_config c = accepted({});
    const boot_params p = make_boot_params(c);
    CHECK(p.partition.count == 0);
    CHECK(p.partition.stripe_shift == 0);
    CHECK(p.sram_size == sram_window(c));
    CHECK(p.dram_size == service_buffer(c));
    CHECK(p.ftl.user_units == user_units(c));
    CHECK(p.cores.count == 1);
}

TEST_CASE("partitions: the drive has what they have together")
{
    const ssd_config one = accepted({"flash.channels=8"});
    const ssd_config c = accepted(divided({}));
    CHECK(c.cores == 5);
    CHECK(c.roles == core_roles::host_apart);
    CHECK(physical_units(c) == physical_units(one));
    CHECK(superblocks(c) == 4 * superblocks(one));
    CHECK(superblock_units(c) * 4 == superblock_units(one));
    CHECK(user_units(c) <= user_units(one));
    CHECK(user_units(c) + 4 * 33 > user_units(one)); // each is rounded to stripes of 32 units
    CHECK(user_units(c) == 4 * make_boot_params(c).ftl.user_units);
    CHECK(map_cache_least(accepted(divided({"ftl.scheme=dftl"}))) ==
          4 * map_cache_least(accepted({"ftl.scheme=dftl", "flash.channels=8"})));
    const ssd_config cached = accepted(
        divided({"ftl.slc_cache.static=1MiB", "ftl.over_provisioning=0.2", "nand.slc_mode.tR=20us",
                 "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=2ms", "nand.cell=tlc"}));
    CHECK(slc_superblocks(cached) % 4 == 0);
    CHECK(make_boot_params(cached).slc.fixed * 4 == slc_superblocks(cached));
}

TEST_CASE("partitions: memories hold a part for each")
{
    const ssd_config c = accepted(divided({}));
    CHECK(sram_bytes_needed(c) % (4 * 4096) == 0);
    CHECK((dram_bytes_needed(c) - service_buffer_size) % (4 * 4096) == 0);
    CHECK(sram_bytes_needed(c) > sram_bytes_needed(accepted({"flash.channels=8"})));
    const std::uint64_t pages = sram_bytes_needed(c) / 4096;
    const auto sram = [](std::uint64_t n) {
        return divided({"sram.capacity=" + std::to_string(n * 4) + "KiB"});
    };
    CHECK(refused(sram(pages)).empty());
    CHECK_THAT(refused(sram(pages - 1)), Contains("sram.capacity") && Contains("too small"));
    CHECK_THAT(refused(divided({"cache.capacity=64KiB"})),
               Contains("cache.capacity") && Contains("16 write units"));
}

TEST_CASE("partitions: what several FTLs behind one stream of commands cannot do is refused")
{
    struct {
        texts sets;
        const char* reason;
        const char* remedy;
    } const cases[] = {
        {{"flash.channels=6"}, "do not divide flash.channels 6", "multiple of 4"},
        {{"flash.channels=64"}, "flash.channels 64", "flash.channels: 32"},
        {{"host.interface=sata"}, "NVMe front end", "host.interface: nvme"},
        {{"ftl.scheme=vm_map"}, "page_map and dftl", "cpu.ftl_cores: 1"},
        {{"ftl.stripe=block"}, "superblocks over its channels", "ftl.stripe: drive"},
        {{"ftl.placement=round_robin"}, "superblocks over its channels", "ftl.placement: stripe"},
        {{"ftl.scheme=dftl", "ftl.map_memory=sram"}, "in one piece", "ftl.map_memory: dram"},
        {{"ftl.scheme=dftl", "ftl.map_memory=hmb"}, "in one piece", "ftl.map_memory: dram"},
        {{"host.nvme.lookup=true"}, "look-up engine reads one map", "host.nvme.lookup: false"},
        {{"host.nvme.zns.zone_size=64MiB"}, "write pointer", "zone_size out"},
        {{"host.nvme.metadata.bytes=8", "data=full"}, "formats", "host.nvme.metadata.bytes: 0"},
        {{"ftl.streams=4"}, "streams of the host", "ftl.streams: 0"},
        {{"thermal.model=rc"}, "throttling", "thermal.model: off"},
        {{"power.states.max_power=5"}, "power states", "power.states.max_power out"},
        {{"write.mode=shallow"}, "parts of them", "write.mode: normal"},
    };
    for (const auto& c : cases) {
        INFO(c.sets.back());
        const std::string error = refused(divided(c.sets));
        CHECK_THAT(error, Contains("cpu.ftl_cores") && Contains(c.reason) && Contains(c.remedy));
    }
    CHECK_THAT(refused(divided({"cpu.cores=4"})),
               Contains("cpu.cores: 4, but") && Contains("use cpu.cores: 5"));
    CHECK_THAT(refused(divided({"cpu.roles=flash_apart"})),
               Contains("cpu.roles") && Contains("host_apart"));
    CHECK(refused(divided({"cpu.cores=5", "cpu.roles=host_apart"})).empty());
    CHECK(refused(divided({"ftl.scheme=dftl"})).empty());
}

} // namespace config_partitions_test
