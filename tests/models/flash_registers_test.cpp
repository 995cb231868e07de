// SPDX-License-Identifier: Apache-2.0
//
// Operations on the registers of a LUN (ONFI, Command Definition): their bytes, and their times to
// the picosecond. The bus of the bench: 1200 MT/s, tWC 25 ns, tWB 100 ns, tRR 20 ns, tWHR 80 ns,
// tADL 70 ns, tFEAT 1 us.
#include "models/flash/die/registers.h"
#include "tests/models/flash_bench.h"

namespace flash_registers_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

const sim_time four_bytes = sim_time(3334); // 4 / 1.2e9 s, rounded up

flash_desc reg(flash_op op, unsigned tag, unsigned address, unsigned length)
{
    flash_desc d{};
    d.op = static_cast<std::uint8_t>(op);
    d.tag = static_cast<std::uint16_t>(tag);
    d.trace = FLASH_TRACE_NONE;
    d.column = address;
    d.length = length;
    d.buffer = bench::data_base;
    return d;
}

unsigned field(const unsigned char* page, unsigned at, unsigned bytes)
{
    unsigned value = 0;
    for (unsigned i = bytes; i-- > 0;) {
        value = (value << 8) | page[at + i];
    }
    return value;
}

} // namespace

TEST_CASE("read ID: two cycles, tWHR, the signature, while R/B# stays high")
{
    bench b(small_config());
    b.submit(reg(FLASH_OP_READ_ID, 1, 0x20, 4));
    b.run();
    CHECK(b.posted.at(1) == 2 * 25_ns + 80_ns + four_bytes);
    CHECK(std::memcmp(b.memory.at(bench::data_base), "ONFI", 4) == 0);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == sim_time());
    b.execute(reg(FLASH_OP_READ_ID, 2, 0x00, 4));
    CHECK(std::memcmp(b.memory.at(bench::data_base), "\0\0\0\0", 4) == 0);
}

TEST_CASE("set features: data in after tADL, busy tFEAT, and get features gives them back")
{
    bench b(small_config());
    std::memcpy(b.memory.at(bench::data_base), "\x05\x00\x01\x02", 4);
    b.submit(reg(FLASH_OP_SET_FEATURES, 1, 0x01, 4));
    b.run();
    CHECK(b.posted.at(1) == 2 * 25_ns + 70_ns + four_bytes + 100_ns + 1_us);

    const sim_time begin = now();
    b.submit(reg(FLASH_OP_GET_FEATURES, 2, 0x02, 4));
    b.run();
    CHECK(std::memcmp(b.memory.at(bench::data_base), "\0\0\0\0", 4) == 0); // another address
    CHECK(b.posted.at(2) - begin == 2 * 25_ns + 100_ns + 1_us + 20_ns + four_bytes);
    b.execute(reg(FLASH_OP_GET_FEATURES, 3, 0x01, 4));
    CHECK(std::memcmp(b.memory.at(bench::data_base), "\x05\x00\x01\x02", 4) == 0);
}

TEST_CASE("parameter page: busy tR, then what the part is, with a valid CRC, three times")
{
    const channel_config config = small_config();
    bench b(config);
    b.submit(reg(FLASH_OP_PARAMETER_PAGE, 1, 0, 768));
    b.run();
    CHECK(b.posted.at(1) == 2 * 25_ns + 100_ns + 40_us + 20_ns + 640_ns); // 768 / 1.2e9 s
    const unsigned char* page = b.memory.at(bench::data_base);
    CHECK(std::memcmp(page, "ONFI", 4) == 0);
    CHECK(field(page, 14, 1) == 3);
    CHECK(field(page, 80, 4) == 16384);
    CHECK(field(page, 84, 2) == 1024);
    CHECK(field(page, 92, 4) == 12);
    CHECK(field(page, 96, 4) == 4 * 8);
    CHECK(field(page, 101, 1) == 0x23);
    CHECK(field(page, 102, 1) == 3);
    CHECK(field(page, 105, 2) == 100);
    CHECK(field(page, 113, 1) == 2);
    CHECK(field(page, 133, 2) == 200);
    CHECK(field(page, 135, 2) == 15000);
    CHECK(field(page, 137, 2) == 40);
    CHECK(field(page, 139, 2) == 300);
    CHECK(std::memcmp(page, page + 256, 512) == 0);
    CHECK(onfi_crc(page, 254) == field(page, 254, 2));
    // The CRC behind its data, high byte first, leaves nothing.
    std::vector<std::uint8_t> closed(page, page + 254);
    closed.push_back(page[255]);
    closed.push_back(page[254]);
    CHECK(onfi_crc(closed.data(), closed.size()) == 0);
}

TEST_CASE("the CRC of ONFI: known values")
{
    // By long division of the message, bit by bit, 4F4Eh in front.
    const auto crc = [](const char* text, std::size_t count) {
        return onfi_crc(reinterpret_cast<const std::uint8_t*>(text), count);
    };
    CHECK(crc("123456789", 9) == 0x2771);
    CHECK(crc("", 1) == 0xCFA1);
    CHECK(crc("", 0) == 0x4F4E);
}

TEST_CASE("a page register is a page register again after a register operation")
{
    bench b(small_config());
    b.execute(descriptor(FLASH_OP_ERASE, 1));
    b.execute(descriptor(FLASH_OP_PROGRAM, 2));
    b.execute(reg(FLASH_OP_GET_FEATURES, 3, 0x01, 4));
    CHECK(b.execute(descriptor(FLASH_OP_READ, 4)).status == FLASH_STATUS_OK);
    CHECK(b.channel.stats().bytes_read == 4096);
}

TEST_CASE("register operations that make no sense are refused")
{
    bench b(small_config());
    const std::vector<flash_desc> spoilt = {
        reg(FLASH_OP_READ_ID, 1, 0x20, 9), reg(FLASH_OP_GET_FEATURES, 2, 1, 3),
        reg(FLASH_OP_SET_FEATURES, 3, 256, 4), reg(FLASH_OP_PARAMETER_PAGE, 4, 0, 769)};
    b.expected_faults = spoilt.size();
    for (const flash_desc& d : spoilt) {
        CHECK(b.execute(d).status == FLASH_STATUS_BAD_DESCRIPTOR);
    }
}

} // namespace flash_registers_test
