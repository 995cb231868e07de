// SPDX-License-Identifier: Apache-2.0
//
// COMRESET and software reset, with nothing and with everything under way; frames that no host
// should send.
#include "tests/models/sata/bench.h"

namespace ssdvp::test::reset_test {
namespace {

/// 8 queued reads, of which 2 have data under way, and 2 writes that wait for theirs.
void load(sata_bench& b)
{
    b.answers_data = false;
    for (std::uint32_t tag = 0; tag < 10; ++tag) {
        b.put(tag < 8 ? read_queued(tag, tag, 64) : write_queued(tag, tag, 64));
        b.run(2_us);
        b.expect_release();
    }
    b.order(sata_move(FE_MOVE_TO_HOST, 0, 4096, 0));
    b.order(sata_move(FE_MOVE_FROM_HOST, 8, 32768, FE_MOVE_CQE));
    b.order(sata_move(FE_MOVE_FROM_HOST, 9, 4096, 0));
    b.order(sata_move(FE_MOVE_TO_HOST, 1, 32768, FE_MOVE_CQE));
    b.order(sata_move(FE_MOVE_TO_HOST, 2, 32768, FE_MOVE_CQE));
    b.run(3_us);
}

void expect_signature(sata_bench& b)
{
    b.looked_at = b.got.size() - 1;
    const auto f = b.next().as<fis::register_d2h>();
    CHECK(int{f.status} == 0x50);
    CHECK(int{f.error} == 1);
    CHECK(fis::lba_of(f) == 1);
    CHECK(int{f.flags} == 0);
}

/// A queued write and a read go through.
void works(sata_bench& b)
{
    b.answers_data = true;
    b.from_host[8] = std::vector<std::uint8_t>(32768, 0x99);
    b.put(write_queued(8, 0, 64));
    b.run(5_us);
    b.expect_release();
    b.order(sata_move(FE_MOVE_FROM_HOST, 8, 32768, FE_MOVE_CQE));
    b.run(100_us);
    CHECK(b.memory[sata_bench::buffers + 8 * sata_bench::mdts + 32767] == 0x99);
    b.put(read_queued(1, 0, 8));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_TO_HOST, 1, 4096, FE_MOVE_CQE));
    b.run(50_us);
    CHECK(b.got.back().as<fis::set_device_bits>().active == 2);
    CHECK(b.dut.idle());
}

void damaged_data(bool queued)
{
    sata_bench b("bench");
    b.start();
    const std::uint16_t slot = queued ? std::uint16_t{6} : sata::single;
    const std::uint8_t icrc = ATA_ERROR_ICRC | ATA_ERROR_ABRT;
    const auto ends = [&] {
        if (queued) {
            b.expect_bits(0, 0x51, icrc);
            CHECK((b.reg_read(SFE_REG_QUEUE_ERROR) & SFE_QUEUE_ERROR_TAG_MASK) == 6);
        } else {
            b.expect_register(0x51, icrc);
        }
        fe_move_done d;
        REQUIRE(b.done(d));
        CHECK(d.status == FE_DONE_TRANSFER_ERROR);
        CHECK_FALSE(b.done(d));
    };
    b.answers_data = false;
    b.put(queued ? write_queued(6, 0, 8) : command(ATA_WRITE_DMA_EXT, 0, 8));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_FROM_HOST, slot, 4096, FE_MOVE_CQE));
    b.run(10_us);
    b.looked_at = b.got.size();
    const std::vector<unsigned char> data(4096, 0x66);
    const fis::data_header header;
    sata::frame f;
    f.header = &header;
    f.header_length = sizeof header;
    f.data = data.data();
    f.data_length = 4096;
    f.damaged = true;
    CHECK_FALSE(b.dut.on_frame(f, now() + 1_us));
    b.run(10_us);
    ends();
    CHECK(b.memory[sata_bench::buffers + slot * sata_bench::mdts] == 0);
    if (queued) {
        b.comreset();
        b.run(sata::link::oob_time() + 10_us);
        b.firmware_follows();
        b.run(10_us);
    }
    b.takes_data = false;
    b.put(queued ? read_queued(6, 0, 48) : command(ATA_READ_DMA_EXT, 0, 48));
    b.run(5_us);
    b.looked_at = b.got.size();
    b.order(sata_move(FE_MOVE_TO_HOST, slot, 24576, FE_MOVE_CQE));
    b.run(100_us);
    b.looked_at += queued ? 1 : 0;
    CHECK(b.next().type() == fis::DATA); // the first of three, and no more
    ends();
}

} // namespace

