// SPDX-License-Identifier: Apache-2.0
//
// What goes in comes out: every data mode, multi-plane, scatter-gather, metadata, out-of-band
// bytes.
#include "tests/models/flash_bench.h"

namespace flash_data_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint64_t source = bench::data_base;
constexpr std::uint64_t sink = bench::data_base + 0x400000;
constexpr std::uint64_t oob_source = bench::data_base + 0x800000;
constexpr std::uint64_t oob_sink = bench::data_base + 0x810000;
constexpr std::uint64_t list_base = bench::data_base + 0x820000;

void fill(bench& b, std::uint64_t address, std::uint32_t length, unsigned seed)
{
    for (std::uint32_t i = 0; i < length; ++i) {
        *b.memory.at(address + i) = static_cast<unsigned char>(i * 13 + i / 512 * 7 + seed);
    }
}

bool equal(bench& b, std::uint64_t x, std::uint64_t y, std::uint32_t length)
{
    return std::memcmp(b.memory.at(x), b.memory.at(y), length) == 0;
}

flash_desc whole_page(flash_op op, unsigned tag, unsigned plane_mask)
{
    flash_desc d = descriptor(op, tag);
    d.plane_mask = static_cast<std::uint8_t>(plane_mask);
    d.length = 16384;
    d.buffer = op == FLASH_OP_PROGRAM ? source : sink;
    d.oob = op == FLASH_OP_PROGRAM ? oob_source : oob_sink;
    d.oob_length = 16;
    return d;
}

channel_config config_of(data_mode mode)
{
    channel_config c = small_config();
    c.die.data = mode;
    return c;
}

} // namespace

TEST_CASE("full: four planes come back byte for byte")
{
    bench b(config_of(data_mode::full));
    fill(b, source, 4 * 16384, 3);
    fill(b, oob_source, 64, 9);
    CHECK(b.execute(whole_page(FLASH_OP_PROGRAM, 1, 0xF)).status == FLASH_STATUS_OK);
    CHECK(b.execute(whole_page(FLASH_OP_READ, 2, 0xF)).status == FLASH_STATUS_OK);
    CHECK(equal(b, source, sink, 4 * 16384));
    CHECK(equal(b, oob_source, oob_sink, 64));
    CHECK(b.channel.stats().bytes_programmed == 4 * 16384);
    CHECK(b.channel.stats().bytes_read == 4 * 16384);
    CHECK(b.channel.stats().multi_plane == 2);
}

TEST_CASE("planes keep apart: each reads its own page")
{
    bench b(config_of(data_mode::full));
    fill(b, source, 2 * 16384, 3);
    b.execute(whole_page(FLASH_OP_PROGRAM, 1, 0b1010)); // planes 1 and 3, in this order
    b.execute(whole_page(FLASH_OP_READ, 2, 0b1000));
    CHECK(equal(b, source + 16384, sink, 16384));
    b.execute(whole_page(FLASH_OP_READ, 3, 0b0010));
    CHECK(equal(b, source, sink, 16384));
    b.execute(whole_page(FLASH_OP_READ, 4, 0b0001));
    CHECK(*b.memory.at(sink) == 0xFF);
}

TEST_CASE("tag: tags and out-of-band bytes come back, nothing else moves")
{
    bench b(config_of(data_mode::tag));
    fill(b, source, 16384, 1);
    fill(b, oob_source, 16, 9);
    std::memset(b.memory.at(sink), 0xAB, 16384);
    b.execute(whole_page(FLASH_OP_PROGRAM, 1, 1));
    b.execute(whole_page(FLASH_OP_READ, 2, 1));
    for (std::uint32_t s = 0; s < 16384; s += sector_size) {
        REQUIRE(equal(b, source + s, sink + s, tag_size));
        REQUIRE(*b.memory.at(sink + s + tag_size) == 0xAB);
    }
    CHECK(equal(b, oob_source, oob_sink, 16));
    CHECK(b.channel.lun(lun_index(0)).cells().contents().pooled_pieces() ==
          4); // these tags do not count up
}

TEST_CASE("none: only out-of-band bytes come back")
{
    bench b(config_of(data_mode::none));
    fill(b, source, 16384, 1);
    fill(b, oob_source, 16, 9);
    std::memset(b.memory.at(sink), 0xAB, 16384);
    b.execute(whole_page(FLASH_OP_PROGRAM, 1, 1));
    b.execute(whole_page(FLASH_OP_READ, 2, 1));
    CHECK(*b.memory.at(sink) == 0xAB);
    CHECK(equal(b, oob_source, oob_sink, 16));
}

namespace {

void check_metadata(data_mode mode)
{
    bench b(config_of(mode));
    fill(b, source, 16384, 5);
    flash_desc d = whole_page(FLASH_OP_PROGRAM, 1, 1);
    d.flags = FLASH_FLAG_METADATA;
    b.execute(d);
    d = whole_page(FLASH_OP_READ, 2, 1);
    d.flags = FLASH_FLAG_METADATA;
    d.column = 100; // metadata need not be whole sectors
    d.length = 5000;
    b.execute(d);
    CHECK(equal(b, source + 100, sink, 5000));
}

} // namespace

