// SPDX-License-Identifier: Apache-2.0
//
// Each protocol of ATA commands, frame by frame: Serial ATA 3.x sections 11 (device command layer)
// and 13.6 (queue).
#include "tests/models/sata/bench.h"

namespace ssdvp::test::protocol_test {
namespace {

/// Fills a tag's buffer in the controller with something of its own; returns it.
std::vector<std::uint8_t> fill(sata_bench& b, std::uint32_t slot, std::uint32_t length)
{
    std::vector<std::uint8_t> bytes(length);
    for (std::uint32_t i = 0; i < length; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 7 + slot * 31 + i / 256);
    }
    std::copy(bytes.begin(), bytes.end(),
              b.memory.begin() + sata_bench::buffers + slot * sata_bench::mdts);
    return bytes;
}

std::vector<std::uint8_t> landed(const sata_bench& b, std::uint32_t slot, std::uint32_t length)
{
    const auto at = b.memory.begin() + sata_bench::buffers + slot * sata_bench::mdts;
    return {at, at + length};
}

/// Data FIS until `length` bytes have come, each as long as it can be.
std::vector<std::uint8_t> expect_data(sata_bench& b, std::uint32_t length, std::uint32_t most)
{
    std::vector<std::uint8_t> all;
    while (all.size() < length) {
        const received r = b.next();
        REQUIRE(r.type() == fis::DATA);
        CHECK(r.data.size() == std::min<std::size_t>(most, length - all.size()));
        all.insert(all.end(), r.data.begin(), r.data.end());
    }
    return all;
}

void write_goes_through(sata_bench& b, bool agreed)
{
    CAPTURE(agreed);
    b.reg_write(SFE_REG_OPTIONS, agreed ? SFE_OPTIONS_AUTO_ACTIVATE : 0);
    std::vector<std::uint8_t> data(20480);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::uint8_t>(i * 13 + i / 512);
    }
    const std::uint64_t before = b.dut.stats().bytes_from_host;
    std::fill_n(b.memory.begin() + sata_bench::buffers + 31 * sata_bench::mdts, 20480,
                std::uint8_t{0});
    b.from_host[31] = data;
    b.put(write_queued(31, 1000, 40));
    b.run(5_us);
    b.expect_release();
    CHECK(b.nothing_more());
    // Firmware has room for the first half, later for the other, in an order of its own.
    b.order(sata_move(FE_MOVE_FROM_HOST, 31, 8192, 0, 0));
    b.run(100_us);
    const received setup = b.next();
    const auto s = setup.as<fis::dma_setup>();
    CHECK(int{s.flags} == (agreed ? fis::FLAG_AUTO_ACTIVATE : 0));
    CHECK(s.buffer_low == 31);
    CHECK(s.count == 20480);
    for (int activates = agreed ? 2 : 3; activates > 0; --activates) {
        CHECK(b.next().type() == fis::DMA_ACTIVATE);
    }
    CHECK(b.nothing_more());
    CHECK(b.dones() == 1);
    CHECK(landed(b, 31, 8192) == std::vector<std::uint8_t>(data.begin(), data.begin() + 8192));
    b.post(sata_move(FE_MOVE_FROM_HOST, 31, 4096, 0, 16384));
    b.order(sata_move(FE_MOVE_FROM_HOST, 31, 8192, FE_MOVE_CQE, 8192));
    b.run(100_us);
    b.expect_bits(1u << 31);
    CHECK(b.nothing_more());
    CHECK(b.dones() == 2);
    CHECK(landed(b, 31, 20480) == data);
    CHECK(b.dut.stats().bytes_from_host - before == 20480);
    CHECK(std::count(b.r_ok.begin(), b.r_ok.end(), false) == 0);
}

} // namespace

