// SPDX-License-Identifier: Apache-2.0
//
// What the cells allow: erase before program, page order, endurance, bad blocks.
#include <catch2/catch.hpp>

#include "models/flash/die/cell_array.h"
#include "tests/models/flash_numbers.h"

namespace flash_cells_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

die_config part()
{
    die_config c;
    c.geo = {2, 400, 4, 4096, 64};
    c.endurance = 3;
    return c;
}

struct fixture {
    fault_log faults;
    cell_array cells;
    page_register page{4096, 16};
    explicit fixture(const die_config& c = part(), die_index die = die_index(0))
        : cells(c, "cells", &faults, die)
    {
        page.begin(data_form::tags);
    }
};

} // namespace

TEST_CASE("pages of a block are programmed in order, once")
{
    fixture f;
    CHECK(f.cells.program(page_at(0, 1, 0), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 1, 1), f.page) == FLASH_STATUS_OK);
    CHECK(f.faults.count() == 0);
    CHECK(f.cells.program(page_at(0, 1, 1), f.page) == FLASH_STATUS_PHYSICS); // not erased
    CHECK(f.faults.count() == 1);
    CHECK(f.cells.program(page_at(0, 1, 3), f.page) == FLASH_STATUS_PHYSICS); // out of order
    CHECK(f.faults.count() == 2);
    CHECK(f.cells.program(page_at(0, 1, 2), f.page) ==
          FLASH_STATUS_OK); // a violation changes nothing
    CHECK(f.cells.program(page_at(1, 1, 0), f.page) == FLASH_STATUS_OK); // planes are independent
    CHECK(f.cells.erase(page_at(0, 1, 0)) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 1, 0), f.page) == FLASH_STATUS_OK);
    CHECK(f.faults.count() == 2);
}

TEST_CASE("a part that takes any page order takes each page once per erase")
{
    die_config c = part();
    c.order = page_order::any;
    fixture f(c);
    CHECK(f.cells.program(page_at(0, 1, 3), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 1, 1), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.programmed(plane_index(0), block_index(1)) == 2);
    for (std::uint32_t page = 0; page < 4; ++page) {
        CHECK(f.cells.holds(page_at(0, 1, page)) == (page == 1 || page == 3));
        CHECK_FALSE(f.cells.holds(page_at(1, 1, page))); // planes are independent
    }
    CHECK(f.faults.count() == 0);
    CHECK(f.cells.program(page_at(0, 1, 1), f.page) == FLASH_STATUS_PHYSICS); // not erased
    CHECK(f.cells.program(page_at(0, 1, 3), f.page) == FLASH_STATUS_PHYSICS);
    CHECK(f.faults.count() == 2);
    CHECK(f.cells.program(page_at(0, 1, 0), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 1, 2), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.erase(page_at(0, 1, 0)) == FLASH_STATUS_OK);
    CHECK_FALSE(f.cells.holds(page_at(0, 1, 3)));
    CHECK(f.cells.program(page_at(0, 1, 2), f.page) == FLASH_STATUS_OK);
    CHECK_FALSE(f.cells.holds(page_at(0, 1, 3))); // nothing is left of what was there before
    CHECK(f.faults.count() == 2);
}

TEST_CASE("SLC mode is the block's from its first program on, whichever page that is")
{
    die_config c = part();
    c.order = page_order::any;
    c.cell = cell_type::mlc; // 2 pages in SLC mode
    fixture f(c);
    const program_way slc{cell_access::timed, FLASH_MODE_SLC};
    CHECK(f.cells.program(page_at(0, 1, 1), f.page, slc) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 1, 0), f.page) == FLASH_STATUS_PHYSICS);
    CHECK(f.cells.program(page_at(0, 1, 0), f.page, slc) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 2, 3), f.page) == FLASH_STATUS_OK);
    CHECK(f.cells.program(page_at(0, 2, 0), f.page, slc) == FLASH_STATUS_PHYSICS);
}

TEST_CASE("a program that a power cut broke off takes its page alone")
{
    die_config c = part();
    c.order = page_order::any;
    fixture f(c);
    f.cells.cut_program(page_at(0, 1, 2), f.page, {});
    CHECK(f.cells.torn(page_at(0, 1, 2)));
    CHECK(f.cells.program(page_at(0, 1, 2), f.page) == FLASH_STATUS_PHYSICS);
    CHECK(f.cells.program(page_at(0, 1, 1), f.page) == FLASH_STATUS_OK);
    CHECK_FALSE(f.cells.torn(page_at(0, 1, 1)));
    CHECK(f.cells.torn_pages() == 1);
}

TEST_CASE("a block takes `endurance` erases, the next one fails and the block is bad")
{
    fixture f;
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(f.cells.erase(page_at(0, 2, 0)) == FLASH_STATUS_OK);
    }
    CHECK(f.cells.erase_count(plane_index(0), block_index(2)) == 3);
    CHECK(f.cells.erase(page_at(0, 2, 0)) == FLASH_STATUS_ERASE_FAIL);
    CHECK(f.cells.erase_count(plane_index(0), block_index(2)) == 3);
    CHECK(f.cells.program(page_at(0, 2, 0), f.page) == FLASH_STATUS_PROGRAM_FAIL);
    CHECK(f.cells.erase(page_at(0, 3, 0)) == FLASH_STATUS_OK);
    CHECK(f.faults.count() == 0); // wear is no firmware error
}

TEST_CASE("factory bad blocks are marked, fail, and follow seed and die")
{
    die_config c = part();
    c.factory_bad_share = 0.05;
    fixture f(c);
    unsigned bad = 0;
    unsigned differ = 0;
    fixture same(c);
    fixture other(c, die_index(1));
    for (std::uint32_t plane = 0; plane < 2; ++plane) {
        for (std::uint32_t block = 0; block < 400; ++block) {
            const bool is_bad = f.cells.factory_bad(plane_index(plane), block_index(block));
            bad += is_bad ? 1 : 0;
            CHECK(same.cells.factory_bad(plane_index(plane), block_index(block)) == is_bad);
            differ +=
                other.cells.factory_bad(plane_index(plane), block_index(block)) != is_bad ? 1 : 0;
            unsigned char mark = 0xAA;
            f.cells.read_oob(page_at(plane, block, 0), &mark, 1);
            REQUIRE(mark == (is_bad ? 0x00 : 0xFF));
            if (is_bad) {
                CHECK(f.cells.program(page_at(plane, block, 0), f.page) ==
                      FLASH_STATUS_PROGRAM_FAIL);
                CHECK(f.cells.erase(page_at(plane, block, 0)) == FLASH_STATUS_ERASE_FAIL);
            }
        }
    }
    CHECK_FALSE(f.cells.factory_bad(plane_index(0), block_index(0)));
    CHECK(bad >= 20); // 800 blocks at 5 %: 40, standard deviation 6
    CHECK(bad <= 60);
    CHECK(differ > 0);
}

} // namespace flash_cells_test
