// SPDX-License-Identifier: Apache-2.0
//
// Bus operations beyond read, program and erase: their cycles by formula, what they leave in the
// cells, and the same in functional mode.
#include "tests/models/flash_bench.h"

namespace flash_operations_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t source = bench::data_base;
constexpr std::uint64_t sink = bench::data_base + 0x400000;
constexpr std::uint64_t oob_source = bench::data_base + 0x800000;
constexpr std::uint64_t oob_sink = bench::data_base + 0x810000;

// NV-DDR3: ns of table 8.3.
constexpr sim_time tWC = 25_ns;
constexpr sim_time tCCS = 300_ns;
constexpr sim_time tRHW = 100_ns;

channel_config exact(data_mode mode = data_mode::full)
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.die.data = mode;
    return c;
}

sim_time data_time(std::uint64_t bytes)
{
    return cycle_timing(small_config().bus).data(bytes, false);
}

flash_desc with_spare(flash_op op, unsigned tag, std::uint32_t column, std::uint32_t length)
{
    flash_desc d = descriptor(op, tag);
    d.column = column;
    d.length = length;
    d.buffer = op == FLASH_OP_PROGRAM ? source : sink;
    d.oob = op == FLASH_OP_PROGRAM ? oob_source : oob_sink;
    d.oob_length = 16;
    return d;
}

flash_desc without_spare(flash_desc d)
{
    d.oob = 0;
    d.oob_length = 0;
    return d;
}

void fill(bench& b, std::uint64_t address, std::uint32_t length, unsigned seed)
{
    for (std::uint32_t i = 0; i < length; ++i) {
        *b.memory.at(address + i) = static_cast<unsigned char>(i * 13 + i / 512 * 7 + seed);
    }
}

/// How long one operation takes on an idle channel.
sim_time lasts(bench& b, const flash_desc& d)
{
    const sim_time begin = now();
    b.submit(d);
    b.run();
    CHECK(b.answers.at(d.tag).status == FLASH_STATUS_OK);
    b.return_entries();
    return b.posted.at(d.tag) - begin;
}

flash_desc at_page(flash_desc d, std::uint32_t page)
{
    d.page = page;
    return d;
}

} // namespace

TEST_CASE("change write column: a program whose spare bytes do not follow its data")
{
    bench b(exact());
    const flash_desc part = with_spare(FLASH_OP_PROGRAM, 1, 4096, 8192);
    const sim_time plain = lasts(b, without_spare(part));
    // 85h and two column cycles, tCCS, the spare bytes.
    CHECK(lasts(b, at_page(part, 1)) == plain + 3 * tWC + tCCS + data_time(16));
    // Data that reach the end of the page: the spare bytes follow them.
    const flash_desc tail = with_spare(FLASH_OP_PROGRAM, 1, 8192, 8192);
    CHECK(lasts(b, at_page(tail, 2)) == plain + (data_time(8192 + 16) - data_time(8192)));
}

TEST_CASE("change read column: a read whose spare bytes do not follow its data")
{
    bench b(exact());
    const flash_desc part = with_spare(FLASH_OP_READ, 1, 4096, 8192);
    const sim_time plain = lasts(b, without_spare(part));
    // tRHW, then 05h, two column cycles, E0h, tCCS, the spare bytes.
    CHECK(lasts(b, part) == plain + tRHW + 4 * tWC + tCCS + data_time(16));
    const flash_desc tail = with_spare(FLASH_OP_READ, 1, 8192, 8192);
    CHECK(lasts(b, tail) == plain + (data_time(8192 + 16) - data_time(8192)));
    // Spare bytes alone need no second column: that of the read is theirs.
    flash_desc spare = with_spare(FLASH_OP_READ, 1, 0, 0);
    CHECK(lasts(b, spare) == plain - (data_time(8192) - data_time(16)));
}

TEST_CASE("change column costs each plane of a multi-plane operation its cycles")
{
    bench b(exact());
    flash_desc program = with_spare(FLASH_OP_PROGRAM, 1, 0, 4096);
    program.plane_mask = 0b101;
    const sim_time plain = lasts(b, without_spare(program));
    CHECK(lasts(b, at_page(program, 1)) == plain + 2 * (3 * tWC + tCCS + data_time(16)));
    flash_desc read = with_spare(FLASH_OP_READ, 2, 0, 4096);
    read.plane_mask = 0b101;
    const sim_time read_plain = lasts(b, without_spare(read));
    CHECK(lasts(b, read) == read_plain + 2 * (tRHW + 4 * tWC + tCCS + data_time(16)));
}

