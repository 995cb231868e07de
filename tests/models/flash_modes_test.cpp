// SPDX-License-Identifier: Apache-2.0
//
// Program modes: SLC mode and shallow programs behind their prefix, word lines in one pass.
#include "tests/models/flash_bench.h"

namespace flash_modes_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t source = bench::data_base;
constexpr std::uint64_t sink = bench::data_base + 0x400000;
constexpr sim_time tWC = 25_ns;

/// A TLC part of 12 pages per block: 4 in SLC mode.
channel_config with_modes()
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.data = data_mode::full;
    c.die.timing.tPROG = {900_us};
    c.die.timing.slc = {20_us, 150_us, 4_ms};
    c.die.timing.tPROG_shallow = 400_us;
    return c;
}

flash_desc in_mode(flash_op op, unsigned tag, flash_program_mode mode, std::uint32_t page = 0)
{
    flash_desc d = descriptor(op, tag);
    d.program_mode = static_cast<std::uint8_t>(mode);
    d.page = page;
    d.buffer = op == FLASH_OP_PROGRAM ? source : sink;
    return d;
}

sim_time lasts(bench& b, const flash_desc& d, flash_status expected = FLASH_STATUS_OK)
{
    const sim_time begin = now();
    b.submit(d);
    b.run();
    CHECK(b.answers.at(d.tag).status == expected);
    b.return_entries();
    return b.posted.at(d.tag) - begin;
}

void fill(bench& b, unsigned seed)
{
    for (std::uint32_t i = 0; i < 4096; ++i) {
        *b.memory.at(source + i) = static_cast<unsigned char>(i * 13 + i / 512 * 7 + seed);
    }
}

bool came_back(bench& b)
{
    return std::memcmp(b.memory.at(source), b.memory.at(sink), 4096) == 0;
}

} // namespace

TEST_CASE("SLC mode: one prefix cycle per command, the mode's own array times, the data again")
{
    bench b(with_modes());
    fill(b, 1);
    const sim_time program = lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL));
    const sim_time read = lasts(b, in_mode(FLASH_OP_READ, 1, FLASH_MODE_NORMAL));
    const sim_time erase = lasts(b, in_mode(FLASH_OP_ERASE, 1, FLASH_MODE_NORMAL));
    CHECK(lasts(b, in_mode(FLASH_OP_ERASE, 1, FLASH_MODE_SLC)) == erase - 15_ms + 4_ms + tWC);
    CHECK(lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC)) ==
          program - 900_us + 150_us + tWC);
    std::memset(b.memory.at(sink), 0, 4096);
    CHECK(lasts(b, in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC)) == read - 40_us + 20_us + tWC);
    CHECK(came_back(b));
}

TEST_CASE("SLC mode: the prefix comes before each plane's command")
{
    bench b(with_modes());
    flash_desc normal = in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL);
    normal.plane_mask = 0b1011;
    flash_desc slc = in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC);
    slc.plane_mask = normal.plane_mask;
    slc.block = 1;
    const sim_time plain = lasts(b, normal);
    CHECK(lasts(b, slc) == plain - 900_us + 150_us + 3 * tWC);
}

TEST_CASE("a shallow program is faster, and read as any other")
{
    bench b(with_modes());
    fill(b, 2);
    const sim_time normal = lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL));
    CHECK(lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SHALLOW, 1)) ==
          normal - 900_us + 400_us + tWC);
    lasts(b, in_mode(FLASH_OP_READ, 1, FLASH_MODE_NORMAL, 1));
    CHECK(came_back(b));
}

TEST_CASE("a block in SLC mode has a third of its pages, and none in another mode")
{
    bench b(with_modes());
    for (std::uint32_t page = 0; page < 4; ++page) {
        lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC, page));
    }
    lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC, 4), FLASH_STATUS_BAD_DESCRIPTOR);
    lasts(b, in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC, 4), FLASH_STATUS_BAD_DESCRIPTOR);
    lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL, 4), FLASH_STATUS_PHYSICS);
    b.expected_faults = 3;
    lasts(b, in_mode(FLASH_OP_ERASE, 1, FLASH_MODE_NORMAL));
    lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL)); // the erase forgot the mode
}

TEST_CASE("what the part or the operation does not have is a bad descriptor")
{
    channel_config config = with_modes();
    config.die.timing.slc = {};
    config.die.timing.tPROG_shallow = sim_time();
    bench b(config);
    lasts(b, in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC), FLASH_STATUS_BAD_DESCRIPTOR);
    lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SHALLOW), FLASH_STATUS_BAD_DESCRIPTOR);
    flash_desc reset = descriptor(FLASH_OP_RESET, 1);
    reset.program_mode = 3;
    lasts(b, reset, FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 3;
}