TEST_CASE("metadata is kept whole in mode none")
{
    check_metadata(data_mode::none);
}

TEST_CASE("metadata is kept whole in mode tag")
{
    check_metadata(data_mode::tag);
}

TEST_CASE("metadata is kept whole in mode full")
{
    check_metadata(data_mode::full);
}

TEST_CASE("a part of a page comes from its column")
{
    bench b(config_of(data_mode::full));
    fill(b, source, 16384, 5);
    b.execute(whole_page(FLASH_OP_PROGRAM, 1, 1));
    flash_desc d = whole_page(FLASH_OP_READ, 2, 1);
    d.column = 8192;
    d.length = 4096;
    b.execute(d);
    CHECK(equal(b, source + 8192, sink, 4096));
    // A page programmed in part keeps FFh elsewhere.
    d = whole_page(FLASH_OP_PROGRAM, 3, 1);
    d.page = 1;
    d.column = 4096;
    d.length = 4096;
    b.execute(d);
    d = whole_page(FLASH_OP_READ, 4, 1);
    d.page = 1;
    b.execute(d);
    CHECK(equal(b, source, sink + 4096, 4096));
    CHECK(*b.memory.at(sink) == 0xFF);
    CHECK(*b.memory.at(sink + 8192) == 0xFF);
}

TEST_CASE("only out-of-band bytes can be read")
{
    bench b(config_of(data_mode::tag));
    fill(b, oob_source, 16, 9);
    b.execute(whole_page(FLASH_OP_PROGRAM, 1, 1));
    flash_desc d = whole_page(FLASH_OP_READ, 2, 1);
    d.length = 0;
    const sim_time begin = now();
    CHECK(b.execute(d).status == FLASH_STATUS_OK);
    CHECK(equal(b, oob_source, oob_sink, 16));
    // 16 bytes on the bus: 16 / 1.2e9 s.
    CHECK(b.posted.at(2) == begin + 175_ns + 100_ns + 40_us + 20_ns + sim_time(13334) + 1_us);
}

TEST_CASE("scatter-gather lists gather and scatter")
{
    bench b(config_of(data_mode::full));
    // Two planes of 16 KiB from 4 KiB pieces in reverse order, but for one pair that touches.
    auto* list = reinterpret_cast<std::uint64_t*>(b.memory.at(list_base));
    const std::array<unsigned, 8> order = {7, 6, 4, 5, 3, 2, 1, 0};
    for (unsigned i = 0; i < 8; ++i) {
        list[i] = source + order[i] * 4096;
    }
    fill(b, source, 8 * 4096, 11);
    flash_desc d = whole_page(FLASH_OP_PROGRAM, 1, 3);
    d.flags = FLASH_FLAG_SG;
    d.sg_unit = 4096;
    d.buffer = list_base;
    const std::uint64_t before = b.memory.transfers;
    CHECK(b.execute(d).status == FLASH_STATUS_OK);
    CHECK(b.memory.transfers - before == 7 + 2); // 4 and 5 are one; 2 x out-of-band
    b.execute(whole_page(FLASH_OP_READ, 2, 3));
    for (unsigned i = 0; i < 8; ++i) {
        CHECK(equal(b, source + order[i] * 4096, sink + i * 4096, 4096));
    }
    // And out again through a list with another unit.
    for (unsigned i = 0; i < 64; ++i) {
        list[i] = sink + (63 - i) * 512;
    }
    d = whole_page(FLASH_OP_READ, 3, 3);
    d.flags = FLASH_FLAG_SG;
    d.sg_unit = 512;
    d.buffer = list_base;
    b.execute(d);
    for (unsigned i = 0; i < 64; ++i) {
        REQUIRE(equal(b, source + order[i / 8] * 4096 + i % 8 * 512, sink + (63 - i) * 512, 512));
    }
}

TEST_CASE("pages of 512 bytes work")
{
    channel_config config = config_of(data_mode::tag);
    config.die.geo = {2, 4, 8, 512, 16};
    bench b(config);
    for (std::uint32_t page = 0; page < 3; ++page) {
        const std::uint64_t tag = make_tag(page * 3, page + 1);
        std::memcpy(b.memory.at(source), &tag, sizeof tag);
        flash_desc d = whole_page(FLASH_OP_PROGRAM, page, 1);
        d.length = 512;
        d.page = page;
        CHECK(b.execute(d).status == FLASH_STATUS_OK);
    }
    flash_desc d = whole_page(FLASH_OP_READ, 9, 1);
    d.length = 512;
    d.page = 1;
    b.execute(d);
    std::uint64_t tag = 0;
    std::memcpy(&tag, b.memory.at(sink), sizeof tag);
    CHECK(tag == make_tag(3, 2));
}

} // namespace flash_data_test