TEST_CASE("interleaved spare bytes go with the data of a partial page")
{
    channel_config config = exact();
    config.spare = spare_layout::interleaved;
    bench b(config);
    const flash_desc program = with_spare(FLASH_OP_PROGRAM, 1, 4096, 8192);
    const sim_time spare = data_time(8192 + 16) - data_time(8192);
    const sim_time plain = lasts(b, without_spare(program));
    CHECK(lasts(b, at_page(program, 1)) == plain + spare);
    const flash_desc read = with_spare(FLASH_OP_READ, 2, 4096, 8192);
    const sim_time read_plain = lasts(b, without_spare(read));
    CHECK(lasts(b, read) == read_plain + spare);
}

namespace {

void check_partial_page(data_mode mode)
{
    bench b(exact(mode));
    fill(b, source, 2 * 4096, 3);
    fill(b, oob_source, 32, 9);
    flash_desc program = with_spare(FLASH_OP_PROGRAM, 1, 8192, 4096);
    program.plane_mask = 0b11;
    CHECK(b.execute(program).status == FLASH_STATUS_OK);
    flash_desc read = with_spare(FLASH_OP_READ, 2, 8192, 4096);
    read.plane_mask = 0b11;
    CHECK(b.execute(read).status == FLASH_STATUS_OK);
    const std::uint32_t kept = mode == data_mode::full ? 512 : mode == data_mode::tag ? 8 : 0;
    for (std::uint32_t s = 0; s < 2 * 4096; s += 512) {
        REQUIRE(std::memcmp(b.memory.at(source + s), b.memory.at(sink + s), kept) == 0);
    }
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 32) == 0);
}

} // namespace

TEST_CASE("a partial page and its spare bytes come back, all bytes kept")
{
    check_partial_page(data_mode::full);
}

TEST_CASE("a partial page and its spare bytes come back, tags kept")
{
    check_partial_page(data_mode::tag);
}

TEST_CASE("a partial page and its spare bytes come back, no data kept")
{
    check_partial_page(data_mode::none);
}

namespace {

flash_desc copy_of(unsigned tag, std::uint32_t page, std::uint32_t to_block, std::uint32_t to_page)
{
    flash_desc d = descriptor(FLASH_OP_COPYBACK, tag);
    d.page = page;
    d.to_block = to_block;
    d.to_page = to_page;
    d.buffer = sink;
    return d;
}

flash_desc whole_page(flash_op op, unsigned tag, std::uint32_t block, std::uint32_t page)
{
    flash_desc d = with_spare(op, tag, 0, 16384);
    d.block = block;
    d.page = page;
    return d;
}

bool same_sectors(bench& b, std::uint32_t bytes_each)
{
    bool same = true;
    for (std::uint32_t s = 0; s < 16384; s += 512) {
        same = same && std::memcmp(b.memory.at(source + s), b.memory.at(sink + s), bytes_each) == 0;
    }
    return same;
}

// 00h c r 35h, tWB + tR; 85h c r 10h, tWB + tPROG; 70h.
sim_time copy_time(const channel_config& config)
{
    const sim_time status = tWC + 80_ns + cycle_timing(config.bus).data(1, false);
    return 7 * tWC + 100_ns + 40_us + 7 * tWC + 100_ns + 200_us + status;
}

} // namespace

TEST_CASE("copyback: a read and a program without the bus in between")
{
    const channel_config config = exact();
    bench b(config);
    fill(b, source, 16384, 5);
    fill(b, oob_source, 16, 6);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    CHECK(lasts(b, copy_of(1, 0, 3, 0)) == copy_time(config));
    CHECK(b.channel.stats().copybacks == 1);
    CHECK(b.channel.lun(lun_index(0)).stats().reads == 1);
    CHECK(b.channel.lun(lun_index(0)).stats().programs == 2);
    CHECK(b.channel.stats().bytes_programmed == 2 * 16384);
    lasts(b, whole_page(FLASH_OP_READ, 1, 3, 0));
    CHECK(same_sectors(b, 512));
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 16) == 0);
}

TEST_CASE("copyback: data out for the ECC, and other spare bytes, cost their cycles")
{
    const channel_config config = exact();
    bench b(config);
    fill(b, source, 16384, 5);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    flash_desc checked = copy_of(1, 0, 3, 0);
    checked.length = 16384;
    CHECK(lasts(b, checked) == copy_time(config) + 20_ns + data_time(16384) + tRHW);
    CHECK(same_sectors(b, 512));
    flash_desc renamed = copy_of(1, 0, 3, 1);
    renamed.oob = oob_source;
    renamed.oob_length = 16;
    fill(b, oob_source, 16, 77);
    CHECK(lasts(b, renamed) == copy_time(config) + 70_ns + data_time(16));
    std::memset(b.memory.at(sink), 0, 16384);
    lasts(b, whole_page(FLASH_OP_READ, 1, 3, 1));
    CHECK(same_sectors(b, 512));
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 16) == 0);
}

