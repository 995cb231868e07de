// SPDX-License-Identifier: Apache-2.0
//
// Keys of several cores, of their data caches, TLBs and crossbar, and their rules at the edges.
#include "tests/unit/key_case.h"

#include <catch2/catch.hpp>

#include "platform/config/derived.h"

using Catch::Matchers::Contains;

namespace ssdvp::platform::test {

using C = const ssd_config&;

std::vector<key_case> core_cases()
{
    const std::vector<std::string> cached = {"cpu.dcache.size=32KiB"};
    const std::vector<std::string> fetched = {"cpu.icache.size=32KiB"};
    const std::vector<std::string> translated = {"cpu.tlb.entries=16"};
    return {
        {"cpu.cores", "2", [](C c) { return c.cores == 2; }, "10", {}},
        {"cpu.ftl_cores",
         "2",
         [](C c) { return c.ftl_cores == 2 && c.cores == 3; },
         "3",
         {"flash.channels=4"}},
        {"cpu.roles",
         "flash_apart",
         [](C c) { return c.roles == core_roles::flash_apart; },
         "apart",
         {"cpu.cores=2"}},
        {"cpu.dcache.size", "32KiB", [](C c) { return c.cpu.dcache.size == 32768; }, "32000B", {}},
        {"cpu.dcache.ways", "8", [](C c) { return c.cpu.dcache.ways == 8; }, "0", cached},
        {"cpu.dcache.line", "32B", [](C c) { return c.cpu.dcache.line == 32; }, "48B", cached},
        {"cpu.dcache.hit_cycles", "4", [](C c) { return c.cpu.dcache_hit_cycles == 4; }, "x",
         cached},
        {"cpu.icache.size",
         "16KiB",
         [](C c) { return c.cpu.icache.cache.size == 16384; },
         "32000B",
         {}},
        {"cpu.icache.ways", "2", [](C c) { return c.cpu.icache.cache.ways == 2; }, "65", fetched},
        {"cpu.icache.line", "32B", [](C c) { return c.cpu.icache.cache.line == 32; }, "48B",
         fetched},
        {"cpu.icache.memory", "nor",
         [](C c) { return c.cpu.icache.memory == cpu::code_memory::nor; }, "tcm", fetched},
        {"cpu.icache.miss_cycles", "0", [](C c) { return c.cpu.icache.miss_cycles == 0; }, "1001",
         fetched},
        {"interconnect.width", "128", [](C c) { return c.port.width == 128; }, "100", {}},
        {"interconnect.clock",
         "500MHz",
         [](C c) { return c.port.bytes_per_second() == rate(8000000000); },
         "500kHz",
         {"interconnect.width=128"}},
        {"cpu.tlb.entries", "32", [](C c) { return c.cpu.tlb.entries == 32; }, "4097", {}},
        {"cpu.tlb.page_size", "2MiB", [](C c) { return c.cpu.tlb.page_size == 2 << 20; }, "8KiB",
         translated},
        {"cpu.tlb.walk_cycles", "0", [](C c) { return c.cpu.tlb.walk_cycles == 0; }, "100001",
         translated},
    };
}

} // namespace ssdvp::platform::test

using namespace ssdvp::platform;
using namespace ssdvp::platform::test;

TEST_CASE("cores: roles by default, and no others than there are cores for")
{
    const auto roles = [](const std::vector<std::string>& sets) {
        return load(with_sets(sets)).roles;
    };
    CHECK(roles({}) == core_roles::together);
    CHECK(roles({"cpu.cores=2"}) == core_roles::host_apart);
    CHECK(roles({"cpu.cores=3"}) == core_roles::each_apart);
    CHECK(roles({"cpu.cores=2", "cpu.roles=ftl_apart"}) == core_roles::ftl_apart);
    CHECK_THAT(error_of(with_sets({"cpu.roles=host_apart"})),
               Contains("cpu.roles: takes 2 cores, and cpu.cores is 1") &&
                   Contains("use cpu.cores: 2"));
    CHECK_THAT(error_of(with_sets({"cpu.roles=together", "cpu.cores=3"})),
               Contains("takes 1 cores, and cpu.cores is 3") && Contains("use cpu.cores: 1"));
    CHECK_THAT(error_of(with_sets({"cpu.cores=4"})),
               Contains("takes 3 cores, and cpu.cores is 4") && Contains("use cpu.cores: 3"));
    CHECK_THAT(error_of(with_sets({"cpu.cores=10"})), Contains("out of range"));
    CHECK_THAT(error_of(with_sets({"cpu.cores=0"})), Contains("out of range"));
}

