// SPDX-License-Identifier: Apache-2.0
//
// A drive whose map is paged has no room to write any more, and what its map has in memory has
// changed: it reads all the same, for one page, one entry can leave without being written.
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/map_bench.h"
#include "tests/firmware/mapped_part.h"

extern "C" {
#include "firmware/map/maps_buffer.h"
#include "firmware/map/maps_frames.h"
#include "firmware/map/schemes.h"
}

namespace ssdvp::test::starve_test {
namespace {

struct starving {
    std::uint32_t scheme;
    std::uint64_t cache_bytes;
    bool large; // more pages and entries than are looked at for one that can leave
};

/// Pages and entries more than a write unit's four units.
starving any()
{
    return GENERATE(starving{FTL_SCHEME_LOG_SET, std::uint64_t{5} * 512, false},
                    starving{FTL_SCHEME_LOG_SET, std::uint64_t{9} * 512, false},
                    starving{FTL_SCHEME_LOG_SET, std::uint64_t{80} * 512, true},
                    starving{FTL_SCHEME_DFTL, std::uint64_t{5} * BOOT_MAP_CACHE_ENTRY, false},
                    starving{FTL_SCHEME_DFTL, std::uint64_t{8} * BOOT_MAP_CACHE_ENTRY, false},
                    starving{FTL_SCHEME_DFTL, std::uint64_t{60} * BOOT_MAP_CACHE_ENTRY, true});
}

/// All superblocks are full: what is put out finds no place.
struct full_part : mapped_part {
    struct flash channels_of {};