namespace {

/// Programs a page of two planes; the descriptor that copies it.
flash_desc program_two_planes(bench& b)
{
    fill(b, source, 2 * 16384, 5);
    flash_desc program = whole_page(FLASH_OP_PROGRAM, 1, 0, 0);
    program.plane_mask = 0b101;
    lasts(b, program);
    flash_desc copy = copy_of(1, 0, 3, 0);
    copy.plane_mask = 0b101;
    return copy;
}

} // namespace

TEST_CASE("copyback of several planes: tDBSY between their commands, both copied")
{
    const channel_config config = exact();
    bench b(config);
    flash_desc copy = program_two_planes(b);
    CHECK(lasts(b, copy) == copy_time(config) + 2 * (7 * tWC + 100_ns + 500_ns));
    flash_desc read = whole_page(FLASH_OP_READ, 1, 3, 0);
    read.plane_mask = 0b101;
    lasts(b, read);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 2 * 16384) == 0);
    CHECK(b.channel.stats().copybacks == 2);
}

namespace {

void check_copy(data_mode mode, std::uint32_t kept, bool functional)
{
    bench b(exact(mode));
    fill(b, source, 16384, 5);
    fill(b, oob_source, 16, 6);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    b.channel.set_functional(functional);
    b.submit(copy_of(2, 0, 3, 0));
    if (!functional) {
        b.run();
    }
    b.channel.set_functional(false);
    b.reap();
    CHECK(b.answers.at(2).status == FLASH_STATUS_OK);
    lasts(b, whole_page(FLASH_OP_READ, 1, 3, 0));
    CHECK(same_sectors(b, kept));
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 16) == 0);
}

} // namespace

TEST_CASE("copyback of several planes: each page gets spare bytes of its own")
{
    const channel_config config = exact();
    bench b(config);
    flash_desc copy = program_two_planes(b);
    const sim_time bare = lasts(b, copy);
    copy.to_page = 1;
    copy.oob = oob_source;
    copy.oob_length = 16;
    fill(b, oob_source, 32, 99);
    // Beside the bare one: tADL and the bytes, per plane.
    CHECK(lasts(b, copy) == bare + 2 * (70_ns + data_time(16)));
    flash_desc read = whole_page(FLASH_OP_READ, 1, 3, 1);
    read.plane_mask = 0b101;
    lasts(b, read);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 2 * 16384) == 0);
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 32) == 0);
}

TEST_CASE("copyback in functional mode: each page gets spare bytes of its own")
{
    bench b(exact());
    fill(b, source, 2 * 16384, 5);
    flash_desc program = whole_page(FLASH_OP_PROGRAM, 1, 0, 0);
    program.plane_mask = 0b101;
    lasts(b, program);
    fill(b, oob_source, 32, 99);
    flash_desc copy = copy_of(2, 0, 3, 0);
    copy.plane_mask = 0b101;
    copy.oob = oob_source;
    copy.oob_length = 16;
    b.channel.set_functional(true);
    b.submit(copy);
    b.channel.set_functional(false);
    b.reap();
    CHECK(b.answers.at(2).status == FLASH_STATUS_OK);
    flash_desc read = whole_page(FLASH_OP_READ, 1, 3, 0);
    read.plane_mask = 0b101;
    lasts(b, read);
    CHECK(std::memcmp(b.memory.at(source), b.memory.at(sink), 2 * 16384) == 0);
    CHECK(std::memcmp(b.memory.at(oob_source), b.memory.at(oob_sink), 32) == 0);
}

TEST_CASE("copyback in tag mode")
{
    check_copy(data_mode::tag, 8, false);
}

TEST_CASE("copyback without data")
{
    check_copy(data_mode::none, 0, false);
}

TEST_CASE("copyback in functional mode, all bytes")
{
    check_copy(data_mode::full, 512, true);
}

TEST_CASE("copyback in functional mode, tags")
{
    check_copy(data_mode::tag, 8, true);
}

TEST_CASE("a metadata page is copied whole in every data mode")
{
    bench b(exact(data_mode::tag));
    fill(b, source, 16384, 5);
    flash_desc program = whole_page(FLASH_OP_PROGRAM, 1, 0, 0);
    program.flags = FLASH_FLAG_METADATA;
    lasts(b, program);
    lasts(b, copy_of(1, 0, 3, 0));
    flash_desc read = whole_page(FLASH_OP_READ, 1, 3, 0);
    read.flags = FLASH_FLAG_METADATA;
    lasts(b, read);
    CHECK(same_sectors(b, 512));
}

