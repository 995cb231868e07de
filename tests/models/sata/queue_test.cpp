// SPDX-License-Identifier: Apache-2.0
//
// The queue: 32 tags in any order, its errors, and the way back. Serial ATA 3.x section 13.6.4.
#include <algorithm>
#include <numeric>
#include <random>

#include "tests/models/sata/bench.h"

namespace ssdvp::test::queue_test {
namespace {

/// Puts tags 0 .. n - 1 into the drive: single sectors at LBA 100 + tag.
void load(sata_bench& b, std::uint32_t n)
{
    for (std::uint32_t tag = 0; tag < n; ++tag) {
        b.put(read_queued(tag, 100 + tag, 1));
        b.run(2_us);
        b.expect_release();
        CHECK(b.take_request(static_cast<std::uint16_t>(tag)).notes == 0);
    }
}

/// Log page 10h through the stopped queue: what stands before its data, and that it is served.
void recover(sata_bench& b)
{
    b.put(read_log10());
    b.run(10_us);
    CHECK(b.take_request(sata::single).notes == SFE_NOTE_STOPPED);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 512,
                      FE_MOVE_CQE | FE_MOVE_METADATA | SFE_MOVE_CLEAN));
    b.run(20_us);
    const auto bits = b.expect_bits(~0u);
    CHECK((bits.flags & fis::FLAG_INTERRUPT) == 0);
    CHECK(b.next().as<fis::pio_setup>().end_status == 0x50);
    CHECK(b.next().type() == fis::DATA);
    CHECK(b.nothing_more());
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == 0);
}

std::uint32_t error_word(std::uint32_t tag, std::uint32_t error)
{
    return SFE_QUEUE_ERROR_STOPPED | tag | 0x51u << SFE_QUEUE_ERROR_STATUS_SHIFT |
           error << SFE_QUEUE_ERROR_ERROR_SHIFT;
}

} // namespace

TEST_CASE("32 tags end in any order, and each Set Device Bits names its own")
{
    sata_bench b("bench");
    b.start();
    std::mt19937 random(7);
    for (int round = 0; round < 8; ++round) {
        load(b, 32);
        std::vector<std::uint16_t> order(32);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (const std::uint16_t tag : order) {
            b.order(sata_move(FE_MOVE_TO_HOST, tag, 512, FE_MOVE_CQE));
        }
        b.run(200_us);
        for (const std::uint16_t tag : order) {
            CHECK(b.next().as<fis::dma_setup>().buffer_low == tag);
            CHECK(b.next().data.size() == 512);
            b.expect_bits(1u << tag);
        }
        CHECK(b.nothing_more());
        CHECK(b.dones() == 32);
    }
    CHECK(b.dut.stats().completions == 8 * 32);
    CHECK(b.dut.idle());
}

TEST_CASE("commands that end at one moment share a Set Device Bits")
{
    sata_bench b("bench");
    b.start();
    for (std::uint32_t tag = 0; tag < 4; ++tag) {
        b.from_host[tag] = std::vector<std::uint8_t>(512, 1);
        b.put(write_queued(tag, tag, 1));
        b.run(2_us);
        b.order(sata_move(FE_MOVE_FROM_HOST, static_cast<std::uint16_t>(tag), 512, 0));
        b.run(20_us);
    }
    b.looked_at = b.got.size();
    const std::uint64_t before = b.dut.stats().set_device_bits;
    for (const std::uint16_t tag : {std::uint16_t{3}, std::uint16_t{0}, std::uint16_t{2}}) {
        b.post(end_move(tag)); // their programs are done
    }
    b.ring();
    b.run(20_us);
    b.expect_bits(0xD);
    b.order(end_move(1));
    b.run(20_us);
    b.expect_bits(0x2);
    CHECK(b.nothing_more());
    CHECK(b.dut.stats().set_device_bits - before == 2);
    CHECK(b.dones() == 8);
}

