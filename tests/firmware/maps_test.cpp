// SPDX-License-Identifier: Apache-2.0
//
// Maps on the flash (firmware/map/maps.h), against the bytes that docs/SPEC.md promises.
#include "models/regs/choices/ftl_scheme.h"
#include "tests/firmware/map_bench.h"

namespace ssdvp::test::maps_test {
namespace {

ram_config every_byte()
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 2;
    return c;
}

/// Units of 512 bytes: 128 entries a page, so 2176 units have 17 pages and a top.
ram_config small_units(std::uint64_t user_units)
{
    ram_config c = every_byte();
    c.params.ftl.map_unit = 512;
    c.params.geometry.page_size = 2048;
    c.params.geometry.oob_size = 40;
    c.params.ftl.user_units = user_units;
    c.params.cache.capacity = 64 * 512;
    return c;
}

} // namespace

TEST_CASE("maps: after a shutdown each page is on the flash, its entries are where the data are")
{
    drive d(every_byte());
    d.create_queues();
    scatter(d, 1, 400);
    shut_down(d);
    const map_on_flash m = walk(d.nand, 4);
    CHECK(m.levels == 2); // 3 pages of 1024 entries, and the top
    CHECK(m.mapped == d.nand.counters().mapped);
    CHECK(m.mapped > 500);
}

