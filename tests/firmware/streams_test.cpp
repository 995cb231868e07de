// SPDX-License-Identifier: Apache-2.0
//
// Streams by directive: what lies where, and drives that keep their data whatever their streams.
#include <set>

#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/cut_rounds.h"

namespace ssdvp::test::streams_test {
namespace {

ram_config streams_drive(std::uint32_t streams)
{
    ram_config c = tiny_drive();
    c.params.host.streams = streams;
    c.params.geometry.blocks_per_plane += streams; // each has one open
    return c;
}

/// Writes the drive once, in pieces of a unit of four ranges in turns, each range with a stream of
/// its own. Returns how many superblocks have data of more than one range, of how many.
std::pair<std::size_t, std::size_t> mixed_superblocks(bool named)
{
    ram_config c = streams_drive(4);
    c.params.host.data_mode = 2;
    drive d(c);
    d.streams = named ? 4 : 0;
    d.create_queues();
    const std::uint64_t units = d.sectors() / 8;
    const std::uint64_t quarter = units / 4;
    for (std::uint64_t n = 0; n < quarter * 4; ++n) {
        d.stream = static_cast<std::uint16_t>(n % 4 + 1);
        while (!d.start_write((n % 4 * quarter + n / 4) * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    flush(d);
    d.check_everything();
    d.check_rules();
    std::map<std::uint32_t, std::set<std::uint64_t>> found; // ranges by block number
    for (const found_page& page : flash_reader(d.nand).pages) {
        for (std::size_t slot = 0; slot < page.words.size(); ++slot) {
            if (page.what(slot) == kind::data) {
                found[page.at.block].insert(page.index(slot) / quarter);
            }
        }
    }
    std::size_t several = 0;
    for (const auto& [block, ranges] : found) {
        several += ranges.size() > 1 ? 1 : 0;
    }
    return {several, found.size()};
}

} // namespace

TEST_CASE("streams: a superblock has data of one stream only")
{
    const auto [apart, blocks] = mixed_superblocks(true);
    CHECK(blocks >= 4);
    CHECK(apart == 0);
    const auto [together, all] = mixed_superblocks(false);
    CHECK(together == all);
}

TEST_CASE("streams: data last through collection, shutdown and loss of power, in any scheme")
{
    for (const std::uint32_t scheme :
         {FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_VM_MAP, FTL_SCHEME_LOG_SET}) {
        for (const unsigned streams : {1u, 16u}) {
            INFO("scheme " << scheme << ", " << streams << " streams");
            ram_config c = streams_drive(streams);
            c.params.ftl.scheme = scheme;
            c.params.geometry.blocks_per_plane += 10;
            c.params.map.batch = 1;
            c.params.map.segments = 1;
            c.params.map.cache =
                scheme == FTL_SCHEME_LOG_SET ? 8 * 4096 : 64 * BOOT_MAP_CACHE_ENTRY;
            drive d(c);
            d.streams = static_cast<std::uint16_t>(streams + 1); // one more than may be open
            d.create_queues();
            fill(d);
            mixed_through_cuts(d);
            CHECK(d.nand.count(FLASH_PURPOSE_GC).programs > 0);
        }
    }
}

TEST_CASE("streams: a drive with fewer, or none, takes over what one with streams has written")
{
    for (const bool shuts : {false, true}) {
        INFO((shuts ? "shutdown" : "loss of power"));
        ram_config c = streams_drive(6);
        drive d(c);
        d.streams = 6;
        d.create_queues();
        fill(d);
        mixed(d, 1500, 3);
        flush(d);
        if (shuts) {
            shut_down(d);
        }
        d.nand.power_cut();
        d.forget();
        d.nand.config.params.host.streams = 0;
        d.streams = 0;
        d.nand.power_on();
        REQUIRE(d.nand.enable());
        d.create_queues();
        CHECK(d.nand.counters().recovery_kind == (shuts ? 1u : 2u));
        d.check_everything();
        mixed(d, 2500, 4);
        d.check_everything();
        d.check_rules();
    }
}

} // namespace ssdvp::test::streams_test