TEST_CASE("an error stops the queue, and after log page 10h all tags work")
{
    sata_bench b("bench");
    b.start();
    load(b, 32);
    b.order(sata_move(FE_MOVE_TO_HOST, 4, 512, FE_MOVE_CQE)); // one is done before
    b.run(10_us);
    b.next();
    b.next();
    b.expect_bits(1u << 4);
    b.order(end_move(17, bad(ATA_ERROR_UNC), SFE_RESULT(0x987654321, 0)));
    b.run(10_us);
    const auto bits = b.expect_bits(0, 0x51, ATA_ERROR_UNC);
    CHECK((bits.flags & fis::FLAG_INTERRUPT) != 0);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == error_word(17, ATA_ERROR_UNC));
    CHECK(b.reg_read(SFE_REG_ERROR_LBA_LO) == 0x87654321);
    CHECK(b.reg_read(SFE_REG_ERROR_LBA_HI) == 9);
    // The log has to wait for what firmware still works on. The host sees none of that.
    b.put(read_log10());
    b.run(10_us);
    fe_command c;
    CHECK_FALSE(b.take(c));
    for (std::uint16_t tag = 0; tag < 32; ++tag) {
        if (tag != 4 && tag != 17) {
            b.order(sata_move(FE_MOVE_TO_HOST, tag, 512, FE_MOVE_CQE));
        }
    }
    b.run(20_us);
    CHECK(b.nothing_more());
    CHECK(b.dones() == 32);
    CHECK(b.dut.stats().aborted_commands == 30);
    CHECK(b.take_request(sata::single).notes == SFE_NOTE_STOPPED);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 512,
                      FE_MOVE_CQE | FE_MOVE_METADATA | SFE_MOVE_CLEAN));
    b.run(20_us);
    b.expect_bits(~0u);
    CHECK(b.next().type() == fis::PIO_SETUP);
    CHECK(b.next().type() == fis::DATA);
    // All tags work again.
    load(b, 32);
    for (std::uint16_t tag = 32; tag-- > 0;) {
        b.order(sata_move(FE_MOVE_TO_HOST, tag, 512, FE_MOVE_CQE));
    }
    b.run(200_us);
    CHECK(b.got.size() - b.looked_at == 3 * 32);
}

TEST_CASE("a queue takes commands until its error has come to pass")
{
    sata_bench b("bench");
    b.start();
    load(b, 2);
    b.post(sata_move(FE_MOVE_TO_HOST, 0, 512, 0)); // takes memory_latency
    b.post(end_move(0, bad(ATA_ERROR_UNC)));
    b.ring();
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == 0);
    b.put(read_queued(2, 102, 1));
    b.run(10_us);
    b.expect_release();
    CHECK(b.take_request(2).notes == 0);
    b.expect_bits(0, 0x51, ATA_ERROR_UNC);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == error_word(0, ATA_ERROR_UNC));
    b.order(end_move(1));
    b.order(end_move(2));
    recover(b);
    CHECK(b.dut.stats().aborted_commands == 2);
    CHECK(b.dones() == 5);
}

TEST_CASE("of two errors the earlier one stops the queue, and a COMRESET leaves none behind")
{
    sata_bench b("bench");
    b.start();
    load(b, 2);
    b.post(sata_move(FE_MOVE_TO_HOST, 0, 512, 0));
    b.post(end_move(0, bad(ATA_ERROR_UNC)));
    b.post(end_move(1, bad(ATA_ERROR_IDNF)));
    b.ring();
    b.run(10_us);
    b.expect_bits(0, 0x51, ATA_ERROR_IDNF);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == error_word(1, ATA_ERROR_IDNF));
    CHECK(b.dut.stats().queue_stops == 1);
    CHECK(b.dones() == 3);
    recover(b);
    CHECK(b.dones() == 1);

    load(b, 1);
    b.order(end_move(0, bad(ATA_ERROR_UNC)));
    b.comreset();
    b.run(10_us);
    CHECK(b.dones() == 1);
    CHECK(b.dut.stats().queue_stops == 1);
    CHECK(b.nothing_more());
}

TEST_CASE("an error without an address of its own has the command's")
{
    sata_bench b("bench");
    b.start();
    load(b, 3);
    b.order(end_move(2, bad(ATA_ERROR_IDNF)));
    b.run(10_us);
    b.expect_bits(0, 0x51, ATA_ERROR_IDNF);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == error_word(2, ATA_ERROR_IDNF));
    CHECK(b.reg_read(SFE_REG_ERROR_LBA_LO) == 102);
    b.order(end_move(0));
    b.order(end_move(1));
    b.run(10_us);
    CHECK(b.nothing_more());
    recover(b);
}

