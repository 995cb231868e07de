// SPDX-License-Identifier: Apache-2.0
//
// Erase suspend: the oracle of ALGORITHMS.md 7.3, and what may pass an erase.
#include "models/flash/die/suspend/suspend_policy.h"
#include "tests/models/flash_bench.h"

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

/// Commands take no time: the oracle's terms.
channel_config ideal(suspend_kind suspend)
{
    channel_config c = small_config();
    c.ecc_latency = sim_time();
    c.status_poll = false;
    c.die.timing.tDBSY = sim_time();
    c.die.suspend = suspend;
    return c;
}

flash_desc erase_of(unsigned tag, std::uint32_t block)
{
    flash_desc d = descriptor(FLASH_OP_ERASE, tag);
    d.block = block;
    return d;
}

flash_desc read_of(unsigned tag, std::uint32_t block)
{
    flash_desc d = descriptor(FLASH_OP_READ, tag);
    d.block = block;
    return d;
}

constexpr sim_time read_time = 40_us + sim_time(51200000); // tR, transfer

/// Erase of 3 loops at 0, a read of another block at 1.2 ms.
sim_time read_start(bench& b)
{
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(read_of(2, 2));
    b.run();
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
    CHECK(b.posted.at(2) == sim_time(b.answers.at(2).start_ns * 1000) + read_time);
    return sim_time(b.answers.at(2).start_ns * 1000);
}

} // namespace

TEST_CASE("oracle 7.3: without suspend the read starts at 15.0 ms")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::none), &timing);
    CHECK(read_start(b) == 15_ms);
    CHECK(b.posted.at(1) == 15_ms);
    CHECK(b.channel.stats().suspends == 0);
    CHECK(b.channel.stats().worst_blocking == 15_ms - 1200_us);
}

TEST_CASE("oracle 7.3: with immediate suspend the read starts at 1.3 ms")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::immediate), &timing);
    CHECK(read_start(b) == 1300_us);
    // The erase stood still from 1.2 ms until the read was served.
    CHECK(b.posted.at(1) == 15_ms + 100_us + read_time);
    CHECK(b.answers.at(1).suspends == 1);
    CHECK(b.channel.stats().suspends == 1);
    CHECK(b.channel.stats().resumes == 1);
    CHECK(b.channel.lun(0).stats().suspends == 1);
    CHECK(b.channel.lun(0).stats().busy == 15_ms + 100_us + 40_us);
    CHECK(b.channel.stats().worst_blocking == 100_us);
    CHECK(b.channel.lun(0).cells().erase_count(0, 1) == 1);
}

TEST_CASE("the suspend overhead moves the read's start")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::immediate);
    config.die.erase.suspend_overhead = 250_us;
    bench b(config, &timing);
    CHECK(read_start(b) == 1450_us);
}

TEST_CASE("suspend and resume cost their cycles on a real bus")
{
    channel_config config = small_config();
    config.die.suspend = suspend_kind::immediate;
    bench b(config);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(read_of(2, 2));
    b.run();
    // 61h and three address cycles, then the overhead.
    CHECK(b.answers.at(2).start_ns == (1200_us + 4 * 25_ns + 100_us).ns());
    CHECK(b.answers.at(1).suspends == 1);
}

TEST_CASE("the register selects the policy at run time")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::none), &timing);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == FLASH_SUSPEND_NONE);
    b.write(CHANNEL_REG_SUSPEND, FLASH_SUSPEND_IMMEDIATE);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == FLASH_SUSPEND_IMMEDIATE);
    CHECK(read_start(b) == 1300_us);
    b.write(CHANNEL_REG_SUSPEND, 77);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == FLASH_SUSPEND_IMMEDIATE);
    b.expected_faults = 1;
}

TEST_CASE("all waiting reads of the LUN are served before the erase resumes")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::immediate), &timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.put(read_of(2, 2));
    b.put(read_of(3, 3));
    b.put(read_of(4, 4));
    b.ring();
    b.run();
    CHECK(b.posted.at(4) == 1300_us + 3 * read_time);
    CHECK(b.posted.at(1) == 15_ms + 100_us + 3 * read_time);
    CHECK(b.answers.at(1).suspends == 1);
}

TEST_CASE("a read that depends on the erase, or on a program before it, does not pass")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::immediate), &timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.put(read_of(2, 1)); // the block that is being erased
    flash_desc program = descriptor(FLASH_OP_PROGRAM, 3);
    program.block = 2;
    b.put(program);
    b.put(read_of(4, 2)); // the block that the waiting program changes
    b.put(read_of(5, 3)); // independent of both
    b.ring();
    b.run();
    CHECK(b.posted.at(5) == 1300_us + read_time);
    CHECK(b.posted.at(1) > 15_ms);
    CHECK(b.posted.at(2) > b.posted.at(1));
    CHECK(b.posted.at(4) > b.posted.at(3));
    CHECK(b.answers.at(1).suspends == 1);
}

TEST_CASE("steady reads let an immediately suspended erase advance 60 us per 200 us")
{
    const cycle_timing timing(cycle_times{}, rate(4096ull * 1000 * 1000)); // 4 KiB in 1 us
    channel_config config = ideal(suspend_kind::immediate);
    config.die.timing.tR = {39_us};
    bench b(config, &timing);
    b.submit(erase_of(1, 1));
    for (unsigned i = 0; b.posted.count(1) == 0 && i < 400; ++i) {
        b.run_to(i * 200_us);
        flash_desc d = read_of(2, 2);
        b.put(d);
        b.ring();
        b.return_entries();
    }
    b.run();
    // 15 ms of pulses at 60 us per 200 us: 50 ms, within one cycle.
    const auto difference = static_cast<std::int64_t>(b.posted.at(1).ns()) - 50000000;
    CHECK(std::abs(difference) <= 200000);
}

TEST_CASE("suspend acts only where the arbiter lets reads overtake")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::immediate);
    config.arbiter = arbiter_kind::interleaved;
    bench b(config, &timing);
    CHECK(read_start(b) == 15_ms);
}

TEST_CASE("immediate policy: stops where it is, not after the end")
{
    const erase_progress erase{{3, 5_ms, 100_us}, 2_ms, 10_ms};
    CHECK(erase.finish() == 23_ms);
    CHECK(suspend_immediate().stop(erase, 12_ms) == 12_ms);
    CHECK(suspend_immediate().stop(erase, 9_ms) == 10_ms); // not before it runs
    CHECK(suspend_immediate().stop(erase, 23_ms - sim_time(1)) == 23_ms - sim_time(1));
    CHECK_FALSE(suspend_immediate().stop(erase, 23_ms));
    CHECK_FALSE(suspend_none().stop(erase, 12_ms));
    CHECK(find_suspend_policy(FLASH_SUSPEND_DEFERRED) == nullptr);
}
