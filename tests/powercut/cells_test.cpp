// SPDX-License-Identifier: Apache-2.0
//
// What a power cut leaves in the cells of the RAM NAND, operation by operation.
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/support/ram_cells.h"

namespace ssdvp::test::cells_test {
namespace {

constexpr std::uint64_t data_at = MAP_DRAM_BASE;
constexpr std::uint64_t oob_at = MAP_DRAM_BASE + 65536;

/// Cells without a drive around them.
struct bare_cells : ram_cells {
    explicit bare_cells(const ram_config& c = tiny_drive()) : ram_cells(c) {}
    void set_feature(std::uint32_t, const flash_desc&) override {}

    static flash_desc make(flash_op op, std::uint32_t block, std::uint32_t page)
    {
        flash_desc d{};
        d.op = static_cast<std::uint8_t>(op);
        d.plane_mask = 3;
        d.purpose = FLASH_PURPOSE_RECOVERY;
        d.block = block;
        d.page = page;
        return d;
    }
    flash_desc with_data(flash_op op, std::uint32_t block, std::uint32_t page)
    {
        flash_desc d = make(op, block, page);
        d.length = config.params.geometry.page_size;
        d.buffer = data_at;
        d.oob = oob_at;
        d.oob_length = 8;
        return d;
    }
    std::uint8_t program(std::uint32_t block, std::uint32_t page, std::uint64_t value)
    {
        for (std::uint32_t at = 0; at < 2 * config.params.geometry.page_size; at += 512) {
            std::memcpy(memory(data_at + at), &value, 8);
        }
        std::memcpy(memory(oob_at), &value, 8);
        std::memcpy(memory(oob_at + 8), &value, 8);
        return perform(0, with_data(FLASH_OP_PROGRAM, block, page)).status;
    }
    struct seen {
        std::uint8_t status, planes;
        std::uint64_t first, oob;
    };
    seen read(std::uint32_t block, std::uint32_t page, std::uint8_t retry = 0)
    {
        flash_desc d = with_data(FLASH_OP_READ, block, page);
        d.retry = retry;
        const flash_completion c = perform(0, d);
        seen s{c.status, c.plane_fail, 0, 0};
        std::memcpy(&s.first, memory(data_at), 8);
        std::memcpy(&s.oob, memory(oob_at), 8);
        return s;
    }
    std::uint8_t erase(std::uint32_t block)
    {
        return perform(0, make(FLASH_OP_ERASE, block, 0)).status;
    }
    std::uint8_t run(const flash_desc& d) { return perform(0, d).status; }
    void put(std::uint64_t at, std::uint64_t value) { std::memcpy(memory(at), &value, 8); }
    std::uint64_t word(std::uint64_t at)
    {
        std::uint64_t value = 0;
        std::memcpy(&value, memory(at), 8);
        return value;
    }
    void cut_in(const flash_desc& d) { tear(m_blocks, 0, d); }
    ram_image& image() { return m_blocks; }
};

} // namespace

TEST_CASE("cells: an erased page reads FFh and is no error, a programmed one what was written")
{
    bare_cells c;
    CHECK(c.read(0, 0).first == ~0ull);
    CHECK(c.read(0, 0).oob == ~0ull);
    CHECK(c.program(0, 0, 7) == FLASH_STATUS_OK);
    const auto s = c.read(0, 0);
    CHECK(s.status == FLASH_STATUS_OK);
    CHECK(s.first == 7);
    CHECK(s.oob == 7);
    CHECK(c.erase(0) == FLASH_STATUS_OK);
    CHECK(c.read(0, 0).first == ~0ull);
    CHECK(c.broken().empty());
}

TEST_CASE("cells: a page being programmed is torn in each plane and counts as programmed")
{
    ram_config config = tiny_drive();
    config.params.flash.retry_levels = 3;
    bare_cells c(config);
    c.program(0, 0, 7);
    c.cut_in(c.with_data(FLASH_OP_PROGRAM, 0, 1));
    CHECK(c.read(0, 0).status == FLASH_STATUS_OK);
    for (std::uint8_t retry = 0; retry <= 3; ++retry) {
        const auto s = c.read(0, 1, retry);
        CHECK(s.status == FLASH_STATUS_UNCORRECTABLE);
        CHECK(s.planes == 3);
        CHECK(s.first != ~0ull);
        CHECK(s.oob != ~0ull);
        CHECK(s.first == c.read(0, 1).first); // the same garbage each time
    }
    CHECK(c.program(0, 2, 8) == FLASH_STATUS_OK); // the next page, not this one
    CHECK(c.broken().empty());
    CHECK(c.program(0, 1, 9) == FLASH_STATUS_PHYSICS);
    CHECK(c.broken().size() == 2);
    CHECK(c.erase(0) == FLASH_STATUS_OK);
    CHECK(c.program(0, 0, 9) == FLASH_STATUS_OK);
    CHECK(c.program(0, 1, 9) == FLASH_STATUS_OK);
    CHECK(c.read(0, 1).first == 9);
}

TEST_CASE("cells: pages come in order, or with any_order whenever they are erased")
{
    bare_cells in_order;
    CHECK(in_order.program(0, 1, 7) == FLASH_STATUS_PHYSICS);
    CHECK(in_order.broken().size() == 2); // planes

    ram_config config = tiny_drive();
    config.any_order = true;
    bare_cells c(config);
    CHECK(c.program(0, 3, 7) == FLASH_STATUS_OK);
    c.cut_in(c.with_data(FLASH_OP_PROGRAM, 0, 1));
    CHECK(c.program(0, 0, 8) == FLASH_STATUS_OK);
    CHECK(c.read(0, 0).first == 8);
    CHECK(c.read(0, 1).status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.read(0, 2).first == ~0ull);
    CHECK(c.read(0, 2).oob == ~0ull);
    CHECK(c.read(0, 3).first == 7);
    CHECK(c.pages().size() == 4); // two whole ones in each plane
    CHECK(c.broken().empty());
    CHECK(c.program(0, 1, 9) == FLASH_STATUS_PHYSICS); // torn: it counts as programmed
    CHECK(c.program(0, 3, 9) == FLASH_STATUS_PHYSICS);
    CHECK(c.broken().size() == 4);
    CHECK(c.erase(0) == FLASH_STATUS_OK);
    CHECK(c.program(0, 2, 9) == FLASH_STATUS_OK);
    CHECK(c.read(0, 3).first == ~0ull); // nothing is left of what was there before
}

TEST_CASE("cells: only the planes of the operation are torn")
{
    bare_cells c;
    flash_desc d = c.with_data(FLASH_OP_PROGRAM, 0, 0);
    d.plane_mask = 2;
    c.cut_in(d);
    const auto s = c.read(0, 0);
    CHECK(s.planes == 2);
    CHECK(s.first == ~0ull);
}

TEST_CASE("cells: a copyback tears its destination and leaves its source")
{
    bare_cells c;
    c.program(0, 0, 7);
    flash_desc d = c.make(FLASH_OP_COPYBACK, 0, 0);
    d.to_block = 1;
    c.cut_in(d);
    CHECK(c.read(0, 0).first == 7);
    CHECK(c.read(1, 0).status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.read(1, 1).status == FLASH_STATUS_OK);
}

TEST_CASE("cells: a block being erased is neither old nor clean until an erase has ended")
{
    bare_cells c;
    for (std::uint32_t page = 0; page < 3; ++page) {
        c.program(0, page, 7);
    }
    c.cut_in(c.make(FLASH_OP_ERASE, 0, 0));
    CHECK(c.erases({0, 0, 0, 0}) == 1); // it wore the block
    for (std::uint32_t page = 0; page < 8; ++page) {
        CHECK(c.read(0, page).status == FLASH_STATUS_UNCORRECTABLE);
    }
    CHECK(c.broken().empty());
    CHECK(c.program(0, 3, 9) == FLASH_STATUS_PHYSICS);
    CHECK(c.program(0, 0, 9) == FLASH_STATUS_PHYSICS);
    CHECK(c.broken().size() == 4);
    c.cut_in(c.make(FLASH_OP_ERASE, 0, 0)); // once more
    CHECK(c.read(0, 0).status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.erase(0) == FLASH_STATUS_OK);
    CHECK(c.program(0, 0, 9) == FLASH_STATUS_OK);
    CHECK(c.read(0, 0).first == 9);
    CHECK(c.read(0, 1).first == ~0ull);
}

TEST_CASE("cells: an erased block whose erase was cut takes no program either")
{
    bare_cells c;
    c.cut_in(c.make(FLASH_OP_ERASE, 0, 0));
    CHECK(c.read(0, 0).status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.program(0, 0, 9) == FLASH_STATUS_PHYSICS);
}

TEST_CASE("cells: a failed program leaves garbage, a failed block fails for ever")
{
    ram_config config = tiny_drive();
    config.on_program = [](const nand_place& p, const flash_desc& d) {
        return p.plane == 0 && d.page == 1;
    };
    bare_cells c(config);
    CHECK(c.program(0, 0, 7) == FLASH_STATUS_OK);
    CHECK(c.program(0, 1, 8) == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(c.failed_blocks() == 1);
    CHECK(c.read(0, 1).planes == 1);
    CHECK(c.read(0, 0).first == 7);
    CHECK(c.erase(0) == FLASH_STATUS_ERASE_FAIL);
    CHECK(c.failed_blocks() == 1);
}

TEST_CASE("cells: pages of metadata keep every byte while data keep 8 of each sector")
{
    bare_cells c;
    flash_desc d = c.with_data(FLASH_OP_PROGRAM, 0, 0);
    d.flags = FLASH_FLAG_METADATA;
    d.plane_mask = 1;
    c.put(data_at, 1);
    c.put(data_at + 8, 2);
    CHECK(c.run(d) == FLASH_STATUS_OK);
    d.page = 1;
    d.flags = 0;
    CHECK(c.run(d) == FLASH_STATUS_OK);
    d.op = FLASH_OP_READ;
    for (const std::uint32_t page : {0u, 1u}) {
        c.put(data_at, 9);
        c.put(data_at + 8, 9);
        d.page = page;
        d.flags = page == 0 ? FLASH_FLAG_METADATA : 0;
        CHECK(c.run(d) == FLASH_STATUS_OK);
        CHECK(c.word(data_at) == 1);
        CHECK(c.word(data_at + 8) == (page == 0 ? 2 : 9));
    }
}

TEST_CASE("cells: images share pages until one of them changes")
{
    bare_cells c;
    c.program(0, 0, 7);
    ram_image before = c.image();
    CHECK(before[0].pages == c.image()[0].pages);
    c.program(0, 1, 8);
    CHECK(before[0].pages != c.image()[0].pages);
    CHECK(before[0].programmed == 1);
    c.image() = before;
    CHECK(c.read(0, 0).first == 7);
    CHECK(c.read(0, 1).first == ~0ull);
}

} // namespace ssdvp::test::cells_test