TEST_CASE("a copyback obeys the physics of its destination, and its addresses are checked")
{
    bench b(exact());
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    CHECK(b.execute(copy_of(1, 0, 3, 1)).status == FLASH_STATUS_PHYSICS);
    CHECK(b.execute(copy_of(1, 0, 0, 0)).status == FLASH_STATUS_PHYSICS);
    CHECK(b.execute(copy_of(1, 0, 8, 0)).status == FLASH_STATUS_BAD_DESCRIPTOR);
    CHECK(b.execute(copy_of(1, 0, 3, 12)).status == FLASH_STATUS_BAD_DESCRIPTOR);
    CHECK(b.execute(copy_of(1, 12, 3, 0)).status == FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 5;
}

namespace {

channel_config noisy(double rber)
{
    channel_config c = exact();
    c.die.cell = cell_type::slc; // no page types
    c.die.errors.rber = rber;
    c.ecc.correctable = 60;
    return c;
}

std::uint32_t corrected(bench& b, std::uint32_t block)
{
    return b.execute(whole_page(FLASH_OP_READ, 1, block, 0)).corrected_bits;
}

} // namespace

TEST_CASE("a copyback carries the bit errors of its source, a copy of the copy twice")
{
    bench b(noisy(1e-3));
    fill(b, source, 16384, 5);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    const std::uint32_t once = corrected(b, 0); // 131 expected
    lasts(b, copy_of(1, 0, 1, 0));
    flash_desc again = copy_of(1, 0, 2, 0);
    again.block = 1;
    lasts(b, again);
    CHECK(corrected(b, 1) == Approx(2.0 * once).epsilon(0.25));
    CHECK(corrected(b, 2) == Approx(3.0 * once).epsilon(0.25));
    CHECK(same_sectors(b, 512)); // still within the code
    flash_desc erase = descriptor(FLASH_OP_ERASE, 1);
    erase.block = 2;
    lasts(b, erase);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 2, 0));
    CHECK(corrected(b, 2) == Approx(1.0 * once).epsilon(0.25)); // new data, own errors
}

TEST_CASE("a checked copyback of an uncorrectable page copies nothing")
{
    bench b(noisy(2e-2));
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    flash_desc checked = copy_of(1, 0, 3, 0);
    checked.length = 16384;
    const flash_completion c = b.execute(checked);
    CHECK(c.status == FLASH_STATUS_UNCORRECTABLE);
    CHECK(c.plane_fail == 1);
    CHECK(b.channel.lun(lun_index(0)).cells().programmed(plane_index(0), block_index(3)) == 0);
    CHECK(b.channel.stats().copybacks == 0);
    CHECK(b.execute(copy_of(1, 0, 3, 0)).status == FLASH_STATUS_OK); // unchecked it goes on
    CHECK(b.channel.stats().copybacks == 1);
}

TEST_CASE("a read stops the program of a copyback, whose page survives it")
{
    channel_config config = exact();
    config.die.suspend.kind = suspend_kind::immediate;
    config.die.suspend.programs = true;
    config.die.timing.tPROG = {1_ms};
    config.die.program_loop = 100_us;
    bench b(config);
    fill(b, source, 16384, 5);
    lasts(b, whole_page(FLASH_OP_PROGRAM, 1, 0, 0));
    const sim_time begin = now();
    b.submit(copy_of(2, 0, 3, 0));
    b.run_to(begin + 300_us);
    flash_desc read = whole_page(FLASH_OP_READ, 3, 1, 0);
    b.submit(read);
    b.run();
    CHECK(b.posted.at(3) < b.posted.at(2));
    CHECK(b.answers.at(2).suspends == 1);
    CHECK(b.answers.at(2).status == FLASH_STATUS_OK);
    lasts(b, whole_page(FLASH_OP_READ, 1, 3, 0));
    CHECK(same_sectors(b, 512));
}

namespace {

/// Copybacks of two LUNs between programs and reads, in the order of an arbiter.
void check_order(arbiter_kind arbiter)
{
    channel_config config = exact();
    config.arbiter = arbiter;
    bench b(config);
    fill(b, source, 16384, 5);
    for (unsigned lun = 0; lun < 2; ++lun) {
        for (flash_desc d : {whole_page(FLASH_OP_PROGRAM, 1, 0, 0), copy_of(2, 0, 3, 0),
                             whole_page(FLASH_OP_READ, 3, 3, 0)}) {
            d.lun = static_cast<std::uint8_t>(lun);
            d.tag = static_cast<std::uint16_t>(d.tag + 10 * lun);
            b.put(d);
        }
    }
    b.ring();
    b.run();
    REQUIRE(b.answers.size() == 6);
    for (const auto& [tag, answer] : b.answers) {
        CHECK(answer.status == FLASH_STATUS_OK);
    }
    CHECK(b.channel.stats().copybacks == 2);
    CHECK(same_sectors(b, 512));
}

} // namespace

TEST_CASE("copyback under the sequential arbiter")
{
    check_order(arbiter_kind::sequential);
}

TEST_CASE("copyback under the interleaved arbiter")
{
    check_order(arbiter_kind::interleaved);
}

} // namespace flash_operations_test