TEST_CASE("functional mode keeps the block's program mode")
{
    bench b(with_modes());
    fill(b, 3);
    b.channel.set_functional(true);
    b.put(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC));
    b.ring();
    b.channel.set_functional(false);
    b.reap();
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
    lasts(b, in_mode(FLASH_OP_READ, 2, FLASH_MODE_SLC));
    CHECK(came_back(b));
    lasts(b, in_mode(FLASH_OP_PROGRAM, 2, FLASH_MODE_NORMAL, 1), FLASH_STATUS_PHYSICS);
    b.expected_faults = 1;
}

TEST_CASE("functional mode: a read in another mode than the program's is a fault")
{
    bench b(with_modes());
    b.channel.set_functional(true);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC)) == FLASH_STATUS_OK);
    CHECK(b.status_of(in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC)) == FLASH_STATUS_OK);
    CHECK(b.status_of(in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC, 1)) == FLASH_STATUS_OK); // erased
    CHECK(b.status_of(in_mode(FLASH_OP_READ, 1, FLASH_MODE_NORMAL)) == FLASH_STATUS_PHYSICS);
    CHECK(b.status_of(in_mode(FLASH_OP_ERASE, 1, FLASH_MODE_SLC)) == FLASH_STATUS_OK);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL)) == FLASH_STATUS_OK);
    CHECK(b.status_of(in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC)) == FLASH_STATUS_PHYSICS);
    b.expected_faults = 2;
}

namespace {

/// Page 1 of block 0 to page 0 of block 2, and what came of it.
void check_slc_copyback(bool functional)
{
    bench b(with_modes());
    b.channel.set_functional(functional);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC)) == FLASH_STATUS_OK);
    fill(b, 9);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC, 1)) == FLASH_STATUS_OK);
    flash_desc copy = in_mode(FLASH_OP_COPYBACK, 1, FLASH_MODE_SLC, 1);
    copy.length = 0;
    copy.to_block = 2;
    copy.to_page = 4;
    CHECK(b.status_of(copy) == FLASH_STATUS_BAD_DESCRIPTOR);
    copy.to_page = 0;
    const sim_time begin = now();
    CHECK(b.status_of(copy) == FLASH_STATUS_OK);
    if (!functional) { // prefix, 00h c r 35h, tWB, tR and 85h c r 10h, tWB, tPROG
        CHECK(b.posted.at(1) - begin == 15 * tWC + 200_ns + 20_us + 150_us);
    }
    flash_desc read = in_mode(FLASH_OP_READ, 1, FLASH_MODE_SLC);
    read.block = 2;
    CHECK(b.status_of(read) == FLASH_STATUS_OK);
    CHECK(came_back(b));
    copy.program_mode = FLASH_MODE_NORMAL;
    copy.to_block = 3;
    // The die has no word for a read that went wrong: it is a fault all the same.
    CHECK(b.status_of(copy) == (functional ? FLASH_STATUS_PHYSICS : FLASH_STATUS_OK));
    b.expected_faults = 2;
}

} // namespace

TEST_CASE("SLC mode: copyback reads and programs in it")
{
    check_slc_copyback(false);
}

TEST_CASE("SLC mode: copyback in functional mode")
{
    check_slc_copyback(true);
}

namespace {

/// Page 1 of block 0, in SLC mode, to page 0 of block 2 in the normal mode; page 4 of it, which a
/// block in SLC mode has not, behind it.
void check_fold(bool functional)
{
    channel_config config = with_modes();
    config.die.slc_copyback = true;
    bench b(config);
    b.channel.set_functional(functional);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC)) == FLASH_STATUS_OK);
    fill(b, 9);
    CHECK(b.status_of(in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC, 1)) == FLASH_STATUS_OK);
    flash_desc copy = in_mode(FLASH_OP_COPYBACK, 1, FLASH_MODE_SLC, 1);
    copy.flags = FLASH_FLAG_FOLD;
    copy.length = 0;
    copy.to_block = 2;
    for (copy.to_page = 0; copy.to_page < 5; ++copy.to_page) {
        const sim_time begin = now();
        CHECK(b.status_of(copy) == FLASH_STATUS_OK);
        if (!functional) { // prefix, 00h c r 35h, tWB, tR; prefix, 85h c r 10h, tWB, tPROG
            CHECK(b.posted.at(1) - begin == 16 * tWC + 200_ns + 20_us + 900_us);
        }
    }
    flash_desc read = in_mode(FLASH_OP_READ, 1, FLASH_MODE_NORMAL, 4);
    read.block = 2;
    CHECK(b.status_of(read) == FLASH_STATUS_OK);
    CHECK(came_back(b));
}

} // namespace

TEST_CASE("SLC mode: copyback out of it programs in the normal mode")
{
    check_fold(false);
}

TEST_CASE("SLC mode: copyback out of it in functional mode")
{
    check_fold(true);
}

