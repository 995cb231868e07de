// SPDX-License-Identifier: Apache-2.0
//
// Erase suspend: times worked out by hand for each policy (docs/models/die.md), and what may pass
// an erase.
#include "models/flash/die/pulse_train.h"
#include "models/flash/die/suspend/suspend_policy.h"
#include "tests/models/flash_suspend_bench.h"

namespace flash_suspend_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace flash_suspend_bench;

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
    CHECK(b.channel.lun(lun_index(0)).stats().suspends == 1);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 15_ms + 100_us + 40_us);
    CHECK(b.channel.stats().worst_blocking == 100_us);
    CHECK(b.channel.lun(lun_index(0)).cells().erase_count(plane_index(0), block_index(1)) == 1);
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
    config.die.suspend.kind = suspend_kind::immediate;
    bench b(config);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(read_of(2, 2));
    b.run();
    // 61h and three address cycles, then the overhead.
    CHECK(b.answers.at(2).start_ns == (1200_us + 4 * 25_ns + 100_us).ns());
    CHECK(b.answers.at(1).suspends == 1);
}

TEST_CASE("the register selects what the channel asks for, the die decides")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::immediate), &timing);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == CHANNEL_SUSPEND_ERASES);
    b.write(CHANNEL_REG_SUSPEND, 4);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == CHANNEL_SUSPEND_ERASES);
    b.expected_faults = 1;
    b.write(CHANNEL_REG_SUSPEND, CHANNEL_SUSPEND_PROGRAMS);
    CHECK(b.read(CHANNEL_REG_SUSPEND) == CHANNEL_SUSPEND_PROGRAMS);
    CHECK(read_start(b) == 15_ms);
    CHECK(b.channel.lun(lun_index(0)).stats().suspends == 0);
}

namespace {

/// Set Features of P1 to P4.
flash_desc set_policy(bench& b, unsigned tag, std::uint8_t policy, std::uint8_t programs = 0)
{
    const unsigned char value[4] = {policy, programs, 0, 0};
    std::memcpy(b.memory.at(bench::data_base), value, sizeof value);
    flash_desc d = descriptor(FLASH_OP_SET_FEATURES, tag);
    d.column = FLASH_FEATURE_SUSPEND_POLICY;
    d.length = sizeof value;
    return d;
}

/// Get Features, P1 in the low byte.
std::uint32_t feature(bench& b, std::uint32_t address)
{
    flash_desc d = descriptor(FLASH_OP_GET_FEATURES, 9);
    d.column = address;
    d.length = 4;
    CHECK(b.execute(d).status == FLASH_STATUS_OK);
    const unsigned char* p = b.memory.at(bench::data_base);
    return p[0] | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
           static_cast<std::uint32_t>(p[3]) << 24;
}

/// How long after an erase began a read starts that comes 1.2 ms after it.
sim_time waited_from_erase(bench& b)
{
    const sim_time begin = now();
    b.submit(erase_of(1, 1));
    b.run_to(begin + 1200_us);
    b.submit(read_of(2, 2));
    b.run();
    b.return_entries();
    return b.posted.at(2) - read_time - begin;
}

} // namespace

TEST_CASE("Set Features selects the policy of a die, which answers by it")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::none), &timing);
    b.write(CHANNEL_REG_SUSPEND, CHANNEL_SUSPEND_ERASES);
    const std::vector<std::pair<flash_suspend_policy, sim_time>> table = {
        {FLASH_SUSPEND_NONE, 15_ms},
        {FLASH_SUSPEND_IMMEDIATE, 1300_us},
        {FLASH_SUSPEND_DEFERRED, 5100_us},
        {FLASH_SUSPEND_SAFE_POINT_STATIC, 1600_us},
        {FLASH_SUSPEND_SAFE_POINT_DYNAMIC, sim_time(1433333333)},
        {FLASH_SUSPEND_NONE, 15_ms}};
    for (const auto& [policy, expected] : table) {
        const auto id = static_cast<std::uint8_t>(policy);
        CHECK(b.execute(set_policy(b, 8, id)).status == FLASH_STATUS_OK);
        CHECK(feature(b, FLASH_FEATURE_SUSPEND_POLICY) == id);
        CHECK(waited_from_erase(b) == expected);
    }
}