TEST_CASE("READ FPDMA QUEUED: release, DMA Setup, Data, Set Device Bits")
{
    sata_bench b("bench");
    b.start();
    for (const std::uint32_t sectors : {1u, 8u, 16u, 17u, 128u}) {
        const std::uint32_t tag = sectors % 32;
        const std::uint32_t bytes = sectors * 512;
        const std::vector<std::uint8_t> expected = fill(b, tag, bytes);
        b.put(read_queued(tag, 0x123456789A, static_cast<std::uint16_t>(sectors)));
        b.run(5_us);
        b.expect_release();
        const sata_fe_request r = b.take_request(static_cast<std::uint16_t>(tag));
        CHECK(r.notes == 0);
        CHECK(r.fis[2] == ATA_READ_FPDMA_QUEUED);
        CHECK(ata_fis_lba48(r.fis) == 0x123456789A);
        CHECK(ata_fis_features(r.fis) == sectors);
        CHECK(ata_fis_tag(r.fis) == tag);
        b.order(sata_move(FE_MOVE_TO_HOST, static_cast<std::uint16_t>(tag), bytes, FE_MOVE_CQE));
        b.run(200_us);
        const received setup = b.next();
        const auto s = setup.as<fis::dma_setup>();
        CHECK(int{s.flags} == fis::FLAG_TO_HOST);
        CHECK(s.buffer_low == tag);
        CHECK(s.offset == 0);
        CHECK(s.count == bytes);
        CHECK_FALSE(setup.metadata);
        CHECK(expect_data(b, bytes, fis::DATA_MAX) == expected);
        const auto bits = b.expect_bits(1u << tag);
        CHECK((bits.flags & fis::FLAG_INTERRUPT) != 0);
        CHECK(b.nothing_more());
        CHECK(b.dones() == 1);
        CHECK(b.dut.idle());
    }
    CHECK(b.dut.stats().bytes_to_host == (1 + 8 + 16 + 17 + 128) * 512);
}

TEST_CASE("pieces of a queued read cross the link in order")
{
    sata_bench b("bench");
    b.start();
    const std::vector<std::uint8_t> expected = fill(b, 3, 16384);
    b.put(read_queued(3, 0, 32));
    b.run(5_us);
    b.expect_release();
    b.order(sata_move(FE_MOVE_TO_HOST, 3, 4096, 0, 8192));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_TO_HOST, 3, 8192, 0, 0));
    b.run(50_us);
    CHECK(b.nothing_more());
    CHECK(b.dones() == 2); // their buffers are free
    b.order(sata_move(FE_MOVE_TO_HOST, 3, 4096, FE_MOVE_CQE, 12288));
    b.run(50_us);
    CHECK(b.next().as<fis::dma_setup>().count == 16384);
    CHECK(expect_data(b, 16384, fis::DATA_MAX) == expected);
    b.expect_bits(1u << 3);
    CHECK(b.nothing_more());
}

TEST_CASE("WRITE FPDMA QUEUED: DMA Setup, DMA Activate and Data")
{
    sata_bench b("bench");
    b.start();
    write_goes_through(b, false);
    write_goes_through(b, true);
}

TEST_CASE("DMA to the host: data without a setup, then a Register FIS")
{
    sata_bench b("bench");
    b.start();
    for (const std::uint8_t code : {std::uint8_t{0x25}, std::uint8_t{0xC8}, std::uint8_t{0x47}}) {
        const std::vector<std::uint8_t> expected = fill(b, sata::single, 12288);
        b.put(command(code, 0x0BCDEF, 24));
        b.run(5_us);
        CHECK(b.nothing_more()); // BSY stays
        CHECK(b.take_request(sata::single).fis[2] == code);
        b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 12288, FE_MOVE_CQE));
        b.run(100_us);
        CHECK(expect_data(b, 12288, fis::DATA_MAX) == expected);
        CHECK(b.got[b.looked_at - 1].metadata == (code == ATA_READ_LOG_DMA_EXT));
        b.expect_register(0x50);
        CHECK(b.nothing_more());
        CHECK(b.dones() == 1);
    }
}

