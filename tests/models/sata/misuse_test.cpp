// SPDX-License-Identifier: Apache-2.0
//
// What firmware does wrongly to the SATA front end is named: a row for each field and register.
#include <functional>
#include <string>

#include "tests/models/sata/bench.h"

namespace ssdvp::test::misuse_test {
namespace {

/// A bench with a queued read of 8 sectors in slot 3 and a queued write in slot 4.
struct fixture {
    sata_bench b{"bench"};

    fixture()
    {
        b.start();
        b.put(read_queued(3, 1000, 8));
        b.put(write_queued(4, 2000, 8));
        b.run(10_us);
        b.take_request(3);
        b.take_request(4);
    }
    /// What is said at once; empty: nothing.
    std::string said_of(const std::function<void()>& act)
    {
        const std::uint64_t before = b.faults.count();
        act();
        b.run(1_us);
        b.expected_faults = b.faults.count();
        return b.faults.count() == before ? std::string() : b.faults.faults()[before].what;
    }
    std::string said_of_move(const std::function<void(fe_move&)>& spoil)
    {
        fe_move m = sata_move(FE_MOVE_TO_HOST, 3, 512, 0);
        m.flags = 0;
        spoil(m);
        return said_of([&] { b.order(m); });
    }
};

} // namespace

TEST_CASE("a move with a wrong field is named with field, value and slot")
{
    fixture f;
    const auto row = [&f](const char* expected, const std::function<void(fe_move&)>& spoil) {
        const std::string said = f.said_of_move(spoil);
        CAPTURE(said);
        CHECK(said.find(expected) == 0);
        CHECK(said.find("move ") != std::string::npos);
    };
    row("op is 4: unknown operation", [](fe_move& m) { m.op = FE_MOVE_META_TO_HOST; });
    row("slot is 33: there are 33", [](fe_move& m) { m.slot = 33; });
    row("slot 5 has no command of firmware's", [](fe_move& m) { m.slot = 5; });
    row("flags are 0x10: unknown are 0x10", [](fe_move& m) { m.flags = 0x10; });
    row("wait is 8: unknown reason", [](fe_move& m) { m.wait = FE_WAITS; });
    row("buffer is 0x1000c: address that is not a multiple of 8",
        [](fe_move& m) { m.buffer = 0x1000C; });
    row("buffer is 0xff00000000: no SRAM or DRAM there",
        [](fe_move& m) { m.buffer = 0xFF00000000; });
    row("offset 3584 and length 1024 lie beyond the 4096 bytes of command 60h", [](fe_move& m) {
        m.offset = 3584;
        m.length = 1024;
    });
    row("op is 2: command 60h moves no data that way",
        [](fe_move& m) { m.op = FE_MOVE_FROM_HOST; });
}

TEST_CASE("a queued command that is completed twice, or without its data, is named")
{
    fixture f;
    const std::string early = f.said_of([&f] { f.b.order(end_move(3)); });
    CHECK(early.find("firmware ended a command whose data are not complete, 0 of 4096 bytes: tag "
                     "3, command 60h, LBA 1000") == 0);
    const std::string twice = f.said_of([&f] { f.b.order(end_move(3)); });
    CHECK(twice.find("slot 3 has no command of firmware's: its last one, tag 3, command 60h, LBA "
                     "1000, was completed at ") == 0);
    CHECK(f.b.dut.open_commands().find("tag 4, command 61h, LBA 2000, 4096 bytes, with firmware "
                                       "for ") == 0);
}

TEST_CASE("registers of the SATA front end that do not take a value")
{
    fixture f;
    const auto row = [&f](std::uint32_t offset, std::uint32_t value, const char* expected) {
        const std::string said = f.said_of([&] { f.b.reg_write(offset, value); });
        CAPTURE(said);
        CHECK(said.find(expected) == 0);
    };
    row(SFE_REG_MOVE_TAIL, 100000, "MOVE_TAIL does not take 100000: MOVE_SIZE is ");
    row(SFE_REG_CMD_HEAD, 100000, "CMD_HEAD does not take 100000: entries ");
    row(SFE_REG_DONE_HEAD, 100000, "DONE_HEAD does not take 100000: entries ");
    row(SFE_REG_CMD_SIZE, 1, "CMD_SIZE does not take 1: ");
    row(SFE_REG_MOVE_SIZE, 1, "MOVE_SIZE does not take 1: ");
    row(SFE_REG_DONE_SIZE, 1, "DONE_SIZE does not take 1: ");
    row(SFE_REG_MDTS, 4096, "MDTS does not take 4096 while commands are under way");
    f.b.reg_write(SFE_REG_CMD_BASE_HI, 0x50);
    row(SFE_REG_CMD_SIZE, 8, "CMD_BASE is 0x50");
}

TEST_CASE("a move for a command that a reset took away is no fault")
{
    fixture f;
    f.b.comreset();
    f.b.run(10_us);
    CHECK(f.said_of([&f] { f.b.order(end_move(3)); }).empty());
    CHECK(f.b.dut.open_commands().empty());
}

} // namespace ssdvp::test::misuse_test
