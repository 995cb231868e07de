// SPDX-License-Identifier: Apache-2.0
//
// Power-up of a drive whose cells are damaged (firmware/durable): what cannot be read is an error,
// never empty, and a drive that held data is none that was just made.
#include <algorithm>

#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"
#include "tests/firmware/other_cells.h"

namespace ssdvp::test::recovery_lost_test {

namespace {

/// A drive that was written, shut down, and lost power soon after its next power-up.
void write_and_lose_power(drive& d)
{
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    power_cycle(d);
    write_all(d, 0, 16, 16);
    flush(d);
}

/// Of a superblock no page can be read any more.
void tear_superblock(drive& d, ram_image& cells, std::uint32_t block)
{
    const boot_params& p = d.nand.config.params;
    for (nand_place at{0, 0, 0, block}; at.channel < p.geometry.channels; ++at.channel) {
        for (at.lun = 0; at.lun < p.geometry.luns_per_channel; ++at.lun) {
            for (at.plane = 0; at.plane < p.geometry.planes; ++at.plane) {
                ram_block& b = d.nand.block_of(cells, at);
                b.torn = b.programmed != 0;
            }
        }
    }
}

} // namespace

TEST_CASE("recovery: what lay in a superblock that cannot be read is an error, not empty")
{
    for (const kind lost : {kind::data, kind::map}) {
        INFO("a superblock of kind " << static_cast<int>(lost));
        drive d(every_byte());
        write_and_lose_power(d);
        const flash_reader flash(d.nand);
        ram_image cells = d.nand.image();
        // A unit written long before the cut; of the map the page of the highest level.
        const auto newest = flash.newest(lost);
        REQUIRE(newest.size() > 1);
        const std::uint64_t index = lost == kind::data ? 200 : newest.rbegin()->first;
        for (const found_page& page : flash.pages) {
            if (flash.address_of(page, 0) == newest.at(index).address ||
                flash.address_of(page, 1) == newest.at(index).address) {
                tear_superblock(d, cells, page.at.block);
            }
        }
        d.nand.config.planted = true;
        cut_and_insert(d, cells);
        REQUIRE_FALSE(d.nand.panicked());
        REQUIRE(d.nand.enable());
        d.create_queues();
        d.check_everything();
        CHECK(d.mismatches == 0);
        CHECK(d.statuses[NVME_SC_UNRECOVERED_READ_ERROR] != 0);
    }
}

TEST_CASE("recovery: without a record garbage is no new drive")
{
    drive d(every_byte());
    write_and_lose_power(d);
    ram_image cells = d.nand.image();
    const ram_image none(cells.size());
    for (const found_page& page : flash_reader(d.nand).pages) {
        ram_block& b = d.nand.block_of(cells, page.at);
        if (page.what(0) == kind::anchor) {
            b = none.front();
        } else {
            const std::uint32_t oob = d.nand.config.params.geometry.oob_size;
            std::uint8_t* words = &d.nand.pages_of(b).oob[std::size_t{page.page} * oob];
            std::for_each(words, words + oob, [](std::uint8_t& byte) { byte ^= 0x55; });
        }
    }
    d.nand.config.quiet = true;
    cut_and_insert(d, cells);
    CHECK(d.nand.panic_text().find("boot failed") != std::string::npos);
}

TEST_CASE("recovery: blocks without a readable page had records, though each had room for one only")
{
    ram_config c = every_byte();
    c.params.geometry.pages_per_block = 5; // a record has three
    c.params.ftl.user_units = 15 * 80;
    c.params.map.checkpoint_units = 1;
    drive d(c);
    write_and_lose_power(d);
    ram_image cells = d.nand.image();
    for (const found_page& page : flash_reader(d.nand).pages) {
        d.nand.pages_of(d.nand.block_of(cells, page.at)).torn[page.page] = 1;
    }
    d.nand.config.quiet = true;
    cut_and_insert(d, cells);
    CHECK(d.nand.panic_text().find("boot failed") != std::string::npos);
}

TEST_CASE("recovery: copies of the anchor of which each lacks another page make a whole one")
{
    ram_config c = every_byte();
    c.params.map.checkpoint_units = 1;
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    shut_down(d);
    ram_image cells = d.nand.image();
    const flash_reader flash(d.nand);
    for (const bool last : {false, true}) {
        const auto record = flash.record(flash.newest_record(), last);
        REQUIRE(record.size() == 3); // tables, journal, the record itself
        const found_page& page = record[last ? 1 : 0];
        d.nand.pages_of(d.nand.block_of(cells, page.at)).torn[page.page] = 1;
    }
    cut_and_insert(d, cells);
    REQUIRE_FALSE(d.nand.panicked());
    REQUIRE(d.nand.enable());
    d.create_queues();
    CHECK(d.nand.counters().recovery_kind == 1);
    d.check_everything();
    d.check_rules();
}

TEST_CASE(
    "recovery: where pages err the copies of the anchor lie at other pages of their word lines")
{
    const std::uint32_t bits = GENERATE(3u, 4u); // pages of a word line, the last ones are weak
    INFO(bits << " bits per cell");
    ram_config c = every_byte();
    c.params.map.checkpoint_units = 1;
    c.params.gc.copyback_bits = 1; // reads may find bit errors
    erring_drive x(c);
    drive& d = *x.d;
    x.fate = [bits](const nand_place&, const flash_desc& r) {
        const bool anchor = r.purpose == FLASH_PURPOSE_RECOVERY && r.length != 0;
        return ram_config::read_result{anchor && r.page % bits >= 2, 0, false};
    };
    for (std::uint64_t n = 0; n < 12; ++n) { // wherever the newest record lies in its block
        write_all(d, 0, 16 * (n + 1), 16);
        x.armed = false;
        shut_down(d);
        x.armed = true;
        power_cycle(d);
        REQUIRE_FALSE(d.nand.panicked());
        CHECK(d.nand.counters().recovery_kind == 1);
        x.armed = false;
        d.check_everything();
    }
    d.check_rules();
}

} // namespace ssdvp::test::recovery_lost_test
