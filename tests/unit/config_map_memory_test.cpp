// SPDX-License-Identifier: Apache-2.0
//
// Keys of the map's memory: SRAM and what the host lends.
#include <catch2/catch.hpp>

#include "models/regs/boot_params.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "tests/unit/key_case.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

namespace {

std::vector<std::string> lending(std::vector<std::string> more = {})
{
    more.insert(more.end(), {"ftl.scheme=dftl", "ftl.map_memory=hmb"});
    return more;
}

std::string refused_memory(std::vector<std::string> more)
{
    return error_of(with_sets(lending(std::move(more))));
}

ssd_config loaded(const std::vector<std::string>& sets)
{
    return load(with_sets(sets));
}

} // namespace

std::vector<key_case> map_memory_cases()
{
    return {
        {"ftl.map_memory",
         "sram",
         [](C c) { return c.ftl.memory == map_memory::sram; },
         "flash",
         {"ftl.scheme=dftl"}},
        {"ftl.hmb.preferred", "1MiB", [](C c) { return c.ftl.hmb.preferred == 1 << 20; }, "1KiB",
         lending()},
        {"ftl.hmb.minimum", "32KiB", [](C c) { return c.ftl.hmb.minimum == 32 << 10; }, "-1",
         lending()},
        {"host.nvme.hmb.size", "2MiB", [](C c) { return c.driver.hmb.size == 2 << 20; }, "17GiB",
         lending()},
        {"host.nvme.hmb.chunk", "64KiB", [](C c) { return c.driver.hmb.chunk == 64 << 10; }, "1KiB",
         lending()},
        {"host.nvme.hmb.away", "3ms", [](C c) { return c.driver.hmb.away.ns() == 3000000; }, "-1s",
         lending()},
        {"host.nvme.hmb.back", "4ms", [](C c) { return c.driver.hmb.back.ns() == 4000000; }, "-1s",
         lending({"host.nvme.hmb.away=1ms"})},
        {"host.nvme.hmb.overwrite", "5ms",
         [](C c) { return c.driver.hmb.overwrite.ns() == 5000000; }, "-1s", lending()},
    };
}

TEST_CASE("map memory: SRAM is shared between rings and the map, in two windows")
{
    const ssd_config dram = loaded({"ftl.scheme=dftl"});
    const ssd_config sram = loaded({"ftl.scheme=dftl", "ftl.map_memory=sram"});
    CHECK(dram.dram.on_chip_size == 0);
    CHECK(make_boot_params(dram).map.memory == BOOT_MAP_DRAM);
    const boot_params p = make_boot_params(sram);
    CHECK(p.map.memory == BOOT_MAP_SRAM);
    CHECK(p.map.bank >= sram.ftl.map_cache);
    CHECK(p.map.bank == sram.dram.on_chip_size);
    CHECK(p.sram_size + p.map.bank == sram.sram_size);
    CHECK(p.dram_size == sram.dram.capacity + p.map.bank - service_buffer_size);
    CHECK(p.map.preferred == 0);
    CHECK_FALSE(has_host_buffer(sram));
}

TEST_CASE("map memory: what does not fit into SRAM is refused by its name")
{
    const std::string error = error_of(with_sets(
        {"ftl.scheme=dftl", "ftl.map_memory=sram", "ftl.map_cache=1MiB", "sram.capacity=1MiB"}));
    CHECK_THAT(error, Contains("sram.capacity"));
    CHECK_THAT(error, Contains("map 1") && Contains("by ftl.map_cache 1MiB"));
    CHECK(error_of(with_sets({"ftl.scheme=dftl", "ftl.map_cache=1MiB", "sram.capacity=1MiB"}))
              .empty());
}

TEST_CASE("map share: ftl.map_cache is what the share takes, and says what it holds")
{
    const ssd_config quarter = loaded({"ftl.scheme=dftl", "ftl.map_share=0.25"});
    CHECK(quarter.ftl.map_cache == (user_units(quarter) + 3) / 4 * 48);
    CHECK(map_share_held(quarter) == Approx(0.25).epsilon(1e-4));
    // A quarter of the map's bytes holds 1/48 of it: entries take 48 bytes, and 4 in the map.
    ssd_config bytes = quarter;
    bytes.ftl.map_cache = whole_map_bytes(quarter) / 4;
    CHECK(map_share_held(bytes) == Approx(1.0 / 48).epsilon(1e-3));
    const ssd_config pages = loaded({"ftl.scheme=log_set", "ftl.map_share=0.5"});
    CHECK(map_share_held(pages) == Approx(0.5).epsilon(0.05));
    CHECK(map_share_held(loaded({"ftl.scheme=log_set", "ftl.map_share=1"})) == 1.0);
    CHECK(map_share_held(loaded({"ftl.scheme=vm_map", "ftl.map_share=1"})) == 1.0);
    const ssd_config least = loaded({"ftl.scheme=dftl", "ftl.map_share=0.0000001"});
    CHECK(least.ftl.map_cache == map_cache_least(least));
    CHECK_THAT(error_of(with_sets({"ftl.scheme=dftl", "ftl.map_share=0.5", "ftl.map_cache=1MiB"})),
               Contains("ftl.map_share: it asks for ") && Contains("give one of both"));
    CHECK_THAT(error_of(with_sets({"ftl.map_share=0.5"})),
               Contains("ftl.map_share: has no effect"));
}

TEST_CASE("map memory: what a host memory buffer needs")
{
    CHECK_THAT(error_of(with_sets({"ftl.map_memory=hmb"})),
               Contains("ftl.map_memory") && Contains("none is cached"));
    CHECK(error_of(with_sets({"ftl.scheme=vm_map", "ftl.map_memory=hmb"})).empty());
    CHECK_THAT(refused_memory({"host.interface=sata"}), Contains("SATA"));
    CHECK(refused_memory({"cpu.cores=3", "cpu.roles=each_apart"}).empty());
    CHECK_THAT(refused_memory({"ftl.hmb.minimum=2MiB", "ftl.hmb.preferred=1MiB"}),
               Contains("ftl.hmb.minimum"));
    CHECK_THAT(refused_memory({"ftl.hmb.minimum=2MiB", "host.nvme.hmb.size=1MiB"}),
               Contains("host.nvme.hmb.size") && Contains("HMMIN"));
    CHECK_THAT(refused_memory({"host.nvme.hmb.chunk=6KiB"}), Contains("multiple of 4KiB"));
    CHECK_THAT(refused_memory({"host.nvme.hmb.chunk=4KiB", "ftl.map_unit=8KiB"}),
               Contains("HMMINDS"));
    CHECK(refused_memory({"host.nvme.hmb.size=0B"}).empty());
    CHECK_THAT(error_of(with_sets({"ftl.scheme=dftl", "host.nvme.hmb.size=1MiB"})),
               Contains("ftl.map_memory is hmb"));
}

} // namespace ssdvp::platform::test