TEST_CASE("DMA from the host: a DMA Activate for each Data FIS, then a Register FIS")
{
    sata_bench b("bench");
    b.start();
    for (const std::uint8_t code :
         {std::uint8_t{0x35}, std::uint8_t{0xCA}, std::uint8_t{0x3D}, std::uint8_t{0x06}}) {
        b.from_host[sata::single] = std::vector<std::uint8_t>(9216, 0xA7);
        b.put(command(code, 77, 18));
        b.run(5_us);
        CHECK(b.take_request(sata::single).fis[2] == code);
        b.order(sata_move(FE_MOVE_FROM_HOST, sata::single, 9216, FE_MOVE_CQE));
        b.run(100_us);
        const received activate = b.next();
        CHECK(activate.type() == fis::DMA_ACTIVATE);
        CHECK(activate.metadata == (code == ATA_DATA_SET_MANAGEMENT));
        CHECK(b.next().type() == fis::DMA_ACTIVATE);
        b.expect_register(0x50);
        CHECK(b.nothing_more());
        CHECK(landed(b, sata::single, 9216) == b.from_host[sata::single]);
    }
}

TEST_CASE("PIO to the host: a setup a sector, the last one ends it")
{
    sata_bench b("bench");
    b.start();
    const std::vector<std::uint8_t> expected = fill(b, sata::single, 1536);
    b.put(command(ATA_READ_SECTORS_EXT, 5, 3));
    b.run(5_us);
    CHECK(b.take_request(sata::single).notes == 0);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 1536, FE_MOVE_CQE));
    b.run(100_us);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto s = b.next().as<fis::pio_setup>();
        CHECK(int{s.flags} == (fis::FLAG_TO_HOST | fis::FLAG_INTERRUPT));
        CHECK(int{s.status} == 0x58);
        CHECK(int{s.end_status} == (i == 2 ? 0x50 : 0x80));
        CHECK(s.transfer_count == 512);
        const received r = b.next();
        REQUIRE(r.type() == fis::DATA);
        CHECK(std::equal(r.data.begin(), r.data.end(), expected.begin() + i * 512));
    }
    CHECK(b.nothing_more());
    CHECK(b.dones() == 1);
    b.put(command(ATA_FLUSH_CACHE_EXT)); // at once: the device is not busy
    b.run(5_us);
    CHECK(b.take_request(sata::single).fis[2] == ATA_FLUSH_CACHE_EXT);
}

TEST_CASE("PIO from the host: a setup before each sector, the first without interrupt")
{
    sata_bench b("bench");
    b.start();
    b.from_host[sata::single] = std::vector<std::uint8_t>(1024, 0x3C);
    b.put(command(ATA_WRITE_SECTORS, 5, 2));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_FROM_HOST, sata::single, 1024, FE_MOVE_CQE));
    b.run(100_us);
    for (int i = 0; i < 2; ++i) {
        const auto s = b.next().as<fis::pio_setup>();
        CHECK(int{s.flags} == (i == 0 ? 0 : fis::FLAG_INTERRUPT));
        CHECK(int{s.status} == 0x58);
        CHECK(int{s.end_status} == 0x80);
    }
    b.expect_register(0x50);
    CHECK(landed(b, sata::single, 1024) == b.from_host[sata::single]);
}

TEST_CASE("no data: a Register FIS, with what firmware answers")
{
    sata_bench b("bench");
    b.start();
    b.put(command(ATA_CHECK_POWER_MODE, 0x112233445566));
    b.run(5_us);
    b.order(end_move(sata::single, good, SFE_RESULT(0x665544332211, 0x12FF)));
    b.run(10_us);
    auto f = b.expect_register(0x50);
    CHECK(fis::lba_of(f) == 0x665544332211);
    CHECK(fis::count_of(f) == 0x12FF);
    // A status of 0 is a good one.
    b.put(command(ATA_FLUSH_CACHE));
    b.run(5_us);
    b.order(end_move(sata::single, 0));
    b.run(10_us);
    b.expect_register(0x50);
    // Without an answer the fields are the command's.
    b.put(command(ATA_FLUSH_CACHE, 0x112233445566, 0x789));
    b.run(5_us);
    b.order(end_move(sata::single, bad(ATA_ERROR_ABRT)));
    b.run(10_us);
    f = b.expect_register(0x51, ATA_ERROR_ABRT);
    CHECK(fis::lba_of(f) == 0x112233445566);
    CHECK(fis::count_of(f) == 0x789);
}