TEST_CASE("cores: a data cache has a power of two of sets")
{
    CHECK(error_of(with_sets({"cpu.dcache.size=48KiB", "cpu.dcache.ways=3"})).empty());
    CHECK(error_of(with_sets({"cpu.dcache.size=1KiB", "cpu.dcache.ways=16"})).empty());
    CHECK_THAT(error_of(with_sets({"cpu.dcache.size=48KiB"})),
               Contains("no power of two of sets") && Contains("cpu.dcache.ways"));
    CHECK_THAT(error_of(with_sets({"cpu.dcache.size=1KiB", "cpu.dcache.ways=32"})),
               Contains("no power of two of sets")); // half a set
}

TEST_CASE("cores: what a data cache would have is refused without one")
{
    for (const char* set :
         {"cpu.dcache.ways=2", "cpu.dcache.line=32B", "cpu.dcache.hit_cycles=2"}) {
        CHECK_THAT(error_of(with_sets({set})), Contains("only when cpu.dcache.size is not 0") &&
                                                   Contains("give cpu.dcache.size"));
    }
    CHECK(resolved_yaml(load({})).find("dcache.ways") == std::string::npos);
}

TEST_CASE("cores: an instruction cache has a power of two of sets, and instructions to hold")
{
    CHECK(error_of(with_sets({"cpu.icache.size=48KiB", "cpu.icache.ways=3"})).empty());
    CHECK_THAT(error_of(with_sets({"cpu.icache.size=48KiB"})),
               Contains("no power of two of sets") && Contains("cpu.icache.ways"));
    for (const char* set : {"cpu.icache.ways=2", "cpu.icache.line=32B", "cpu.icache.memory=sram",
                            "cpu.icache.miss_cycles=2"}) {
        CHECK_THAT(error_of(with_sets({set})), Contains("only when cpu.icache.size is not 0") &&
                                                   Contains("give cpu.icache.size"));
    }
    CHECK_THAT(error_of(with_sets({"cpu.core=flat", "cpu.icache.size=32KiB"})),
               Contains("only when cpu.core is not flat"));
    CHECK(resolved_yaml(load({})).find("icache.ways") == std::string::npos);
}

TEST_CASE("cores: what a TLB would have is refused without one")
{
    for (const char* set : {"cpu.tlb.page_size=64KiB", "cpu.tlb.walk_cycles=2"}) {
        CHECK_THAT(error_of(with_sets({set})), Contains("only when cpu.tlb.entries is not 0") &&
                                                   Contains("give cpu.tlb.entries"));
    }
    CHECK(resolved_yaml(load({})).find("tlb.walk_cycles") == std::string::npos);
}

TEST_CASE("cores: a crossbar whose transfers take no time has no clock")
{
    CHECK_THAT(error_of(with_sets({"interconnect.clock=2GHz"})),
               Contains("only when interconnect.width is not 0") &&
                   Contains("give interconnect.width"));
}

TEST_CASE("cores: mailboxes take SRAM, and a drive with too little is refused")
{
    const auto needed = [](const char* cores) {
        return sram_bytes_needed(load(with_sets({std::string("cpu.cores=") + cores})));
    };
    CHECK(needed("1") < needed("2"));
    CHECK(needed("2") < needed("3"));
}