TEST_CASE("a stopped queue passes every command on with a note, queued ones too")
{
    sata_bench b("bench");
    b.start();
    load(b, 2);
    b.order(end_move(0, bad(ATA_ERROR_UNC)));
    b.run(10_us);
    b.expect_bits(0, 0x51, ATA_ERROR_UNC);
    for (const fis::register_h2d& f : {read_queued(5, 0, 1), command(ATA_FLUSH_CACHE_EXT),
                                       command(ATA_IDENTIFY_DEVICE), write_queued(0, 0, 1)}) {
        b.put(f);
        b.run(10_us);
        CHECK(b.take_request(sata::single).notes == SFE_NOTE_STOPPED);
        b.order(end_move(sata::single, bad(ATA_ERROR_ABRT)));
        b.run(10_us);
        b.expect_register(0x51, ATA_ERROR_ABRT);
        CHECK(b.nothing_more());
    }
    b.order(end_move(1)); // was under way all the time
    recover(b);
}

TEST_CASE("a command that is not queued ends those that are")
{
    sata_bench b("bench");
    b.start();
    load(b, 5);
    b.put(command(ATA_FLUSH_CACHE_EXT, 0x55));
    b.run(10_us);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) ==
          (error_word(0, ATA_ERROR_ABRT) | SFE_QUEUE_ERROR_SINGLE));
    CHECK(b.take_request(sata::single).notes == SFE_NOTE_MIXED); // refused at once
    b.order(end_move(sata::single, bad(ATA_ERROR_ABRT)));
    b.run(10_us);
    b.expect_register(0x51, ATA_ERROR_ABRT);
    for (std::uint16_t tag = 0; tag < 5; ++tag) {
        b.order(end_move(tag));
    }
    b.run(10_us);
    CHECK(b.nothing_more());
    recover(b);
}

TEST_CASE("a tag that is in use ends all commands of the queue")
{
    sata_bench b("bench");
    b.start();
    load(b, 3);
    b.put(read_queued(1, 0x77, 1));
    b.run(10_us);
    CHECK(b.nothing_more()); // no release
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == error_word(1, ATA_ERROR_ABRT));
    CHECK(b.take_request(sata::single).notes == SFE_NOTE_TAG);
    b.order(end_move(sata::single, bad(ATA_ERROR_ABRT)));
    b.run(10_us);
    b.expect_register(0x51, ATA_ERROR_ABRT);
    for (std::uint16_t tag = 0; tag < 3; ++tag) {
        b.order(end_move(tag));
    }
    b.run(10_us);
    CHECK(b.nothing_more());
    recover(b);
}

TEST_CASE("a stop in the middle of a write: its data are not taken")
{
    sata_bench b("bench");
    b.start();
    b.answers_data = false;
    b.put(write_queued(0, 0, 16));
    b.run(2_us);
    b.expect_release();
    b.put(read_queued(1, 0, 1));
    b.run(2_us);
    b.expect_release();
    (void)b.take_request(0);
    (void)b.take_request(1);
    b.order(sata_move(FE_MOVE_FROM_HOST, 0, 4096, 0));
    b.order(sata_move(FE_MOVE_FROM_HOST, 0, 4096, FE_MOVE_CQE, 4096));
    b.run(10_us);
    CHECK(b.next().type() == fis::DMA_SETUP);
    CHECK(b.next().type() == fis::DMA_ACTIVATE);
    b.order(end_move(1, bad(ATA_ERROR_UNC)));
    b.run(5_us);
    b.expect_bits(0, 0x51, ATA_ERROR_UNC);
    b.put_raw({fis::DATA, 0, 0, 0}, std::vector<std::uint8_t>(8192)); // it was under way
    b.run(50_us);
    CHECK(b.r_ok.back());
    CHECK(b.dut.stats().bytes_from_host == 0);
    fe_move_done d;
    int failed = 0;
    while (b.done(d)) {
        failed += d.slot == 0 && d.status == FE_DONE_TRANSFER_ERROR ? 1 : 0;
    }
    CHECK(failed == 2);
    recover(b);
    b.answers_data = true;
    b.from_host[0] = std::vector<std::uint8_t>(8192, 0x42);
    b.put(write_queued(0, 0, 16));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_FROM_HOST, 0, 8192, FE_MOVE_CQE));
    b.run(50_us);
    CHECK(b.memory[sata_bench::buffers + 8191] == 0x42);
}

} // namespace ssdvp::test::queue_test