TEST_CASE("an error of a command with 28 bits of address has its LBA in their places")
{
    sata_bench b("bench");
    b.start();
    b.put(command(ATA_READ_DMA, 0x123456, 8));
    b.run(5_us);
    b.order(end_move(sata::single, bad(ATA_ERROR_UNC), SFE_RESULT(0xA123457, 0)));
    b.run(10_us);
    const auto f = b.expect_register(0x51, ATA_ERROR_UNC);
    CHECK(fis::lba_of(f) == 0x123457);
    CHECK((f.device & 15) == 0xA);
    CHECK(b.nothing_more()); // and no data
}

TEST_CASE("READ VERIFY reads, and sends nothing")
{
    sata_bench b("bench");
    b.start();
    b.put(command(ATA_READ_VERIFY_EXT, 5, 16));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 8192, FE_MOVE_CQE));
    b.run(50_us);
    b.expect_register(0x50);
    CHECK(b.nothing_more());
    CHECK(b.dut.stats().bytes_to_host == 0);
}

TEST_CASE("sizes of transfers: a count of 0 is the largest")
{
    const auto bytes = [](std::uint8_t code, std::uint16_t count) {
        return sata::form_of(command(code, 0, count)).bytes;
    };
    CHECK(bytes(ATA_READ_DMA_EXT, 0) == 65536 * 512);
    CHECK(bytes(ATA_READ_DMA_EXT, 1) == 512);
    CHECK(bytes(ATA_READ_DMA_EXT, 0x1234) == 0x1234 * 512);
    CHECK(bytes(ATA_READ_DMA, 0) == 256 * 512);
    CHECK(bytes(ATA_READ_DMA, 0x1201) == 512); // the upper half is not its
    CHECK(bytes(ATA_DATA_SET_MANAGEMENT, 0) == 0);
    CHECK(bytes(ATA_IDENTIFY_DEVICE, 0) == 512);
    CHECK(bytes(ATA_READ_LOG_EXT, 3) == 1536);
    CHECK(bytes(ATA_FLUSH_CACHE_EXT, 9) == 0);
    CHECK(sata::form_of(read_queued(5, 0, 0)).bytes == 65536 * 512);
    CHECK(sata::form_of(write_queued(5, 0, 2)).bytes == 1024);
    for (const int code : {0x63, 0x64, 0x65}) {
        CHECK(sata::is_queued(sata::form_of(command(static_cast<std::uint8_t>(code))).moves));
    }
    fis::register_h2d smart = command(ATA_SMART, 0xC24F00);
    smart.features = ATA_SMART_READ_DATA;
    CHECK(sata::form_of(smart).bytes == 512);
    smart.features = ATA_SMART_RETURN_STATUS;
    CHECK(sata::form_of(smart).moves == sata::protocol::no_data);
}

TEST_CASE("a queued 4 KiB read at depth 1 takes the sum of its parts")
{
    sata_bench b("bench");
    b.start();
    const sata::frame_time& t = b.wire.times();
    b.ledger.open(7, now());
    const sim_time begin = now();
    b.put(read_queued(9, 0, 8), 7);
    b.run(5_us);
    const sim_time ordered = now();
    b.order(sata_move(FE_MOVE_TO_HOST, 9, 4096, FE_MOVE_CQE));
    b.run(50_us);
    b.expect_release();
    const sim_time setup = b.next().arrival;
    const sim_time data = b.next().arrival;
    const sim_time bits = b.next().arrival;
    const auto to_arrival = [&t](std::uint32_t bytes) {
        return t.before() + t.wire(bytes) + t.flight();
    };
    CHECK(setup == ordered + 50_ns + 300_ns + to_arrival(28));
    CHECK(data == setup + t.after() + to_arrival(4 + 4096));
    CHECK(bits == data + t.after() + to_arrival(8));
    const latency_split& parts = b.ledger.parts(7);
    sim_time sum;
    for (const sim_time& part : parts) {
        sum += part;
    }
    CHECK(sum == bits - begin);
    CHECK(parts[static_cast<std::size_t>(latency_part::dram)] == 300_ns);
    CHECK(b.dut.activations() <= 6);
}

} // namespace ssdvp::test::protocol_test