TEST_CASE("a die refuses a policy that it does not have, and keeps the one it has")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::immediate), &timing);
    CHECK(b.execute(set_policy(b, 8, 5)).status == FLASH_STATUS_BAD_DESCRIPTOR);
    CHECK(b.execute(set_policy(b, 8, 2, 2)).status == FLASH_STATUS_BAD_DESCRIPTOR);
    flash_desc counts = set_policy(b, 8, 0);
    counts.column = FLASH_FEATURE_SUSPEND_COUNTS; // read only
    CHECK(b.execute(counts).status == FLASH_STATUS_BAD_DESCRIPTOR);
    b.expected_faults = 3;
    CHECK(feature(b, FLASH_FEATURE_SUSPEND_POLICY) == FLASH_SUSPEND_IMMEDIATE);
    CHECK(waited_from_erase(b) == 1300_us);
}

TEST_CASE("Get Features tells the suspends of the last erase, and all")
{
    const cycle_timing timing = data_only_timing();
    bench b(ideal(suspend_kind::safe_point_static), &timing);
    CHECK(feature(b, FLASH_FEATURE_SUSPEND_COUNTS) == 0);
    const sim_time begin = now();
    b.submit(erase_of(1, 1));
    for (unsigned i = 1; i <= 3; ++i) {
        b.run_to(begin + i * 4_ms);
        b.submit(read_of(2, 2));
    }
    b.run();
    CHECK(feature(b, FLASH_FEATURE_SUSPEND_COUNTS) == (3u << 16 | 3u));
    waited_from_erase(b);
    CHECK(feature(b, FLASH_FEATURE_SUSPEND_COUNTS) == (4u << 16 | 1u));
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

namespace {

/// Start of a read that comes at 1.2 ms.
sim_time stopped_read(suspend_kind kind, sim_time overhead)
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(kind);
    config.die.erase.suspend_overhead = overhead;
    bench b(config, &timing);
    return read_start(b);
}

} // namespace

TEST_CASE("oracle 7.3: deferred, without the overhead, the read starts at 5.0 ms")
{
    CHECK(stopped_read(suspend_kind::deferred, sim_time()) == 5_ms);
}

TEST_CASE("oracle 7.3: deferred, the read starts at 5.1 ms")
{
    CHECK(stopped_read(suspend_kind::deferred, 100_us) == 5100_us);
}

TEST_CASE("oracle 7.3: static, without the overhead, the read starts at 1.5 ms")
{
    CHECK(stopped_read(suspend_kind::safe_point_static, sim_time()) == 1500_us);
}

TEST_CASE("oracle 7.3: static, the read starts at 1.6 ms")
{
    CHECK(stopped_read(suspend_kind::safe_point_static, 100_us) == 1600_us);
}

TEST_CASE("oracle 7.3: dynamic, the read starts at 1.433 ms")
{
    // The eighth of 30 safe points in 5 ms; start_ns is in whole nanoseconds.
    CHECK(stopped_read(suspend_kind::safe_point_dynamic, 100_us) == 1433333_ns);
}

TEST_CASE("an erase ends no later than its bound, and stops no more often than it may")
{
    // loops * N * (segment + overhead + reads per stop), whatever comes.
    const std::uint32_t n = 10;
    suspend_config suspend;
    suspend.kind = suspend_kind::safe_point_static;
    suspend.reads_per_stop = 1;
    const cycle_timing timing(cycle_times{}, rate(4096ull * 1000 * 1000));
    channel_config config = ideal(suspend.kind);
    config.die.suspend = suspend;
    config.die.timing.tR = {39_us};
    bench b(config, &timing);
    b.submit(erase_of(1, 1));
    for (unsigned i = 0; b.posted.count(1) == 0 && i < 4000; ++i) {
        b.run_to(i * 20_us); // twice as many as the die could ever serve
        b.put(read_of(2, 2));
        b.ring();
        b.return_entries();
    }
    CHECK(b.posted.at(1) <= 3 * n * (500_us + 100_us + 40_us));
    CHECK(b.answers.at(1).suspends <= 3 * n);
    CHECK(b.answers.at(1).suspends == 3 * n - 1); // the last segment is not stopped at its end
    b.run();
}

TEST_CASE("reads per stop: after so many the erase goes on, though more wait")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::safe_point_static);
    config.die.suspend.reads_per_stop = 2;
    bench b(config, &timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.put(read_of(2, 2));
    b.put(read_of(3, 3));
    b.put(read_of(4, 4));
    b.ring();
    b.run();
    CHECK(b.posted.at(3) == 1600_us + 2 * read_time);
    // One more segment, the overhead, then the third read.
    CHECK(b.posted.at(4) == 1600_us + 2 * read_time + 500_us + 100_us + read_time);
    CHECK(b.answers.at(1).suspends == 2);
}