    explicit full_part(std::uint32_t scheme, std::uint64_t cache_bytes)
        : mapped_part(hundred_pages(), scheme, cache_bytes)
    {
        e.flash = &channels_of;
        table.free = 0;
    }
    static geometry hundred_pages()
    {
        geometry geo{};
        geo.luns = 1;
        geo.page_units = 2;
        geo.unit_bits = 1;
        geo.blocks = 256;
        geo.pages = 64;
        geo.user_units = 100 * per_page;
        geo.unit_shift = 9;
        return geo;
    }
    /// How often somebody has to ask until there is an answer; gives up after 100 times.
    template <typename F>
    static int times(F answers)
    {
        int n = 1;
        while (n < 100 && !answers()) {
            ++n;
        }
        return n;
    }
};

} // namespace

TEST_CASE("log_set: of many pages that have to stay the one that can leave is found")
{
    constexpr std::uint64_t frames = 80;
    full_part p(FTL_SCHEME_LOG_SET, frames * 512);
    for (std::uint64_t page = 0; page < frames; ++page) {
        REQUIRE(maps_buffer_use(&p.e, 1, page) == 1);
        if (page + 1 != frames) {
            maps_dirty(&p.e, 1, page);
        }
    }
    for (std::uint64_t page = 0; maps_free_outs(&p.e, 1) != 0; ++page) {
        REQUIRE(maps_put_copy(&p.e, 1, page) == 1);
        maps_dirty(&p.e, 1, page);
    }
    CHECK(maps_buffer_use(&p.e, 1, 90) == 0); // not among those that are looked at
    CHECK(maps_stuck(&p.e) == 0);
    p.counters.read_only = 1;
    CHECK(maps_stuck(&p.e) == 1);
    CHECK(maps_buffer_use(&p.e, 1, 90) == 1);
    CHECK((*maps_flags(&p.e, &p.levels, 1, frames - 1) & MAP_RESIDENT) == 0);
    // Whoever that came in for does not come back.
    const std::uint32_t frame =
        static_cast<const std::uint32_t*>(env_dram(&p.e, p.levels.level[1].frame))[90];
    static_cast<map_buffered*>(env_dram(&p.e, p.levels.frames.buffer.table))[frame].wanted = 1;
    const int asked = p.times([&p] { return maps_buffer_use(&p.e, 1, 91) == 1; });
    CHECK(asked > 10);
    CHECK(asked < 100);
}

TEST_CASE("dftl: of many entries that have to stay the one that can leave is found")
{
    constexpr std::uint64_t entries = 60;
    full_part p(FTL_SCHEME_DFTL, entries * BOOT_MAP_CACHE_ENTRY);
    const auto write = [&p](std::uint64_t page, std::uint64_t address) {
        REQUIRE(ftl_dftl.pin(&p.e, page * per_page) == 1);
        ftl_dftl.commit(&p.e, page * per_page, address);
        ftl_dftl.unpin(&p.e, page * per_page);
    };
    p.table.free = 100;
    for (std::uint64_t page = 0; page + 1 < entries; ++page) {
        write(page, 2 * page);
    }
    p.table.free = 0;
    for (std::uint64_t page = 0; maps_free_outs(&p.e, 1) != 0; ++page) {
        REQUIRE(maps_put_framed(&p.e, 1, page) == 1);
        write(page, 2 * page + 1);
    }
    CHECK(ftl_dftl.lookup(&p.e, 70 * per_page) == FTL_NONE); // the last entry that was free
    p.counters.read_only = 1;
    REQUIRE(maps_stuck(&p.e) == 1);
    for (const std::uint64_t page : {80u, 81u, 80u}) {
        INFO("page " << page);
        CHECK(p.times([&] { return ftl_dftl.lookup(&p.e, page * per_page) == FTL_NONE; }) < 100);
    }
    CHECK(ftl_dftl.lookup(&p.e, 3 * per_page) == 7);
    CHECK(ftl_dftl.lookup(&p.e, 50 * per_page) == 100);
}

TEST_CASE("a drive that has no room to write any more, its map in memory changed, still reads")
{
    const starving s = any();
    const std::uint64_t seed = GENERATE(2u, 4u);
    const std::uint32_t programs =
        GENERATE(0u, 2u, 1u); // of the map: one in so many fails, 0 = none
    INFO("scheme " << s.scheme << ", " << s.cache_bytes << " bytes, seed " << seed << ", programs "
                   << programs);
    ram_config c = many_map_pages(s.scheme, s.cache_bytes);
    c.params.map.batch = 1;
    if (s.large) {
        c.params.geometry.blocks_per_plane = 140;
        c.params.ftl.user_units = std::uint64_t{110} * per_page;
    }
    c.seed = seed;
    c.quiet = true;
    bool armed = false;
    std::mt19937_64 fate(seed);
    c.on_erase = [&](const nand_place&, const flash_desc&) { return armed; };
    c.on_program = [&](const nand_place&, const flash_desc& d) {
        return armed && programs != 0 && d.purpose == FLASH_PURPOSE_MAP && fate() % programs == 0;
    };
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    fill(d);
    armed = true; // nothing gives room any more
    std::mt19937_64 random(seed);
    const telemetry& t = d.nand.counters();
    for (int n = 0; n < 40000 && t.read_only == 0; ++n) {
        while (!d.start_write(random() % d.sectors(), 1)) {
            REQUIRE(d.pump());
        }
        if (n % 7 == 0) {
            (void)d.start_read(random() % d.sectors(), 1);
        }
    }
    d.drain();
    REQUIRE(t.read_only == 1);
    const std::uint64_t completed = d.completed;
    for (int n = 0; n < 1000; ++n) {
        while (!d.start_read(random() % d.sectors(), 1)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    CHECK(d.completed == completed + 1000);
    const std::uint64_t failed = d.statuses[unrecovered];
    INFO(failed << " reads failed");
    CHECK((programs == 1 || failed == 0)); // then nothing of the map may be left that can leave
    d.check_everything();
    d.check_rules();
}

TEST_CASE("shutdown: while collection is short of room it goes on, and the drive stays writable")
{
    ram_config c = tiny_drive();
    c.params.map.checkpoint_units = 64;
    std::mt19937_64 random(5);
    for (std::uint32_t n = 1; n <= 56; ++n) { // the 51st met it
        INFO(n);
        drive d(c);
        precondition(d, c.params.ftl.user_units, 3);
        d.create_queues();
        for (std::uint32_t i = 0; i < 400 + 7 * n; ++i) {
            while (!d.start_write(random() % (d.sectors() / 8) * 8, 8)) {
                REQUIRE(d.pump());
            }
        }
        shut_down(d);
        CHECK(d.nand.counters().read_only == 0);
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 1);
        d.check_everything();
    }
}

} // namespace ssdvp::test::starve_test