TEST_CASE("maps: three levels of small units, found by a clean boot and by replay")
{
    // 96 blocks x 8 pages x 8 planes x 4 units = 24576; 17000 units have 133 pages, 2 and 1.
    ram_config c = small_units(17000);
    c.params.geometry.blocks_per_plane = 96;
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 8);
    scatter(d, 2, 500);
    flush(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    shut_down(d);
    const map_on_flash m = walk(d.nand, 4);
    CHECK(m.levels == 3);
    CHECK(m.mapped == 17000);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    d.check_everything();
    scatter(d, 3, 500);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("maps: an address plus one of 31 bits has 4 bytes, beyond it has 8, both are recovered")
{
    // 6 bits below the row of 530 * 65535. Before the last 16 superblocks only the anchor's blocks
    // are good: plane 0 of the one LUN from block 265 on, of the other below it.
    ram_config c = tiny_drive();
    c.params.ftl.map_unit = 512;
    c.params.geometry.page_size = 4096;
    c.params.geometry.oob_size = 72;
    c.params.geometry.planes = 4;
    c.params.geometry.channels = 2;
    c.params.geometry.luns_per_channel = 1;
    c.params.geometry.pages_per_block = 65535;
    c.params.geometry.blocks_per_plane = 530;
    c.params.ftl.user_units = 4000;
    c.params.dram_size = 1u << 30;
    c.params.cache.capacity = 128 * 512;
    for (std::uint32_t n = 0; n < 8; ++n) {
        for (std::uint32_t block = 0; block < 514; ++block) {
            if (n > 1 || block < 262 || block > 267 || (block < 265) != (n == 1)) {
                c.factory_bad.insert({n % 2, 0, n / 2, block});
            }
        }
    }
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    write_all(d, 0, d.sectors(), 8);
    scatter(d, 4, 500);
    flush(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
    shut_down(d);
    const flash_reader flash(d.nand);
    std::uint64_t beyond = 0;
    for (const auto& unit : flash.newest(kind::data)) {
        beyond += unit.second.address + 1 > 0x7FFFFFFF ? 1 : 0;
    }
    CHECK(beyond > 0);
    CHECK(walk(d.nand, 8).mapped == 4000);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("maps: a damaged page makes the drive read only, its units answer Unrecovered Read Error")
{
    drive d(every_byte());
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    // The second of three pages, of units 1024 to 2047.
    const auto pages = flash_reader(d.nand).newest(kind::map);
    const std::uint64_t damaged = pages.at(1ull << 32 | 1).address;
    d.nand.power_cut();
    d.forget();
    ram_image cells = d.nand.image();
    const flash_reader off(d.nand);
    for (const found_page& page : off.pages) {
        for (std::uint64_t slot = 0; slot < page.words.size(); ++slot) {
            if (off.address_of(page, slot) == damaged) {
                d.nand.pages_of(d.nand.block_of(cells, page.at))
                    .data[page.page * 8192 + slot * 4096 + 77] ^= 4;
            }
        }
    }
    d.nand.insert(cells);
    d.nand.power_on();
    REQUIRE(d.nand.enable());
    d.create_queues();
    d.nand.settle();
    const auto read = [&](std::uint64_t unit) {
        std::vector<std::uint8_t> data(4096);
        return d.nand.execute(1, io(NVME_IO_READ, unit * 8, 8), &data).status;
    };
    CHECK(read(1023) == 0);
    CHECK(read(1024) == 0x281);
    CHECK(read(2047) == 0x281);
    CHECK(read(2048) == 0);
    CHECK(d.nand.counters().read_only == 1);
    std::vector<std::uint8_t> data(4096, 1);
    CHECK(d.nand.execute(1, io(NVME_IO_WRITE, 0, 8), &data).status != 0);
    CHECK_FALSE(d.nand.panicked());
}

TEST_CASE("maps: pages that cannot be read again are lost once, and what is counted adds up")
{
    const auto [scheme, cache] = GENERATE(table<std::uint32_t, std::uint64_t>(
        {{FTL_SCHEME_DFTL, 64 * BOOT_MAP_CACHE_ENTRY}, {FTL_SCHEME_LOG_SET, 8 * 512}}));
    INFO("scheme " << scheme);
    erring_drive x(many_map_pages(scheme, cache));
    drive& d = *x.d;
    const telemetry& t = d.nand.counters();
    const std::uint64_t units = d.sectors(); // of 512 bytes
    fill(d);
    REQUIRE(t.mapped == units);
    // Acknowledged, and in the buffer until their map pages are asked for.
    for (std::uint64_t lba = 0; lba < units; lba += units / 8) {
        REQUIRE(d.start_write(lba, 1));
    }
    d.drain();
    // Pages of dftl come in again: what has been lost and written can be read then.
    const std::uint64_t written = scheme == FTL_SCHEME_DFTL ? t.map_units_written : UINT64_MAX;
    x.fate = [&t, written](const nand_place&, const flash_desc& r) {
        const bool lost = r.purpose == FLASH_PURPOSE_MAP && t.map_units_written <= written;
        return ram_config::read_result{lost, 0, false};
    };
    x.armed = true;
    d.start_flush();
    d.idle();
    x.armed = false;
    CHECK(t.read_only == 1);
    CHECK(t.mapped == t.valid);
    const auto lost = [&d] {
        std::vector<std::uint64_t> all;
        for (std::uint64_t lba = 0; lba < d.sectors(); ++lba) {
            if (status_of_read(d, lba, 1) == unrecovered) {
                all.push_back(lba);
            }
        }
        return all;
    };
    const std::vector<std::uint64_t> first = lost();
    CHECK(first.size() > units / 10); // two pages of the map at least
    CHECK(first.size() == t.lost_units);
    CHECK(lost() == first); // though the flash could tell by now
    shut_down(d);
    power_cycle(d);
    CHECK(lost() == first);
    CHECK(t.lost_units == first.size());
    CHECK(t.read_only == 0); // all is known of them: new data cure them
    write_all(d, 0, units, 8);
    flush(d);
    CHECK(t.lost_units == 0);
    CHECK(t.mapped == units);
    CHECK(t.mapped == t.valid);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("maps: a page that only firmware reads is tried at all levels in turns")
{
    ram_config c = many_map_pages(FTL_SCHEME_LOG_SET, 8 * 512);
    c.params.flash.retry_levels = 2;
    c.params.gc.copyback_bits = 1; // reads may find bit errors
    erring_drive x(c);
    drive& d = *x.d;
    fill(d);
    std::vector<std::uint32_t> levels;
    x.fate = [&levels](const nand_place&, const flash_desc& r) {
        if (r.purpose == FLASH_PURPOSE_MAP && levels.size() < 9) {
            levels.push_back(r.retry);
        }
        return ram_config::read_result{r.purpose == FLASH_PURPOSE_MAP && levels.size() < 9, 0,
                                       false};
    };
    x.armed = true;
    CHECK(status_of_read(d, 0, 1) == 0);
    CHECK(levels == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2});
    CHECK(d.nand.counters().read_only == 0);
    all_right(d);
}

} // namespace ssdvp::test::maps_test
