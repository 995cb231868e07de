// SPDX-License-Identifier: Apache-2.0
//
// How long reads wait for an erase, and how long they hold it: means, steady reads and starvation,
// worked out from the paper's parameters (Kim, Seo, Kim, J. KICS 50(9), 2025, 3.1 to 3.3): loops of
// 5 ms, a suspend of 100 us.
#include "models/flash/die/suspend/suspend_policy.h"
#include "tests/models/flash_suspend_bench.h"

namespace flash_suspend_waits_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace flash_suspend_bench;

namespace {

/// Mean wait until a read starts that meets an erase anywhere, in ps. Arrivals are the middles of
/// `count` equal parts of the erase: a multiple of its segments.
std::uint64_t mean_wait(suspend_kind kind, sim_time overhead, unsigned count)
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(kind);
    config.die.endurance = 0;
    config.die.erase.suspend_overhead = overhead;
    bench b(config, &timing);
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < count; ++i) {
        const sim_time begin = now();
        const sim_time arrival = begin + sim_time(sim_time(15_ms).ps() * (2 * i + 1) / (2 * count));
        b.submit(erase_of(1, 1));
        b.run_to(arrival);
        b.submit(read_of(2, 2));
        b.run();
        sum += (b.posted.at(2) - read_time - arrival).ps();
        b.return_entries();
    }
    return sum / count;
}

} // namespace

// Half of what lies between two safe points.

TEST_CASE("oracle 7.1: mean wait of a read within an erase, no suspend: 7.5 ms")
{
    CHECK(mean_wait(suspend_kind::none, 100_us, 6) == sim_time(7500_us).ps());
}

TEST_CASE("oracle 7.1: mean wait of a read within an erase, deferred: 2.5 ms")
{
    CHECK(mean_wait(suspend_kind::deferred, sim_time(), 6) == sim_time(2500_us).ps());
}

TEST_CASE("oracle 7.1: mean wait of a read within an erase, static: 250 us")
{
    CHECK(mean_wait(suspend_kind::safe_point_static, sim_time(), 60) == sim_time(250_us).ps());
}

TEST_CASE("oracle 7.1: mean wait of a read within an erase, dynamic at 100 P/E: 83 us")
{
    // 30 safe points in 5 ms, up to 122 erases; the arrivals are rounded down to a picosecond.
    const std::uint64_t mean = mean_wait(suspend_kind::safe_point_dynamic, sim_time(), 90);
    CHECK(mean >= 83333333);
    CHECK(mean <= 83333334);
}

TEST_CASE("oracle 7.1: an immediate suspend costs its overhead, wherever it comes")
{
    CHECK(mean_wait(suspend_kind::immediate, 100_us, 30) == sim_time(100_us).ps());
}

namespace {

/// Start of a read that comes at 1.2 ms to an erase of a block with so many P/E cycles.
sim_time start_when_worn(std::uint32_t pe_cycles, sim_time overhead)
{
    const cycle_timing timing = data_only_timing();
    channel_config config = ideal(suspend_kind::safe_point_dynamic);
    config.die.endurance = 0;
    config.die.pe_cycles = pe_cycles;
    config.die.erase.suspend_overhead = overhead;
    bench b(config, &timing);
    return read_start(b);
}

} // namespace

TEST_CASE("oracle 7.3: dynamic at 1,000 P/E, without the overhead, the read starts at 1.5 ms")
{
    CHECK(start_when_worn(1000, sim_time()) == 1500_us);
}

TEST_CASE("oracle 7.3: dynamic at 1,000 P/E, the read starts at 1.6 ms")
{
    CHECK(start_when_worn(1000, 100_us) == 1600_us);
}

TEST_CASE("oracle 7.3: dynamic at 100 P/E, without the overhead, the read starts at 1.333 ms")
{
    // The eighth of 30 safe points; start_ns is in whole nanoseconds.
    CHECK(start_when_worn(100, sim_time()) == 1333333_ns);
}

TEST_CASE("dynamic at 122 P/E still has 30 safe points per loop")
{
    CHECK(start_when_worn(122, sim_time()) == 1333333_ns);
}

TEST_CASE("dynamic at 123 P/E has 29 safe points per loop, the seventh at 1.207 ms")
{
    CHECK(start_when_worn(123, sim_time()) == 1206896_ns);
}

namespace {

constexpr sim_time short_read = 40_us; // tR of 39 us, 4 KiB in 1 us

channel_config with_short_reads(suspend_kind kind)
{
    channel_config config = ideal(kind);
    config.die.timing.tR = {39_us};
    return config;
}

cycle_timing fast_bus()
{
    return cycle_timing(cycle_times{}, rate(4096ull * 1000 * 1000));
}

/// When an erase of 3 loops ends that meets a read every 200 us, 40 us each.
sim_time end_under_steady_reads(suspend_kind kind)
{
    const cycle_timing timing = fast_bus();
    bench b(with_short_reads(kind), &timing);
    b.submit(erase_of(1, 1));
    for (unsigned i = 0; b.posted.count(1) == 0 && i < 600; ++i) {
        b.run_to(i * 200_us);
        b.put(read_of(2, 2));
        b.ring();
        b.return_entries();
    }
    b.run();
    return b.posted.at(1);
}

} // namespace

