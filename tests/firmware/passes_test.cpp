// SPDX-License-Identifier: Apache-2.0
//
// Word lines in two passes on the RAM drive, whose cells refuse any other order of passes: the
// order by hand, what is read meanwhile, what a flush fills up, and word lines that fail.
#include "tests/firmware/cut_rounds.h"
#include "tests/firmware/nvme_commands.h"

namespace ssdvp::test::passes_test {
namespace {

/// One plane with pages of one unit, two of them in a word line.
ram_config two_passes()
{
    ram_config c = one_plane();
    boot_params& p = c.params;
    p.word_line = 2;
    p.pages_per_block = 16;
    p.blocks_per_plane = 64;
    p.cache_capacity = 64 * p.map_unit;
    return c;
}

/// Pages of each block that are programmed for the host, in their order.
using order = std::map<std::uint32_t, std::vector<std::uint32_t>>;

void record(ram_config& c, order& to)
{
    c.on_program = [&to](const nand_place& p, const flash_desc& d) {
        if (d.purpose == FLASH_PURPOSE_HOST) {
            to[p.block].push_back(d.page);
        }
        return false;
    };
}

/// One by one, so that they leave in order.
void write_units(drive& d, std::uint64_t first, std::uint64_t count)
{
    const std::uint64_t sectors = d.nand.config.params.map_unit / 512;
    for (std::uint64_t n = first; n < first + count; ++n) {
        REQUIRE(d.start_write(n * sectors, static_cast<std::uint32_t>(sectors)));
        d.idle();
    }
}

std::uint64_t host_reads(const drive& d)
{
    return d.nand.count(FLASH_PURPOSE_HOST).reads;
}

} // namespace

TEST_CASE("passes: four word lines go to the flash in the order of the part")
{
    ram_config c = two_passes();
    order pages;
    record(c, pages);
    drive d(c);
    d.create_queues();
    write_units(d, 0, 8);
    flush(d);
    d.idle();
    REQUIRE(pages.size() == 1);
    // 0c 1c 0f 2c 1f 3c 2f, then word line 4 of padding, so that word line 3 ends: 4c 3f.
    CHECK(pages.begin()->second ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 6, 7, 4, 5, 8, 9, 6, 7});
    CHECK(d.nand.counters().host_units_written == 8);
    CHECK(d.nand.counters().pad_units == 0); // word line 4 has had no fine pass
    d.check_everything();
}

TEST_CASE("passes: a flush fills up its word line and the next one")
{
    ram_config c = two_passes();
    order pages;
    record(c, pages);
    drive d(c);
    d.create_queues();
    write_units(d, 0, 1);
    flush(d);
    CHECK(pages.begin()->second == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1});
    CHECK(d.nand.counters().pad_units == 1);
    write_units(d, 1, 1); // behind the padding, whose fine pass comes now
    flush(d);
    CHECK(pages.begin()->second ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 4, 5, 2, 3, 6, 7, 4, 5});
    CHECK(d.nand.counters().pad_units == 4);
    d.check_everything();
}

TEST_CASE("passes: what is between its passes is read from the buffer")
{
    ram_config c = two_passes();
    c.params.cache_capacity = 16 * c.params.map_unit;
    drive d(c);
    d.create_queues();
    write_units(d, 0, 12); // some of them have had their coarse pass
    const std::uint64_t before = host_reads(d);
    for (std::uint64_t n = 0; n < 12; ++n) {
        REQUIRE(d.start_read(n, 1));
        d.idle();
    }
    CHECK(d.mismatches == 0);
    CHECK(host_reads(d) - before < 12);
    flush(d);
    d.check_everything();
}

TEST_CASE("passes: word lines that fail are written elsewhere, losses of power lose nothing")
{
    ram_config c = two_passes();
    for (std::uint32_t block = 3; block < 40; block += 9) {
        c.weak.insert({0, 0, 0, block});
        c.weak_page = 5;
    }
    drive d(c);
    d.create_queues();
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        const std::uint64_t lba = random() % d.sectors();
        while (!d.start_write(lba, 1)) {
            REQUIRE(d.pump());
        }
        if (round % 40 == 39) {
            flush(d);
        }
    }
    flush(d);
    d.check_everything();
    CHECK(d.nand.failed_blocks() != 0);
}

} // namespace ssdvp::test::passes_test