TEST_CASE("the limit of suspends makes later reads wait for the end of the erase")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::safe_point_static);
    config.die.suspend.limit = 1;
    bench b(config, &timing);
    b.submit(erase_of(1, 1));
    b.run_to(1200_us);
    b.submit(read_of(2, 2));
    b.run_to(3_ms);
    b.submit(read_of(3, 3));
    b.run();
    CHECK(b.answers.at(1).suspends == 1);
    CHECK(b.answers.at(3).start_ns * 1000 >= b.posted.at(1).ps());
}

TEST_CASE("each resume costs its ramp")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::safe_point_static);
    config.die.erase.resume_overhead = 30_us;
    bench b(config, &timing);
    CHECK(read_start(b) == 1600_us);
    CHECK(b.posted.at(1) == 15_ms + 100_us + read_time + 30_us);
}

namespace {

/// A program of ten loops, a read 250 us after it began: start of the read, end of the program.
std::pair<sim_time, sim_time> program_and_read(bool programs)
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::none);
    config.die.timing.tPROG = {1_ms};
    config.die.program_loop = 100_us;
    config.die.erase.suspend_overhead = 20_us;
    config.die.suspend.programs = programs;
    bench b(config, &timing);
    flash_desc program = descriptor(FLASH_OP_PROGRAM, 1);
    program.block = 1;
    b.submit(program);
    b.run_to(data_time + 250_us);
    b.submit(read_of(2, 2));
    b.run();
    CHECK(b.answers.at(1).status == FLASH_STATUS_OK);
    CHECK(b.channel.lun(lun_index(0)).cells().programmed(plane_index(0), block_index(1)) == 1);
    return {sim_time(b.answers.at(2).start_ns * 1000), b.posted.at(1)};
}

} // namespace

TEST_CASE("a program is not suspended unless that is allowed")
{
    CHECK(program_and_read(false) == std::make_pair(data_time + 1_ms, data_time + 1_ms));
}

TEST_CASE("a program is suspended between two of its loops")
{
    CHECK(program_and_read(true) ==
          std::make_pair(data_time + 300_us + 20_us, data_time + 1_ms + 20_us + read_time));
}

TEST_CASE("the loops of an erase follow wear")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::none);
    config.die.endurance = 4;
    config.die.erase.loops_fresh = 1; // 3 at the end of life: 1, 1.5, 2, 2.5 -> 1, 2, 2, 3
    bench b(config, &timing);
    for (const unsigned loops : {1u, 2u, 2u, 3u}) {
        const sim_time begin = now();
        b.submit(erase_of(1, 1));
        b.run();
        CHECK((b.posted.at(1) - begin).ns() == (loops * 5_ms).ns());
    }
}

TEST_CASE("a used drive: the blocks begin with the cycles they have behind them")
{
    die_config die = ideal(suspend_kind::none).die;
    die.endurance = 1000;
    die.erase.loops_fresh = 1;
    die.pe_cycles = 999;
    cell_array cells(die, "cells", nullptr, die_index(0));
    CHECK(cells.erase_count(plane_index(0), block_index(3)) == 999);
    CHECK(cells.erase_loops(page_at(0, 3, 0)) == 3);
    CHECK(cells.erase(page_at(0, 3, 0)) == FLASH_STATUS_OK);
    CHECK(cells.erase(page_at(0, 3, 0)) == FLASH_STATUS_ERASE_FAIL); // the rated cycles are used up
}

TEST_CASE("the loops of an erase vary from block to block, the same for the same seed")
{
    die_config die = ideal(suspend_kind::none).die;
    die.geo.blocks_per_plane = 64;
    die.erase.loops = 9;
    die.erase.loops_fresh = 5;
    const auto loops = [&die] {
        const cell_array cells(die, "cells", nullptr, die_index(0));
        std::vector<std::uint32_t> all;
        for (std::uint32_t block = 0; block < 64; ++block) {
            all.push_back(cells.erase_loops(page_at(0, block, 0)));
        }
        return all;
    };
    CHECK(loops() == std::vector<std::uint32_t>(64, 5));
    die.erase.loops_spread = 1.0;
    const auto varied = loops();
    CHECK(varied == loops());
    CHECK(*std::min_element(varied.begin(), varied.end()) < 5);
    CHECK(*std::max_element(varied.begin(), varied.end()) > 5);
    die.seed = 2;
    CHECK(varied != loops());
}