TEST_CASE("oracle 7.3: steady reads, immediate: 60 us of progress per 200 us")
{
    // Stopped at each 200 us, at 0 us too: 140 us stand still, 60 us pass. 250 of them.
    CHECK(end_under_steady_reads(suspend_kind::immediate) == 50_ms);
}

TEST_CASE("oracle 7.3: steady reads, deferred: 3 loops, and what comes while they cannot stop")
{
    // The first loop ends at 5.0 ms, the suspend at 5.1 ms. 26 reads have come by then and take
    // until 6.14 ms; 5 came meanwhile, until 6.34 ms, and one more, until 6.38 ms. The second loop
    // takes until 11.38 ms; 26, 5 and one read later, at 12.76 ms, the third one begins.
    CHECK(end_under_steady_reads(suspend_kind::deferred) == 17760_us);
}

namespace {

/// The fixed point, in which segment and suspend take 5/4 of their time, less the last stop, which
/// an erase that has ended does not make, and a read more or less.
void check_fixed_point(suspend_kind kind, sim_time fixed_point, sim_time last_stop)
{
    const sim_time end = end_under_steady_reads(kind);
    CAPTURE(end.ns(), fixed_point.ns());
    CHECK(end + last_stop + 200_us >= fixed_point);
    CHECK(end + last_stop <= fixed_point + 200_us);
}

} // namespace

TEST_CASE("oracle 7.3: steady reads, static: 30 segments of 750 us, the last one of 500 us")
{
    check_fixed_point(suspend_kind::safe_point_static, 22500_us, 250_us);
}

TEST_CASE("oracle 7.3: steady reads, dynamic at 100 P/E: 90 of 333.3 us, the last one of 166.7 us")
{
    check_fixed_point(suspend_kind::safe_point_dynamic, 30_ms, 167_us);
}

namespace {

/// 300 reads come every `period`, the first after one; the erase goes on after each. Suspend and
/// read take 140 us: of a longer period the rest is progress of the erase, of others nothing is.
void check_progress(sim_time period, sim_time progress)
{
    const unsigned reads = 300;
    const cycle_timing timing = fast_bus();
    channel_config config = with_short_reads(suspend_kind::immediate);
    config.die.suspend.reads_per_stop = 1;
    bench b(config, &timing);
    b.submit(erase_of(1, 1));
    for (unsigned i = 1; i <= reads; ++i) {
        b.run_to(i * period);
        b.put(read_of(2, 2));
        b.ring();
        b.return_entries();
    }
    b.run();
    const sim_time left = b.posted.at(1) - b.posted.at(2);
    CHECK(left == 15_ms - period - (reads - 1) * progress);
    CHECK(b.posted.at(1) == 15_ms + reads * (100_us + short_read));
}

} // namespace

TEST_CASE("oracle 7.3: an immediate suspend leaves no progress to reads every 120 us")
{
    check_progress(120_us, sim_time());
}

TEST_CASE("oracle 7.3: an immediate suspend leaves no progress to reads every 140 us")
{
    check_progress(140_us, sim_time());
}

TEST_CASE("oracle 7.3: an immediate suspend leaves 1 ps of progress to reads every 140 us and 1 ps")
{
    check_progress(140_us + 1_ps, 1_ps);
}

TEST_CASE("oracle 7.3: an immediate suspend leaves 10 us of progress to reads every 150 us")
{
    check_progress(150_us, 10_us);
}

TEST_CASE("a safe point leaves progress to reads that come as fast as that")
{
    // One segment of 500 us per stop, though 3 to 4 reads come in the time of each cycle.
    const cycle_timing timing = fast_bus();
    bench b(with_short_reads(suspend_kind::safe_point_static), &timing);
    b.submit(erase_of(1, 1));
    unsigned reads = 0;
    for (; b.posted.count(1) == 0 && reads < 2000; ++reads) {
        b.run_to(reads * 140_us);
        b.put(read_of(2, 2));
        b.ring();
        b.return_entries();
    }
    // 30 segments of 500 us and 29 suspends, of whose time reads take 40 of each 140 us.
    // So it takes 7/5 of the 17.9 ms without them, but for what comes in a cycle.
    CHECK(b.posted.at(1) >= 25060_us - 840_us);
    CHECK(b.posted.at(1) <= 25060_us + 840_us);
    b.run();
}

} // namespace flash_suspend_waits_test