namespace {

flash_desc fold_of_page()
{
    flash_desc copy = in_mode(FLASH_OP_COPYBACK, 1, FLASH_MODE_SLC);
    copy.flags = FLASH_FLAG_FOLD;
    copy.length = 0;
    copy.to_block = 2;
    return copy;
}

} // namespace

TEST_CASE("SLC mode: copyback out of it is refused by a part that cannot")
{
    bench b(with_modes());
    CHECK(b.status_of(fold_of_page()) == FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 1;
}

TEST_CASE("SLC mode: only a copyback in it leaves it")
{
    channel_config config = with_modes();
    config.die.slc_copyback = true;
    bench b(config);
    flash_desc copy = fold_of_page();
    copy.program_mode = FLASH_MODE_NORMAL;
    CHECK(b.status_of(copy) == FLASH_STATUS_BAD_DESCRIPTOR);
    flash_desc program = in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_SLC);
    program.flags = FLASH_FLAG_FOLD;
    CHECK(b.status_of(program) == FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 2;
}

TEST_CASE("bit errors follow the mode, and a read in another mode than the program's is hopeless")
{
    die_config die = with_modes().die;
    die.errors.rber = 1e-4;
    cell_array cells(die, "cells", nullptr, die_index(0));
    page_register page(die.geo.page_size, die.stored_oob);
    page.begin(data_form::bytes);
    const auto rate = [&](std::uint32_t block, std::uint32_t at, flash_program_mode read) {
        return cells.sense(page_at(0, block, at), 0, read).rber;
    };
    CHECK(cells.program(page_at(0, 0, 0), page) == FLASH_STATUS_OK);
    CHECK(cells.program(page_at(0, 1, 0), page, {cell_access::timed, FLASH_MODE_SLC}) ==
          FLASH_STATUS_OK);
    CHECK(cells.program(page_at(0, 1, 1), page, {cell_access::timed, FLASH_MODE_SLC}) ==
          FLASH_STATUS_OK);
    const double normal = rate(0, 0, FLASH_MODE_NORMAL);
    CHECK(rate(1, 0, FLASH_MODE_SLC) == Approx(normal * die.errors.slc_factor));
    CHECK(rate(1, 1, FLASH_MODE_SLC) == Approx(normal * die.errors.slc_factor)); // no page types
    CHECK(rate(1, 0, FLASH_MODE_NORMAL) == 0.5);
    CHECK(rate(0, 0, FLASH_MODE_SLC) == 0.5);
    CHECK(cells.program(page_at(0, 0, 1), page, {cell_access::timed, FLASH_MODE_SHALLOW}) ==
          FLASH_STATUS_OK);
    CHECK(rate(0, 0, FLASH_MODE_NORMAL) == Approx(normal));
    CHECK(rate(0, 1, FLASH_MODE_NORMAL) == Approx(normal * 2 * die.errors.shallow_factor));
}

TEST_CASE("without an error model a read in the wrong mode is a fault")
{
    fault_log faults;
    cell_array cells(with_modes().die, "cells", &faults, die_index(0));
    page_register page(16384, 16);
    page.begin(data_form::bytes);
    cells.program(page_at(0, 0, 0), page);
    (void)cells.sense(page_at(0, 0, 0), 0, FLASH_MODE_SLC);
    REQUIRE(faults.count() == 1);
    CHECK(faults.faults()[0].what ==
          "read in another mode than programmed: plane 0 block 0 page 0");
}

namespace {

channel_config one_pass(sim_time word_line)
{
    channel_config c = with_modes();
    c.die.geo.pages_per_block = 11; // the last word line has two pages
    c.die.timing.tPROG = {600_us, 700_us, 800_us};
    c.die.timing.tPROG_word_line = word_line;
    c.die.one_pass = true;
    return c;
}

void check_word_lines(sim_time word_line, sim_time expected)
{
    bench b(one_pass(word_line));
    fill(b, 4);
    const sim_time cycles = 7 * tWC + 70_ns + cycle_timing(small_config().bus).data(4096, true);
    for (std::uint32_t page = 0; page < 11; ++page) {
        const bool last = page % 3 == 2 || page == 10;
        CHECK(lasts(b, in_mode(FLASH_OP_PROGRAM, 1, FLASH_MODE_NORMAL, page)) ==
              cycles + 100_ns + (last ? expected : 500_ns));
        // A page that is only loaded reads from the latch.
        std::memset(b.memory.at(sink), 0, 4096);
        lasts(b, in_mode(FLASH_OP_READ, 2, FLASH_MODE_NORMAL, page));
        CHECK(came_back(b));
    }
}

} // namespace

TEST_CASE("one pass: the pages of a word line load, the last one programs it in its own time")
{
    check_word_lines(1500_us, 1500_us);
}

TEST_CASE("one pass: without a time of its own a word line takes those of its pages")
{
    check_word_lines(sim_time(), 2100_us);
}

} // namespace flash_modes_test