TEST_CASE("suspend acts only where the arbiter lets reads overtake")
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::immediate);
    config.arbiter = arbiter_kind::interleaved;
    bench b(config, &timing);
    CHECK(read_start(b) == 15_ms);
}

TEST_CASE("pulse train: it stops at the safe point that has come, not one picosecond before")
{
    pulse_train train;
    train.length = 15_ms;
    train.loop = 5_ms;
    train.safe_points = 10;
    train.resumed = 100_ms;
    CHECK(train.stop(100_ms + 500_us) == 100_ms + 500_us);
    CHECK(train.stop(100_ms + 500_us + sim_time(1)) == 101_ms);
    CHECK(train.stop(100_ms) == 100_ms + 500_us); // it has not moved yet
    CHECK(train.stop(99_ms) == 100_ms + 500_us);
    CHECK(train.stop(104_ms + 500_us) == 104_ms + 500_us);
    CHECK(train.stop(104_ms + 500_us + sim_time(1)) == 105_ms); // the end of a loop
    CHECK(train.stop(114_ms + 500_us) == 114_ms + 500_us);
    CHECK_FALSE(train.stop(114_ms + 500_us + sim_time(1))); // only the end is left
    train.done = 500_us;                                    // resumed from the first safe point
    CHECK(train.stop(100_ms) == 100_ms + 500_us);
    train.safe_points = 0;
    CHECK(train.stop(100_ms) == 100_ms);
    CHECK_FALSE(train.stop(114_ms + 500_us));
    CHECK(train.stop(114_ms + 500_us - sim_time(1)) == 114_ms + 500_us - sim_time(1));
}

TEST_CASE("pulse train: no safe point lies in a loop's ramp, recovery or verify")
{
    pulse_train train;
    train.length = 10_ms;
    train.loop = 5_ms;
    train.safe_points = 4;
    train.ramp = 400_us;
    train.recovery = 600_us; // 4 ms of execution: 1.4, 2.4, 3.4, and the end at 5 ms
    CHECK(train.stop(sim_time()) == 1400_us);
    CHECK(train.stop(1401_us) == 2400_us);
    CHECK(train.stop(3401_us) == 5_ms);
    CHECK(train.stop(5001_us) == 6400_us);
}

TEST_CASE(
    "pulse train: a single loop with N safe points is stopped N - 1 times, L loops L N - 1 times")
{
    for (const std::uint32_t n : {1u, 2u, 10u, 30u}) {
        for (const std::uint32_t loops : {1u, 3u}) {
            pulse_train train;
            train.loop = 3_ms;
            train.length = std::uint64_t{loops} * train.loop;
            train.safe_points = n;
            std::uint32_t stops = 0;
            for (auto at = train.stop(0_us); at; at = train.stop(train.resumed)) {
                ++stops; // asked for again as soon as it goes on
                train.done += *at - train.resumed;
                CHECK(train.done == sim_time(std::uint64_t{stops} * train.loop.ps() / n));
                train.resumed = *at + 100_us;
            }
            CHECK(stops == loops * n - 1); // the end of the last loop is none
        }
    }
}

TEST_CASE("policies: safe points per loop")
{
    suspend_config config;
    CHECK_FALSE(suspend_none().interrupts());
    CHECK(suspend_immediate().safe_points(config, 500) == 0);
    CHECK(suspend_deferred().safe_points(config, 500) == 1);
    CHECK(suspend_safe_point_static().safe_points(config, 0) == 10);
    const suspend_policy& dynamic = suspend_safe_point_dynamic();
    CHECK(dynamic.safe_points(config, 0) == 30);
    CHECK(dynamic.safe_points(config, 100) == 30);
    CHECK(dynamic.safe_points(config, 122) == 30); // 29.51
    CHECK(dynamic.safe_points(config, 123) == 29); // 29.49
    CHECK(dynamic.safe_points(config, 550) == 20);
    CHECK(dynamic.safe_points(config, 1000) == 10);
    CHECK(dynamic.safe_points(config, 100000) == 10);
    config.safe_points = {{0, 24}, {300, 16}, {900, 8}};
    CHECK(dynamic.safe_points(config, 299) == 24);
    CHECK(dynamic.safe_points(config, 300) == 16);
    CHECK(dynamic.safe_points(config, 5000) == 8);
    CHECK(suspend_safe_point_static().safe_points(config, 5000) == 24);
    CHECK(find_suspend_policy(FLASH_SUSPEND_DEFERRED) == &suspend_deferred());
    CHECK(find_suspend_policy(77) == nullptr);
}

} // namespace flash_suspend_test
