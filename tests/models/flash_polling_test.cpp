// SPDX-License-Identifier: Apache-2.0
//
// Polling with a period: ready is noticed at the first poll after it, and each poll costs its
// cycles.
#include "tests/models/flash_bench.h"

namespace flash_polling_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

channel_config polled(sim_time period, unsigned luns = 1)
{
    channel_config c = small_config();
    c.luns = luns;
    c.poll_period = period;
    return c;
}

struct measured {
    sim_time end;
    sim_time bus;
    sim_time polling;
};

measured lasts(bench& b, const flash_desc& d)
{
    const sim_time begin = now();
    const channel_stats before = b.channel.stats();
    b.submit(d);
    b.run();
    CHECK(b.answers.at(d.tag).status == FLASH_STATUS_OK);
    b.return_entries();
    return {b.posted.at(d.tag) - begin, b.channel.stats().busy - before.busy,
            b.channel.stats().polling - before.polling};
}

/// tWHR and one byte behind `cycles` command and address cycles.
sim_time poll(unsigned cycles)
{
    return cycles * 25_ns + 80_ns + cycle_timing(small_config().bus).data(1, false);
}

} // namespace

namespace {

/// A read with tR, seen at a multiple of `period` after tWB.
measured read_of(sim_time tR, sim_time period, unsigned luns = 1)
{
    channel_config config = polled(period, luns);
    config.die.timing.tR = {tR};
    bench b(config);
    return lasts(b, descriptor(FLASH_OP_READ, 1));
}

// 7 cycles, tWB, tR; tRR, 4 KiB, ECC.
sim_time by_line(sim_time tR)
{
    return 7 * 25_ns + 100_ns + tR + 20_ns + sim_time(3413334) + 1_us;
}
constexpr sim_time read_cycles = 7 * 25_ns + 20_ns + sim_time(3413334);

} // namespace

TEST_CASE("R/B# line: ready is seen at once")
{
    const measured m = read_of(45_us, sim_time());
    CHECK(m.end == by_line(45_us));
    CHECK(m.bus == read_cycles);
}

TEST_CASE("polling: ready at a poll is seen by it")
{
    const measured m = read_of(45_us, 15_us);
    CHECK(m.end == by_line(45_us));
    CHECK(m.bus == read_cycles);
    CHECK(m.polling == 4 * poll(1)); // at 0, 15, 30, 45 us
}

TEST_CASE("polling: ready 1 ps after a poll waits for the next")
{
    const measured m = read_of(45_us + 1_ps, 15_us);
    CHECK(m.end == by_line(60_us));
    CHECK(m.bus == read_cycles);
    CHECK(m.polling == 5 * poll(1));
}

TEST_CASE("polling: several LUNs are polled by 78h and three address cycles")
{
    const measured m = read_of(40_us, 15_us, 4);
    CHECK(m.end == by_line(45_us));
    CHECK(m.bus == read_cycles);
    CHECK(m.polling == 4 * poll(4));
}

TEST_CASE("polling: the poll that finds a program ready is its status")
{
    bench b(polled(30_us));
    const measured m = lasts(b, descriptor(FLASH_OP_PROGRAM, 1));
    const sim_time start = 7 * 25_ns + 70_ns + sim_time(3413334);
    CHECK(m.end == start + 100_ns + 210_us + poll(1));
    CHECK(m.bus == start + poll(1)); // the last one is the status
    CHECK(m.polling == 7 * poll(1)); // at 0, 30, ... 210 us
}

TEST_CASE("polling: an erase that a read stops, and the read, end at polls of their own")
{
    channel_config config = polled(70_us);
    config.die.suspend.kind = suspend_kind::immediate;
    bench b(config);
    flash_desc erase = descriptor(FLASH_OP_ERASE, 1);
    erase.block = 1;
    b.submit(erase);
    b.run_to(1_ms);
    b.submit(descriptor(FLASH_OP_READ, 2));
    b.run();
    CHECK(b.answers.at(1).suspends == 1);
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
    // 61h r, tWB; the overhead of 100 us ends before the third poll.
    const sim_time stopped = 1_ms + 4 * 25_ns + 100_ns + 140_us;
    CHECK(b.answers.at(2).start_ns == stopped.ns());
    CHECK(b.posted.at(2) == stopped + by_line(70_us));
}

TEST_CASE("polling: copyback and a queue of operations on two LUNs run to their end")
{
    bench b(polled(7_us, 2));
    for (unsigned lun = 0; lun < 2; ++lun) {
        b.put(descriptor(FLASH_OP_PROGRAM, 1 + 10 * lun, lun));
        flash_desc copy = descriptor(FLASH_OP_COPYBACK, 2 + 10 * lun, lun);
        copy.to_block = 3;
        b.put(copy);
        b.put(descriptor(FLASH_OP_READ, 3 + 10 * lun, lun));
        b.put(descriptor(FLASH_OP_ERASE, 4 + 10 * lun, lun));
        b.put(descriptor(FLASH_OP_RESET, 5 + 10 * lun, lun));
    }
    b.ring();
    b.run();
    REQUIRE(b.answers.size() == 10);
    for (const auto& [tag, answer] : b.answers) {
        CHECK(answer.status == FLASH_STATUS_OK);
    }
}

} // namespace flash_polling_test