TEST_CASE("COMRESET under load: each buffer comes back once")
{
    sata_bench b("bench");
    b.start();
    load(b);
    const std::size_t frames = b.got.size();
    b.comreset();
    CHECK(b.dut.idle());
    b.run(1_us);
    CHECK((b.reg_read(SFE_REG_INT_STATUS) & SFE_INT_LINK) != 0);
    CHECK(b.dones() == 5);
    CHECK((b.reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) == 0);
    CHECK((b.reg_read(SFE_REG_INT_STATUS) & SFE_INT_LINK) == 0); // the read cleared it
    // What firmware still has for old commands is stale, and never reaches the host.
    b.order(sata_move(FE_MOVE_TO_HOST, 3, 4096, FE_MOVE_CQE));
    CHECK(b.dones() == 1);
    CHECK(b.dut.stats().stale_moves == 1);
    b.run(sata::link::oob_time() + 100_us);
    CHECK((b.reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) == 0); // the link is up, firmware is not
    CHECK(b.got.size() == frames);
    b.firmware_follows();
    b.run(5_us);
    CHECK(b.got.size() == frames + 1);
    expect_signature(b);
    CHECK(b.dut.ready_since() == b.got.back().arrival);
    works(b);
    CHECK(b.dut.stats().resets == 1);
}

TEST_CASE("SRST under load: the same, and the link stays")
{
    sata_bench b("bench");
    b.start();
    load(b);
    const int downs = b.downs;
    fis::register_h2d f;
    f.control = ATA_CONTROL_SRST;
    b.put(f);
    b.run(100_us); // behind frames that are on their way
    CHECK(b.reg_read(SFE_REG_LINK) == 0);
    b.firmware_follows();
    b.run(20_us);
    CHECK(b.reg_read(SFE_REG_LINK) == 0); // the host holds it
    f.control = 0;
    b.put(f);
    b.run(20_us);
    b.looked_at = b.got.size();
    b.firmware_follows();
    b.run(20_us);
    CHECK(b.reg_read(SFE_REG_LINK) == SFE_LINK_ENABLE); // not HARD
    expect_signature(b);
    CHECK(b.downs == downs);
    works(b);
}

TEST_CASE("power goes under load: nothing of before acts any more, and all works afterwards")
{
    sata_bench b("bench");
    b.start();
    for (int cut = 0; cut < 20; ++cut) {
        CAPTURE(cut);
        load(b);
        b.run(1_ns + cut * 5_us); // from data under way to completions that the host has heard of
        b.dut.power_off();
        b.wire.device_power(false);
        b.lose_memory();
        b.irqs.clear();
        const std::size_t frames = b.got.size();
        const sata::front_end_stats before = b.dut.stats();
        sc_core::sc_start((1_ms).to_sc(), sc_core::SC_RUN_TO_TIME);
        CHECK(b.irqs.empty());
        CHECK(b.got.size() == frames);
        CHECK(b.dut.stats().completions == before.completions);
        CHECK(b.dut.stats().moves == before.moves);
        CHECK(b.dut.stats().resets == 0); // whoever loses power is not reset
        CHECK(b.dut.idle());
        b.looked_at = frames;
        b.power_up();
        CHECK(b.dones() == 0);
        works(b);
        (void)b.take_request(8); // of works()
        (void)b.take_request(1);
        b.looked_at = b.got.size();
    }
}

TEST_CASE("a stopped queue, and a command that waits, end with COMRESET")
{
    sata_bench b("bench");
    b.start();
    b.put(read_queued(0, 0, 8));
    b.run(3_us);
    b.put(read_queued(1, 0, 8));
    b.run(3_us);
    b.order(end_move(0, bad(ATA_ERROR_UNC)));
    b.run(10_us);
    b.put(read_log10());
    b.run(10_us);
    CHECK_FALSE(b.dut.idle());
    b.comreset();
    b.run(sata::link::oob_time() + 10_us);
    b.firmware_follows();
    b.run(10_us);
    expect_signature(b);
    CHECK(b.reg_read(SFE_REG_QUEUE_ERROR) == 0);
    works(b);
}

TEST_CASE("COMRESET during COMRESET, and before firmware is ready at all")
{
    sata_bench b("bench");
    b.start();
    b.comreset();
    b.run(20_us);
    b.comreset();
    b.run(sata::link::oob_time() + 10_us);
    b.firmware_follows();
    b.run(10_us);
    expect_signature(b);
    b.dut.power_off();
    CHECK(b.reg_read(SFE_REG_READY) == 0);
    CHECK(b.reg_read(SFE_REG_LINK) == 0);
    CHECK(b.reg_read(SFE_REG_CMD_SIZE) == 0);
    CHECK(b.reg_read(SFE_REG_MDTS) == SFE_MDTS_RESET);
}

TEST_CASE("COMRESET after firmware has seen the link, and before it says that it is ready")
{
    sata_bench b("bench");
    b.start();
    b.comreset();
    b.run(sata::link::oob_time() + 10_us);
    b.reg_write(SFE_REG_READY, 0);
    CHECK((b.reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) != 0);
    b.comreset();
    CHECK((b.reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) == 0);
    b.run(sata::link::oob_time() + 10_us);
    const std::size_t frames = b.got.size();
    b.reg_write(SFE_REG_READY, SFE_READY_RDY); // late: it is of before the reset
    b.run(10_us);
    CHECK(b.got.size() == frames); // firmware is going to drop what the host would send now
    CHECK((b.reg_read(SFE_REG_LINK) & SFE_LINK_ENABLE) == 0);
    b.firmware_follows();
    b.run(10_us);
    CHECK(b.got.size() == frames + 1);
    expect_signature(b);
    works(b);
}

