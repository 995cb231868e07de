// SPDX-License-Identifier: Apache-2.0
//
// Keys that are each legal and cannot be combined; and what follows from a configuration.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "tests/unit/refusals.h"

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using namespace ssdvp::literals;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// One channel, one LUN, one plane, 100 superblocks of 10 units.
std::vector<std::string> small_drive(std::vector<std::string> more)
{
    std::vector<std::string> sets = {
        "nand.page_size=4KiB",       "nand.oob_size=64B", "nand.pages_per_block=10",
        "nand.blocks_per_plane=100", "nand.planes=1",     "flash.channels=1",
        "flash.luns_per_channel=1",  "cache.policy=none"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("config rules: erase times")
{
    const auto& e = accepted({"nand.tBERS=15ms", "flash.erase.loops=3"}).channel.die.erase;
    CHECK(e.loop_time == 5_ms);
    CHECK(accepted({"nand.tBERS=10ms", "flash.erase.loops=3"}).channel.die.erase.loop_time ==
          sim_time(3'333'333'334)); // rounded up to a whole picosecond
    CHECK(accepted({"flash.erase.loop_time=2ms", "flash.erase.loops=3"})
              .channel.die.erase.loop_time == 2_ms);
    CHECK(accepted({"nand.tBERS=6ms", "flash.erase.loop_time=2ms", "flash.erase.loops=3"})
              .channel.die.erase.loops == 3);
    CHECK(refused({"nand.tBERS=7ms", "flash.erase.loop_time=2ms", "flash.erase.loops=3"}) ==
          "--set flash.erase.loop_time=2ms: flash.erase.loop_time: 3 loops of 2ms make 6ms, but "
          "nand.tBERS is 7ms (--set nand.tBERS=7ms); give one of the two, with `default` for the "
          "other");
}

TEST_CASE("config rules: suspending an erase needs an arbiter that lets reads overtake")
{
    CHECK(refused({"flash.suspend.policy=immediate"}).empty()); // out_of_order is the default
    CHECK(refused({"flash.arbiter=sequential", "flash.suspend.policy=none"}).empty());
    CHECK(refused({"flash.arbiter=sequential", "flash.suspend.policy=immediate"}) ==
          "--set flash.suspend.policy=immediate: flash.suspend.policy: suspending an erase breaks "
          "the order that flash.arbiter sequential (--set flash.arbiter=sequential) keeps; use "
          "flash.arbiter: out_of_order, or flash.suspend.policy: none");
    CHECK_FALSE(refused({"flash.arbiter=interleaved", "flash.suspend.policy=immediate"}).empty());
}

TEST_CASE("config rules: sharing command sequences needs an arbiter that lets operations overtake")
{
    CHECK(refused({"flash.join_planes=true", "flash.use_cache=true"}).empty());
    CHECK(refused({"flash.arbiter=priorities", "flash.use_cache=true"}).empty());
    CHECK(refused({"flash.arbiter=sequential", "flash.use_cache=true"}) ==
          "--set flash.use_cache=true: flash.use_cache: operations that share a command sequence "
          "break the order that flash.arbiter sequential (--set flash.arbiter=sequential) keeps; "
          "use flash.arbiter: out_of_order, or flash.use_cache: false");
    CHECK_FALSE(refused({"flash.arbiter=interleaved", "flash.join_planes=true"}).empty());
}

TEST_CASE("config rules: program modes that the part has")
{
    CHECK(refused({"write.mode=shallow", "nand.shallow.tPROG=300us"}).empty());
    CHECK(refused({"write.mode=shallow"}) ==
          "--set write.mode=shallow: write.mode: the part has no shallow program; give "
          "nand.shallow.tPROG or nand.shallow.speed_up");
    CHECK_THAT(refused({"write.mode=shallow", "nand.shallow.tPROG=300us", "nand.one_pass=true"}),
               Contains("use write.mode: normal, or nand.one_pass: false"));
    CHECK(refused({"nand.one_pass=true", "nand.tPROG_word_line=2ms"}).empty());
    CHECK_THAT(refused({"nand.one_pass=true", "nand.page_order=any"}),
               Contains("use nand.page_order: sequential, or nand.one_pass: false"));
    CHECK(refused({"nand.tPROG_word_line=2ms"}) ==
          "--set nand.tPROG_word_line=2ms: nand.tPROG_word_line: the part programs page by page; "
          "use nand.one_pass: true");
    CHECK_THAT(refused({"nand.slc_mode.tR=20us"}),
               Contains("give nand.slc_mode.tR, tPROG and tBERS, or none of them"));
    CHECK(refused({"nand.slc_mode.tR=20us", "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms"})
              .empty());
}

TEST_CASE("config rules: a drive in SLC mode")
{
    const auto with = [](std::vector<std::string> more) {
        std::vector<std::string> sets = {"write.mode=slc", "nand.slc_mode.tR=20us",
                                         "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms"};
        sets.insert(sets.end(), more.begin(), more.end());
        return sets;
    };
    CHECK(refused(with({})).empty());
    CHECK(refused({"write.mode=slc"}) ==
          "--set write.mode=slc: write.mode: the part has no SLC mode; give nand.slc_mode.tR, "
          "nand.slc_mode.tPROG and nand.slc_mode.tBERS");
    CHECK(refused(with({"nand.cell=slc"})) ==
          "--set write.mode=slc: write.mode: cells of one bit have no other mode: nand.cell slc "
          "(--set nand.cell=slc); use write.mode: normal");
    CHECK_THAT(refused(with({"nand.one_pass=true"})),
               Contains("use write.mode: normal, or nand.one_pass: false"));
    CHECK(refused(with({"nand.pages_per_block=3"})).empty());
    CHECK_THAT(refused(with({"nand.pages_per_block=2"})),
               Contains("nand.pages_per_block 2 (--set nand.pages_per_block=2) make no whole word "
                        "line of nand.cell tlc (default)") &&
                   Contains("use nand.pages_per_block of 3 or more"));
    CHECK(refused(with({"flash.join_planes=true", "flash.use_cache=true"})).empty());
}

TEST_CASE("config rules: map unit and page")
{
    CHECK(accepted({"nand.page_size=2KiB"}).ftl.map_unit == 2048);
    CHECK(accepted({"nand.page_size=16KiB"}).ftl.map_unit == 4096);
    CHECK(accepted({"nand.page_size=16KiB"}).channel.die.stored_oob == 40);
    CHECK(refused({"nand.page_size=2KiB", "ftl.map_unit=4KiB"}) ==
          "--set ftl.map_unit=4KiB: ftl.map_unit: 4KiB does not divide nand.page_size 2KiB (--set "
          "nand.page_size=2KiB); use at most 2KiB");
    CHECK_THAT(refused({"ftl.map_unit=512B", "nand.oob_size=64B"}),
               StartsWith("--set nand.oob_size=64B: nand.oob_size: ") &&
                   Contains("use nand.oob_size of 264B or more"));
    CHECK(accepted({"ftl.map_unit=512B", "nand.oob_size=264B"}).channel.die.stored_oob == 264);
}

TEST_CASE("config rules: lists of times fit the cell")
{
    CHECK(accepted({"nand.cell=mlc", "nand.tR=[1us, 2us]"}).channel.die.timing.tR.size() == 2);
    CHECK(refused({"nand.cell=mlc", "nand.tR=[1us, 2us, 3us]"}) ==
          "--set nand.tR=[1us, 2us, 3us]: nand.tR: has 3 times, but a word line has 2 pages with "
          "nand.cell mlc (--set nand.cell=mlc); write one time, or 2");
    CHECK_THAT(refused({"nand.cell=slc", "nand.tPROG=[1us, 2us]"}), Contains("write one time"));
}

TEST_CASE("config rules: the interface rate is legal for the mode")
{
    struct edge {
        const char* mode;
        const char* lowest;
        const char* below;
        const char* highest;
        const char* above;
    };
    for (const edge& x : {edge{"nv_ddr", "40MT/s", "39MT/s", "200MT/s", "201MT/s"},
                          edge{"nv_ddr2", "66MT/s", "65MT/s", "534MT/s", "535MT/s"},
                          edge{"nv_ddr3", "66MT/s", "65MT/s", "2400MT/s", "2401MT/s"},
                          edge{"nv_lpddr4", "66MT/s", "65MT/s", "3600MT/s", "3601MT/s"}}) {
        const auto sets = [&](const char* r) {
            return std::vector<std::string>{fmt::format("nand.interface.mode={}", x.mode),
                                            fmt::format("nand.interface.rate={}", r)};
        };
        CHECK(refused(sets(x.lowest)).empty());
        CHECK(refused(sets(x.highest)).empty());
        CHECK_THAT(refused(sets(x.below)), Contains("is not legal with nand.interface.mode"));
        CHECK_THAT(refused(sets(x.above)), Contains("is not legal with nand.interface.mode"));
    }
    const std::uint64_t sdr[] = {10000000, 20000000, 28571428, 33333333, 40000000, 50000000};
    for (std::size_t n = 0; n < 6; ++n) {
        const std::string mode = fmt::format("nand.interface.mode=sdr{}", n);
        CHECK(accepted({mode}).channel.bus.transfer_rate == rate(sdr[n]));
        CHECK_THAT(refused({mode, "nand.interface.rate=667MT/s"}),
                   Contains("leave it out: the mode runs at"));
    }
}

TEST_CASE("config rules: the driver's queues fit the front end's")
{
    CHECK(
        refused({"host.driver.queue_pairs=9"}) ==
        "--set host.driver.queue_pairs=9: host.driver.queue_pairs: host.driver.queue_pairs 9 "
        "(--set host.driver.queue_pairs=9) is more than host.nvme.queue_pairs 8 (default); use at "
        "most 8");
    CHECK(refused({"host.driver.queue_pairs=8"}).empty());
    CHECK_THAT(refused({"host.driver.queue_entries=65", "host.nvme.queue_entries=64"}),
               Contains("use at most 64"));
}

TEST_CASE("config rules: spare superblocks")
{
    // 100 superblocks of 10 units: open and reserved 3, static wear levelling 1; a map page and 5
    // units of journal have a superblock free for them, and with the anchor's 3 blocks fill 4.
    CHECK(refused(small_drive({"ftl.over_provisioning=0.09"})).empty());
    CHECK_THAT(refused(small_drive({"ftl.over_provisioning=0.08"})),
               StartsWith("--set ftl.over_provisioning=0.08: ftl.over_provisioning: ") &&
                   Contains("leaves 8 spare, 9 are needed: 4 open or reserved and 5 for maps, "
                            "journal and anchor") &&
                   Contains("use ftl.over_provisioning of 0.09 or more"));
    CHECK(refused(small_drive({"ftl.over_provisioning=0.08", "wear.static_delta=0"})).empty());
    // 1 of 100 blocks bad, 5 at most; with so many, maps have their superblock in any case.
    CHECK(refused(small_drive({"ftl.over_provisioning=0.15", "nand.factory_bad_share=0.01"}))
              .empty());
    CHECK_THAT(refused(small_drive({"ftl.over_provisioning=0.14", "nand.factory_bad_share=0.01"})),
               Contains("leaves 14 spare, 15 are needed") && Contains("and 5 for those of"));
    // The firmware would cut down marks above a quarter and a half of the spare superblocks, less
    // the anchor's.
    CHECK(refused(small_drive({"ftl.over_provisioning=0.2", "gc.stop=0.08"})).empty());
    CHECK_THAT(refused(small_drive({"ftl.over_provisioning=0.2", "gc.stop=0.09"})),
               Contains("leaves 20 spare, 21 are needed"));
    CHECK(refused(small_drive({"ftl.over_provisioning=0.2", "gc.threshold=0.04", "gc.stop=0.06"}))
              .empty());
    CHECK_THAT(
        refused(small_drive({"ftl.over_provisioning=0.2", "gc.threshold=0.05", "gc.stop=0.06"})),
        Contains("leaves 20 spare, 23 are needed"));
    CHECK_THAT(refused(small_drive({"nand.blocks_per_plane=4"})),
               Contains("use more nand.blocks_per_plane"));
}

TEST_CASE("config rules: 8 blocks take an anchor record")
{
    const auto with = [&](const char* blocks) {
        return small_drive({"ftl.over_provisioning=0.9", "nand.pages_per_block=1",
                            fmt::format("nand.blocks_per_plane={}", blocks)});
    };
    // 6 * 4096 bytes of tables.
    CHECK(refused(with("2721")).empty());
    CHECK_THAT(refused(with("2722")),
               StartsWith("--set nand.pages_per_block=1: nand.pages_per_block: the firmware would "
                          "not start: blocks are too small for an anchor record") &&
                   Contains("use more pages or larger ones, or fewer blocks or LUNs"));
}

TEST_CASE("config rules: the suggested over-provisioning is enough")
{
    for (const char* blocks : {"37", "64", "100", "400"}) {
        const std::string set = fmt::format("nand.blocks_per_plane={}", blocks);
        const std::string message = refused(small_drive({set, "ftl.over_provisioning=0"}));
        const std::string mark = "use ftl.over_provisioning of ";
        const auto at = message.find(mark);
        REQUIRE(at != std::string::npos);
        const std::string share =
            message.substr(at + mark.size(), message.find(" or more", at) - at - mark.size());
        CHECK(refused(small_drive({set, "ftl.over_provisioning=" + share})).empty());
    }
}

TEST_CASE("config rules: collection marks")
{
    CHECK(refused({"gc.threshold=0.02", "gc.stop=0.021", "ftl.over_provisioning=0.1"}).empty());
    CHECK_THAT(refused({"gc.threshold=0.02", "gc.stop=0.02"}),
               StartsWith("--set gc.threshold=0.02: gc.threshold: ") &&
                   Contains("is not below gc.stop"));
    // Firmware gets thousandths: these two would be the same.
    CHECK_THAT(refused({"gc.threshold=0.0201", "gc.stop=0.0202"}),
               Contains("is not below gc.stop"));
}

TEST_CASE("config rules: write buffer and memories")
{
    CHECK(refused({"cache.capacity=256KiB"}).empty()); // 4 write units of 4 planes x 16 KiB
    CHECK_THAT(refused({"cache.capacity=252KiB"}),
               Contains("holds less than 4 write units of 64KiB") &&
                   Contains("use 256KiB or more"));
    CHECK(refused({"cache.capacity=64KiB", "ftl.multi_plane=false"}).empty());
    const ssd_config c = accepted({});
    CHECK(c.dram.capacity >= dram_bytes_needed(c));
    CHECK(c.dram.capacity / 2 < dram_bytes_needed(c));
    CHECK(c.sram_size >= sram_bytes_needed(c));
    const std::string small = refused({"dram.capacity=128MiB"});
    CHECK_THAT(small, StartsWith("--set dram.capacity=128MiB: dram.capacity: ") &&
                          Contains("MiB by cache.capacity 32MiB (default)") &&
                          Contains("MiB by ftl.map_unit 4KiB (default)"));
    const std::uint64_t MiB = (dram_bytes_needed(c) + (1u << 20) - 1) >> 20;
    CHECK_THAT(small, Contains(fmt::format("use {}MiB or more", MiB)));
    CHECK(refused({fmt::format("dram.capacity={}MiB", MiB)}).empty());
    CHECK_FALSE(refused({fmt::format("dram.capacity={}MiB", MiB - 1)}).empty());
    CHECK_THAT(refused({"sram.capacity=64KiB"}),
               Contains("KiB by flash.channels 8 (default)") && Contains("KiB by host.nvme.slots"));
    const std::uint64_t KiB = (sram_bytes_needed(c) + 4095) / 4096 * 4;
    CHECK(refused({fmt::format("sram.capacity={}KiB", KiB)}).empty());
    CHECK_FALSE(refused({fmt::format("sram.capacity={}KiB", KiB - 4)}).empty());
    // A submission and a completion entry, 64 + 32 bytes, for each read that may be in the flash.
    CHECK(sram_bytes_needed(accepted({"host.nvme.slots=500"})) -
              sram_bytes_needed(accepted({"host.nvme.slots=400"})) ==
          8 * 100 * (64 + 32));
}

TEST_CASE("config rules: logical blocks want superblocks of a block, units of a page")
{
    const std::vector<std::string> good = {"ftl.scheme=log_set", "ftl.stripe=block",
                                           "ftl.map_unit=16KiB", "ftl.log_set.unit=block"};
    const auto but = [&good](const std::string& set) {
        std::vector<std::string> sets = good;
        sets.push_back(set);
        return refused(sets);
    };
    const ssd_config c = accepted(good);
    CHECK(maps_blocks(c));
    CHECK(c.ftl.map_cache == 0);
    CHECK(logical_blocks(c) == (user_units(c) + block_pages(c) - 1) / block_pages(c));
    CHECK_THAT(but("ftl.scheme=page_map"), Contains("use ftl.scheme: log_set"));
    CHECK_THAT(but("ftl.stripe=drive"), Contains("use ftl.stripe: block"));
    CHECK_THAT(but("ftl.map_unit=4KiB"), Contains("use ftl.map_unit: 16384B"));
    CHECK_THAT(but("ftl.map_cache=1MiB"), Contains("the whole map of blocks lies in DRAM"));
    CHECK_THAT(but("ftl.log_set.map_policy=fifo"), Contains("use ftl.log_set.unit: page"));
    CHECK_THAT(but("ftl.log_set.map_streams=per_level"), Contains("use ftl.log_set.unit: page"));
    CHECK_THAT(but("ftl.log_set.w_threshold=4"), Contains("set ftl.log_set.w_log"));
    CHECK_THAT(refused({"ftl.scheme=log_set", "ftl.log_set.w_log=4"}),
               Contains("use ftl.log_set.unit: block"));
    std::vector<std::string> log = good;
    log.emplace_back("ftl.log_set.w_log=8");
    log.emplace_back(fmt::format("ftl.log_set.w_threshold={}", block_pages(c)));
    CHECK(refused(log).empty());
    log.back() = fmt::format("ftl.log_set.w_threshold={}", block_pages(c) + 1);
    CHECK_THAT(refused(log), Contains(fmt::format("use {} or less", block_pages(c))));
}

TEST_CASE("config rules: a map that is paged has a cache, one that is not has none")
{
    const ssd_config whole = accepted({});
    const ssd_config paged = accepted({"ftl.scheme=dftl"});
    CHECK(whole.ftl.map_cache == 0);
    CHECK(paged.ftl.map_cache == std::max<std::uint64_t>(whole_map_bytes(paged) / 16, 64 << 10));
    CHECK(needs_of(paged).share("map").dram < needs_of(whole).share("map").dram / 2);
    const ssd_config logs = accepted({"ftl.scheme=log_set"});
    CHECK(logs.ftl.map_cache == paged.ftl.map_cache);
    CHECK(map_cache_least(logs) == (group_units(logs) + 1) * logs.ftl.map_unit);
    const ssd_config apart = accepted({"ftl.scheme=log_set", "ftl.log_set.map_streams=per_level"});
    // Of each of three levels above the first one superblock is open, another one free.
    CHECK(needs_of(apart).overhead == needs_of(logs).overhead + 2 * 2);
    CHECK_THAT(refused({"ftl.map_cache=1MiB"}),
               StartsWith("--set ftl.map_cache=1MiB: ftl.map_cache: ") &&
                   Contains("use ftl.scheme: dftl, vm_map or log_set, or leave it out"));
    CHECK_THAT(refused({"ftl.dftl.batch=false"}), Contains("use ftl.scheme: dftl"));
    CHECK_THAT(refused({"ftl.log_set.map_policy=fifo"}), Contains("use ftl.scheme: log_set"));
    CHECK_THAT(refused({"ftl.log_set.map_streams=per_level"}), Contains("use ftl.scheme: log_set"));
    CHECK_THAT(refused({"ftl.log_set.upper_cache=1MiB"}), Contains("use ftl.scheme: log_set"));
    CHECK_THAT(refused({"ftl.scheme=log_set", "ftl.log_set.upper_policy=fifo"}),
               Contains("set ftl.log_set.upper_cache"));
    CHECK_THAT(refused({"ftl.scheme=log_set", "ftl.log_set.upper_cache=4KiB"}),
               Contains("use 8192B or more"));
    CHECK_THAT(refused({"ftl.log_set.invalid_threshold=0.5"}), Contains("use ftl.scheme: log_set"));
    CHECK_THAT(refused({"ftl.scheme=log_set", "ftl.log_set.invalid_threshold=0.01"}),
               Contains("use 0, or 0.05 and more"));
    CHECK_THAT(refused({"ftl.scheme=log_set", "ftl.dftl.batch=false"}),
               Contains("use ftl.scheme: dftl"));
    for (const auto& c : {paged, logs}) {
        const auto least = static_cast<unsigned long long>(map_cache_least(c));
        const std::string scheme = c.ftl.scheme == ftl_scheme::dftl ? "dftl" : "log_set";
        CHECK(refused({"ftl.scheme=" + scheme, fmt::format("ftl.map_cache={}B", least)}).empty());
        CHECK_THAT(refused({"ftl.scheme=" + scheme, fmt::format("ftl.map_cache={}B", least - 1)}),
                   Contains(fmt::format("use {}B or more", least)));
    }
}

TEST_CASE("config rules: vm_map holds a segment at least, and no other scheme has any")
{
    const ssd_config c = accepted({"ftl.scheme=vm_map"});
    const std::uint64_t segment = segment_bytes(c);
    CHECK(segment == std::uint64_t{block_pages(c)} * c.channel.die.geo.page_size);
    CHECK(c.ftl.map_cache == std::max(whole_map_bytes(c) / 16, segment));
    const ssd_config one = accepted({"ftl.scheme=vm_map", "ftl.vm_map.segments=1"});
    CHECK(needs_of(c).share("map").dram - needs_of(one).share("map").dram >=
          (c.ftl.map_cache / segment - 1) * segment);
    CHECK_THAT(refused({"ftl.scheme=vm_map", fmt::format("ftl.map_cache={}B", segment - 1)}),
               Contains(fmt::format("use {}B or more", segment)));
    CHECK(refused({"ftl.scheme=vm_map", fmt::format("ftl.map_cache={}B", segment)}).empty());
    CHECK_THAT(refused({"ftl.scheme=dftl", "ftl.vm_map.segments=2"}),
               Contains("use ftl.scheme: vm_map, or leave it out"));
    CHECK_THAT(refused({"ftl.scheme=vm_map", "ftl.dftl.batch=false"}),
               Contains("use ftl.scheme: dftl, or leave it out"));
}

TEST_CASE("config rules: a drive of more blocks may take longer to be ready")
{
    const std::vector<std::string> small = {"flash.channels=1", "flash.luns_per_channel=1",
                                            "nand.planes=1", "nand.blocks_per_plane=1000"};
    CHECK(ready_limit(accepted(small)) == 10_s + 20_ms);
    CHECK(ready_limit(accepted({"flash.channels=64", "flash.luns_per_channel=16", "nand.planes=4",
                                "nand.blocks_per_plane=1000", "dram.capacity=160GiB",
                                "sram.capacity=16MiB"})) == 10_s + 81920_ms);
}

TEST_CASE("config rules: map entries are wider beyond 31 bits, units and superblocks have limits")
{
    // 8 channels x 4 LUNs x 4 planes x 4 units: 9 bits below the row of block and page.
    const auto with = [](const char* blocks) {
        return std::vector<std::string>{"nand.pages_per_block=2048",
                                        fmt::format("nand.blocks_per_plane={}", blocks)};
    };
    CHECK(map_entry_bytes(accepted(with("2047"))) == 4);
    CHECK(map_entry_bytes(accepted(with("2048"))) == 8);
    // 32 x 16 LUNs x 8 planes x 32 units a page.
    std::vector<std::string> large = {"flash.channels=32",      "flash.luns_per_channel=16",
                                      "nand.planes=8",          "ftl.map_unit=512B",
                                      "nand.pages_per_block=1", "nand.blocks_per_plane=65536",
                                      "sram.capacity=64MiB"};
    large[4] = "nand.pages_per_block=64";
    CHECK_THAT(refused(large), Contains("units are more than the 34359738368"));
    large[4] = "nand.pages_per_block=32768";
    large[5] = "nand.blocks_per_plane=4";
    CHECK_THAT(refused(large), Contains("4294967296 units in a superblock do not fit 32 bits"));
    CHECK(refused({"ftl.map_unit=512B", "nand.page_size=16KiB", "nand.planes=8"}).empty());
    CHECK_THAT(refused({"ftl.map_unit=512B", "nand.page_size=32KiB"}),
               Contains("64 units in a page are more than 32"));
}

TEST_CASE("config rules: limits of refresh can be reached")
{
    const std::vector<std::string> levels = {"nand.errors.retry_gain=[0.5, 0.4]"};
    const auto with = [&](const std::string& set) {
        std::vector<std::string> sets = levels;
        sets.push_back(set);
        return sets;
    };
    CHECK(refused(with("ftl.refresh.retry_level=2")).empty());
    CHECK_THAT(refused(with("ftl.refresh.retry_level=3")),
               Contains("ftl.refresh.retry_level") &&
                   Contains("3 is beyond the 2 read retry levels of the part"));
    CHECK(refused({"ftl.refresh.corrected_bits=72"}).empty());
    CHECK_THAT(refused({"ftl.refresh.corrected_bits=73"}),
               Contains("the code corrects 72 bits per code word at most"));
    CHECK(refused({"ftl.refresh.corrected_bits=73", "flash.ecc.kind=ldpc",
                   "flash.ecc.soft_correctable=[110]"})
              .empty());
    CHECK_THAT(refused({"ftl.refresh.retire=3", "ftl.refresh.reads=1000"}),
               Contains("no read asks for a refresh that would count"));
    CHECK(refused({"ftl.refresh.retire=3", "ftl.refresh.corrected_bits=50"}).empty());
    CHECK(refused({"ftl.patrol.interval=1ms"}).empty());
    CHECK_THAT(refused({"ftl.patrol.interval=999us"}), Contains("is shorter than 1 ms"));
}

TEST_CASE("config rules: copyback needs pages of their own, and a code where bits go wrong")
{
    CHECK(refused({"gc.copyback=true"}).empty());
    CHECK(refused({"nand.one_pass=true", "nand.cell=tlc"}).empty());
    CHECK_THAT(refused({"gc.copyback=true", "nand.one_pass=true", "nand.cell=tlc"}),
               Contains("gc.copyback") && Contains("the part programs word lines") &&
                   Contains("use gc.copyback: false, or nand.one_pass: false"));
    const std::vector<std::string> errs = {"nand.errors.rber=0.001", "gc.copyback=true"};
    CHECK(refused(errs).empty());
    CHECK_THAT(refused({errs[0], errs[1], "flash.ecc.kind=none"}),
               Contains("how many wrong bits a copy carries along") &&
                   Contains("use flash.ecc.kind: bch or ldpc"));
    CHECK(refused({errs[0], "flash.ecc.kind=none"}).empty());
    CHECK(refused({errs[1], "flash.ecc.kind=none"}).empty());
}

TEST_CASE("config rules: superblocks of one block have no copyback, and fewer than 2^32 pages")
{
    const std::string narrow = "ftl.stripe=block";
    CHECK(refused({narrow}).empty());
    CHECK_THAT(refused({narrow, "gc.copyback=true"}),
               Contains("gc.copyback") && Contains("a copyback stays in its plane") &&
                   Contains("use gc.copyback: false, or ftl.stripe: drive"));
    // 8 channels x 4 LUNs x 4 planes.
    const std::vector<std::string> large = {"nand.pages_per_block=2048", narrow,
                                            "nand.blocks_per_plane=16384"};
    CHECK_THAT(refused(large), Contains("ftl.stripe") &&
                                   Contains("4294967296 pages are more than the 4294967295") &&
                                   Contains("use ftl.stripe: drive, or fewer blocks"));
    CHECK(refused({large[0], narrow, "nand.blocks_per_plane=16383"}).empty());
}

TEST_CASE("config derived: superblocks of one block")
{
    // 8 channels x 4 LUNs x 4 planes, 4 units a page.
    const ssd_config wide = accepted({"nand.pages_per_block=100", "nand.blocks_per_plane=300"});
    const ssd_config c =
        accepted({"nand.pages_per_block=100", "nand.blocks_per_plane=300", "ftl.stripe=block"});
    CHECK(superblocks(c) == 300 * 128);
    CHECK(superblock_units(c) == 400);
    CHECK(physical_units(c) == physical_units(wide));
    CHECK(user_units(c) == user_units(wide));
    CHECK(group_units(c) == 4);
    CHECK(write_unit_bytes(c) == 16384);
    CHECK(unit_addresses(c) == 300 * 128 * 100 * 4);
    CHECK(bad_superblocks(accepted({"ftl.stripe=block", "nand.factory_bad_share=0.01"})) >=
          superblocks(accepted({"ftl.stripe=block"})) / 100);
}

TEST_CASE("config derived: what a copyback may carry, and what copies cost in DRAM")
{
    const std::vector<std::string> errs = {"nand.errors.rber=0.001", "flash.ecc.correctable=41"};
    CHECK(copyback_bits(accepted(errs)) == 10);
    CHECK(copyback_bits(accepted({errs[0], "flash.ecc.correctable=3"})) == 1);
    CHECK(copyback_bits(accepted({errs[1]})) == 0);
    CHECK(dram_bytes_needed(accepted({"gc.copyback=true"})) > dram_bytes_needed(accepted({})));
}

TEST_CASE("config derived: capacities")
{
    const ssd_config c = accepted(small_drive({"ftl.over_provisioning=0.25"}));
    CHECK(superblocks(c) == 100);
    CHECK(superblock_units(c) == 10);
    CHECK(physical_units(c) == 1000);
    CHECK(user_units(c) == 750);
    CHECK(physical_bytes(c) == 4096000);
    CHECK(logical_bytes(c) == 3072000);
    CHECK(write_unit_bytes(c) == 4096);
    CHECK(unit_addresses(c) == 1000);
    const ssd_config d = accepted({});
    CHECK(group_units(d) == 16);
    CHECK(write_unit_bytes(d) == 65536);
    CHECK(physical_bytes(d) == 8ull * 4 * 4 * 504 * 144 * 16384);
    CHECK(unit_addresses(d) == 504ull * 144 * 32 * 4 * 4);
}

TEST_CASE("config derived: the checkpoint interval follows the capacity")
{
    const auto interval = [](const char* blocks, const char* map_unit) {
        return accepted({fmt::format("nand.blocks_per_plane={}", blocks),
                         fmt::format("ftl.map_unit={}", map_unit)})
            .ftl.checkpoint_interval;
    };
    // 8 channels x 4 LUNs x 4 planes of 16 KiB pages, 7 % of them spare.
    const ssd_config usual = accepted({});
    CHECK(usual.ftl.checkpoint_interval == logical_bytes(usual) / 64);
    CHECK(interval("1008", "4KiB") / (1 << 20) == 2 * usual.ftl.checkpoint_interval / (1 << 20));
    CHECK(interval("16000", "16KiB") == 8ull << 30);
    CHECK(accepted(small_drive({"ftl.over_provisioning=0.5"})).ftl.checkpoint_interval ==
          16ull << 20);
    CHECK(accepted({"ftl.checkpoint_interval=1TiB"}).ftl.checkpoint_interval == 1ull << 40);
    CHECK_THAT(refused({"ftl.checkpoint_interval=1025GiB"}),
               StartsWith("--set ftl.checkpoint_interval=1025GiB: ftl.checkpoint_interval: "));
    CHECK_THAT(refused({"ftl.checkpoint_interval=0"}), Contains("ftl.checkpoint_interval"));
    // The replay table holds what two intervals take.
    CHECK(dram_bytes_needed(accepted({"ftl.checkpoint_interval=512MiB"})) -
              dram_bytes_needed(accepted({"ftl.checkpoint_interval=256MiB"})) ==
          2 * ((256ull << 20) / 65536) * 17 * 8);
}

TEST_CASE("config derived: SLC mode leaves one page per word line")
{
    const auto drive = [](const char* cell) {
        return accepted(small_drive({"ftl.over_provisioning=0.25", "write.mode=slc",
                                     "nand.slc_mode.tR=20us", "nand.slc_mode.tPROG=200us",
                                     "nand.slc_mode.tBERS=3ms", std::string("nand.cell=") + cell}));
    };
    const std::vector<std::pair<const char*, std::uint32_t>> cells = {
        {"mlc", 5}, {"tlc", 3}, {"qlc", 2}}; // of 10 pages
    for (const auto& [cell, pages] : cells) {
        const ssd_config c = drive(cell);
        CHECK(block_pages(c) == pages);
        CHECK(superblocks(c) == 100);
        CHECK(superblock_units(c) == pages);
        CHECK(physical_units(c) == 100 * pages);
        CHECK(user_units(c) == 75 * pages);
        CHECK(unit_addresses(c) == 100 * pages);
        CHECK(c.channel.die.geo.pages_per_block == 10); // what the part has
    }
    CHECK(block_pages(accepted({})) == 144);
}

TEST_CASE("config rules: the code fits the page, and its soft steps rise")
{
    CHECK_THAT(refused({"flash.ecc.soft_correctable=90"}),
               Contains("bch") && Contains("has no soft steps"));
    CHECK_THAT(refused({"flash.ecc.kind=ldpc", "flash.ecc.soft_correctable=[90, 80]"}),
               Contains("corrects 80 bits comes after one that corrects 90"));
    CHECK_THAT(refused({"flash.ecc.kind=ldpc", "flash.ecc.soft_correctable=72"}),
               Contains("comes after one that corrects 72"));
    CHECK_THAT(refused({"flash.ecc.kind=ldpc", "flash.ecc.soft_correctable=[80, 90]",
                        "flash.ecc.soft_latency=[1us, 2us, 3us]"}),
               Contains("has 3 times for 2 soft steps"));
    CHECK_THAT(refused({"nand.page_size=2KiB", "nand.oob_size=64B", "flash.ecc.codeword=4KiB",
                        "nand.errors.rber=0.001"}),
               Contains("do not divide"));
    CHECK_THAT(refused({"nand.errors.page_factor=[1, 2]"}),
               Contains("has 2 numbers, but a word line has 3 pages"));
}

TEST_CASE("config rules: preconditioning by counts needs units that lie anywhere")
{
    const std::vector<std::string> asked = {"precondition.fill=1", "precondition.overwrite=1",
                                            "precondition.method=counts"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), asked.begin(), asked.end());
        return more;
    };
    CHECK(refused(with({})).empty());
    for (const std::string set : {"ftl.scheme=dftl", "ftl.stripe=block", "ftl.placement=CWDP"}) {
        INFO(set);
        CHECK_THAT(refused(with({set})), Contains("precondition.method") &&
                                             Contains("use precondition.method: auto or units"));
    }
}

TEST_CASE("config rules: drives of 4,194,304 units or more go by counts when nobody says otherwise")
{
    const auto goes = [](const std::string& blocks, const std::string& overwrite,
                         const std::string& method) {
        return preconditions_by_counts(accepted(
            {"nand.page_size=16KiB", "nand.pages_per_block=1024", "nand.planes=1",
             "flash.channels=8", "flash.luns_per_channel=1", "dram.capacity=1GiB",
             "ftl.over_provisioning=0.5", "nand.blocks_per_plane=" + blocks, "precondition.fill=1",
             "precondition.overwrite=" + overwrite, "precondition.method=" + method}));
    };
    // 8 x 1024 x 4 units in a superblock, half of them for the user: 256 make 4,194,304.
    CHECK(goes("256", "1", "auto"));
    CHECK_FALSE(goes("255", "1", "auto"));
    CHECK_FALSE(goes("256", "0.9", "auto"));
    CHECK_FALSE(goes("256", "1", "units"));
    CHECK(goes("255", "0.9", "counts"));
}
