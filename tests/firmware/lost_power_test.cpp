// SPDX-License-Identifier: Apache-2.0
//
// A unit that collection or a merge could not read is programmed again with a mark in its spare
// word: the place reads well, and holds nobody's data. After a loss of power the word alone tells.
#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/blockmap_bench.h"
#include "tests/firmware/map_bench.h"

namespace ssdvp::test::lost_power_test {
namespace {

struct marked_drive {
    const char* name;
    ram_config config;
};

ram_config of_pages(ftl_scheme_id scheme, std::uint64_t cache_bytes)
{
    ram_config c = many_map_pages(scheme, cache_bytes);
    c.params.map.batch = 1;
    return c;
}

/// One of three segments in memory.
ram_config of_segments()
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.geometry.luns_per_channel = p.geometry.planes = 1;
    p.geometry.blocks_per_plane = 250;
    p.geometry.pages_per_block = 4;
    p.geometry.page_size = p.ftl.map_unit = 512;
    p.geometry.oob_size = 16;
    p.ftl.user_units = 3 * 512;
    p.cache.capacity = 16 * 512;
    p.ftl.scheme = FTL_SCHEME_VM_MAP;
    p.map.segments = 1;
    return c;
}

ram_config of_blocks(std::uint32_t log_blocks)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.scheme = FTL_SCHEME_LOG_SET_BLOCK;
    p.ftl.stripe = STRIPE_BLOCK;
    p.ftl.map_unit = p.geometry.page_size;
    p.ftl.user_units = 120 * p.geometry.pages_per_block - 3;
    p.cache.capacity = 48ull * p.ftl.map_unit;
    p.map.log_blocks = log_blocks;
    return c;
}

/// Of maps each way that power-up has to what the window tells: all of the map in memory, entries
/// that the table keeps, pages that come into frames, segments. Then logical blocks.
std::vector<marked_drive> marked_drives()
{
    std::vector<marked_drive> all = {
        {"page_map", tiny_drive()},
        {"dftl, kept", of_pages(FTL_SCHEME_DFTL, 6000 * BOOT_MAP_CACHE_ENTRY)},
        {"dftl, paged", of_pages(FTL_SCHEME_DFTL, 60 * BOOT_MAP_CACHE_ENTRY)},
        {"log_set, paged", of_pages(FTL_SCHEME_LOG_SET, 8 * 512)},
        {"vm_map", of_segments()},
        {"log_set_block", of_blocks(0)},
        {"log_set_block, log", of_blocks(8)},
    };
    for (const ftl_scheme_id scheme : placed_schemes) {
        all.push_back({"placed", whole_of(scheme)});
    }
    return all;
}

std::vector<std::uint64_t> lost_units(drive& d, std::uint32_t unit)
{
    std::vector<std::uint64_t> units;
    for (std::uint64_t lba = 0; lba < d.sectors(); lba += unit) {
        if (status_of_read(d, lba, 1) == unrecovered) {
            units.push_back(lba);
        }
    }
    return units;
}

/// Whole units all over the drive until so many could not be read.
void write_until_lost(drive& d, std::uint32_t unit, std::uint64_t lost)
{
    std::mt19937_64 random(7);
    for (int n = 0; n < 6000 && d.nand.counters().lost_units < lost; ++n) {
        while (!d.start_write(random() % (d.sectors() / unit) * unit, unit)) {
            REQUIRE(d.pump());
        }
    }
    flush(d);
}

} // namespace

TEST_CASE("lost units: what only the spare word tells of is lost after a power cut too")
{
    const std::size_t which = GENERATE(range(std::size_t{0}, std::size_t{15}));
    marked_drive m = marked_drives().at(which);
    INFO(m.name << ", scheme " << m.config.params.ftl.scheme);
    m.config.params.flash.retry_levels = 0;
    m.config.params.map.checkpoint_units = 1u << 14; // all that is written is replayed
    const std::uint32_t unit = m.config.params.ftl.map_unit / 512;
    erring_drive x(m.config);
    drive& d = *x.d;
    fill(d);
    int left = 12; // as many as every scheme can mark
    x.fate = [&left](const nand_place&, const flash_desc& r) {
        const bool moves = r.purpose == FLASH_PURPOSE_GC || r.purpose == FLASH_PURPOSE_MERGE;
        const bool fails = moves && r.page == 2 && left > 0;
        left -= fails ? 1 : 0;
        return ram_config::read_result{fails, 0, false};
    };
    x.armed = true;
    write_until_lost(d, unit, 6);
    x.armed = false;
    const std::vector<std::uint64_t> lost = lost_units(d, unit);
    REQUIRE(lost.size() > 3);
    if (unit > 1) { // what the buffer writes of such a unit carries the mark as well
        for (const std::uint64_t lba : lost) {
            REQUIRE(d.start_write(lba + 1, 1));
            flush(d);
        }
    }
    for (int cut = 0; cut < 2; ++cut) {
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        CHECK(lost_units(d, unit) == lost);
        d.idle();
        CHECK(d.nand.counters().lost_units == lost.size());
    }
    REQUIRE(d.start_write(lost[0], unit));
    flush(d);
    power_cycle(d);
    CHECK(lost_units(d, unit) == std::vector<std::uint64_t>(lost.begin() + 1, lost.end()));
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

/// The logical block that has no marks left for its lost units is lost as a whole: nobody may take
/// what it lacks for zeroes, when its blocks have been erased neither.
TEST_CASE("lost units: of more than can be marked none reads as zeroes, after power cuts neither")
{
    ram_config c = of_blocks(GENERATE(0u, 8u));
    CAPTURE(c.params.map.log_blocks);
    c.params.flash.retry_levels = 0;
    c.params.map.checkpoint_units = 1u << 14;
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    x.fate = [](const nand_place&, const flash_desc& r) {
        return ram_config::read_result{r.purpose == FLASH_PURPOSE_GC && r.page == 2, 0, false};
    };
    const std::uint32_t unit = c.params.ftl.map_unit / 512;
    x.armed = true;
    write_until_lost(d, unit, 1000);
    x.armed = false;
    CHECK(d.nand.counters().read_only == 1);
    std::size_t lost = lost_units(d, unit).size();
    CHECK(lost > 60);
    for (int cut = 0; cut < 3; ++cut) {
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == 2);
        d.check_everything();
        d.idle();
        const std::size_t now = lost_units(d, unit).size();
        CHECK(now > 30);
        CHECK((cut == 0 ? now <= lost : now == lost)); // power-up has as many marks more
        lost = now;
    }
    d.check_rules();
    CHECK(d.mismatches == 0);
}

} // namespace ssdvp::test::lost_power_test