TEST_CASE("commands before the signature, and while one is under way, change nothing")
{
    sata_bench b("bench");
    b.start();
    b.put(command(ATA_IDENTIFY_DEVICE));
    b.run(5_us);
    CHECK(b.take_request(sata::single).notes == 0);
    b.put(command(ATA_FLUSH_CACHE_EXT));
    b.put(read_queued(3, 0, 8));
    b.run(5_us);
    CHECK(b.dut.stats().ignored_commands == 2);
    fe_command c;
    CHECK_FALSE(b.take(c));
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 512, FE_MOVE_CQE | FE_MOVE_METADATA));
    b.run(20_us);
    CHECK(b.next().type() == fis::PIO_SETUP);
    CHECK(b.next().metadata);
    CHECK(b.nothing_more());
    b.comreset();
    b.run(sata::link::oob_time() + 10_us);
    b.put(command(ATA_IDENTIFY_DEVICE)); // BSY: no signature yet
    b.run(10_us);
    CHECK(b.dut.stats().ignored_commands == 3);
    b.firmware_follows();
    b.run(10_us);
    expect_signature(b);
    CHECK_FALSE(b.take(c));
}

TEST_CASE("frames that no host may send get R_ERR and change nothing")
{
    sata_bench b("bench");
    b.start();
    using bytes = std::vector<std::uint8_t>;
    const std::uint8_t h2d = fis::REGISTER_H2D;
    const std::vector<std::pair<bytes, bytes>> wrong = {
        {bytes(20, 0x00), {}},                               // no such type
        {bytes(20, 0xFF), {}},                               //
        {bytes(4, h2d), {}},                                 // too short
        {bytes(24, h2d), {}},                                // too long
        {bytes(20, h2d), bytes(4)},                          // with data
        {bytes(20, fis::REGISTER_D2H), {}},                  // the device's own
        {bytes(8, fis::SET_DEVICE_BITS), {}},                //
        {bytes(28, fis::DMA_SETUP), {}},                     //
        {bytes(4, fis::DMA_ACTIVATE), {}},                   //
        {bytes(20, fis::PIO_SETUP), {}},                     //
        {bytes(12, fis::BIST_ACTIVATE), {}},                 // not here
        {bytes{fis::DATA, 0, 0, 0}, bytes(512)},             // nobody asked
        {bytes{fis::DATA, 0, 0, 0, 0, 0, 0, 0}, bytes(512)}, // header too long
        {bytes{fis::DATA, 0, 0, 0}, {}}};                    // empty
    for (const auto& w : wrong) {
        CAPTURE(int{w.first[0]}, w.first.size(), w.second.size());
        b.put_raw(w.first, w.second);
        b.run(20_us);
        CHECK_FALSE(b.r_ok.back());
    }
    CHECK(b.dut.stats().refused_frames == wrong.size());
    CHECK(b.nothing_more());
    CHECK(b.dut.idle());
    fis::register_h2d control; // control register without a change of SRST
    control.control = 0x0A;
    b.put(control);
    b.run(5_us);
    CHECK(b.r_ok.back());
    CHECK(b.nothing_more());
    works(b);
}

TEST_CASE("damaged data fail a queued command, in either direction")
{
    damaged_data(true);
}

TEST_CASE("damaged data fail a command that is not queued, in either direction")
{
    damaged_data(false);
}

TEST_CASE("more data than asked for fail the command")
{
    sata_bench b("bench");
    b.start();
    b.answers_data = false;
    b.put(command(ATA_WRITE_DMA_EXT, 0, 1));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_FROM_HOST, sata::single, 512, FE_MOVE_CQE));
    b.run(5_us);
    CHECK(b.next().type() == fis::DMA_ACTIVATE);
    b.put_raw({fis::DATA, 0, 0, 0}, std::vector<std::uint8_t>(516));
    b.run(10_us);
    CHECK_FALSE(b.r_ok.back());
    b.expect_register(0x51, ATA_ERROR_ICRC | ATA_ERROR_ABRT);
}

TEST_CASE("moves that do not fit their command fail it, and not the drive")
{
    sata_bench b("bench");
    b.start();
    b.put(command(ATA_READ_DMA_EXT, 0, 1));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 1024, FE_MOVE_CQE)); // beyond its data
    b.run(10_us);
    b.expect_register(0x51, ATA_ERROR_ABRT);
    b.put(command(ATA_READ_DMA_EXT, 0, 1));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_FROM_HOST, sata::single, 512, FE_MOVE_CQE)); // the wrong way
    b.run(10_us);
    b.expect_register(0x51, ATA_ERROR_ABRT);
    b.put(command(ATA_READ_DMA_EXT, 0, 2));
    b.run(5_us);
    b.order(sata_move(FE_MOVE_TO_HOST, sata::single, 512, FE_MOVE_CQE)); // not all of it
    b.run(10_us);
    b.expect_register(0x51, ATA_ERROR_ABRT);
    b.order(sata_move(FE_MOVE_TO_HOST, 200, 512, FE_MOVE_CQE)); // no such slot
    CHECK(b.dut.idle());
    b.expected_faults = 4;
}

} // namespace ssdvp::test::reset_test
