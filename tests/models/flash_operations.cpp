// SPDX-License-Identifier: Apache-2.0
//
// Bus operations beyond read, program and erase: their cycles by formula, what they leave in the
// cells, and the same in functional mode.
#include "tests/models/flash_bench.h"

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
