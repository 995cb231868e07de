// SPDX-License-Identifier: Apache-2.0
//
// When things happen: each edge tested one picosecond before and at its time.
#include "tests/models/flash_bench.h"

namespace flash_timing_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

// NV-DDR3 at 1200 MT/s: 25 ns per command cycle, 4096 bytes in 3,413,334 ps.
constexpr sim_time tWC = 25_ns;
constexpr sim_time tWB = 100_ns;
constexpr sim_time tRR = 20_ns;
constexpr sim_time tADL = 70_ns;
constexpr sim_time four_kib(3413334);

void check_edge(bench& b, unsigned lun, sim_time t, bool before, bool after)
{
    b.run_to(t - sim_time(1));
    CHECK(b.channel.rb(lun_index(lun)).read() == before);
    b.run_to(t);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    CHECK(b.channel.rb(lun_index(lun)).read() == after);
}

flash_desc single(flash_op op, unsigned tag, std::uint32_t page)
{
    flash_desc d = descriptor(op, tag);
    d.page = page;
    return d;
}

} // namespace

TEST_CASE("R/B# of a read falls tWB after the last cycle and rises after the page's tR")
{
    channel_config config = small_config();
    config.die.timing.tR = {40_us, 60_us, 90_us};
    bench b(config);
    for (std::uint32_t page = 0; page < 4; ++page) {
        const sim_time t = now();
        b.submit(single(FLASH_OP_READ, page, page));
        const sim_time fall = t + 7 * tWC + tWB;
        check_edge(b, 0, fall, true, false);
        check_edge(b, 0, fall + config.die.timing.tR[page % 3], false, true);
        b.run();
    }
}

TEST_CASE("R/B# of a program and an erase")
{
    channel_config config = small_config();
    config.die.timing.tPROG = {200_us, 700_us};
    bench b(config);
    for (std::uint32_t page = 0; page < 3; ++page) {
        const sim_time t = now();
        b.submit(single(FLASH_OP_PROGRAM, page, page));
        const sim_time fall = t + 6 * tWC + tADL + four_kib + tWC + tWB;
        check_edge(b, 0, fall, true, false);
        check_edge(b, 0, fall + config.die.timing.tPROG[page % 2], false, true);
        b.run();
    }
    const sim_time t = now();
    b.submit(descriptor(FLASH_OP_ERASE, 9));
    check_edge(b, 0, t + 5 * tWC + tWB, true, false);
    check_edge(b, 0, t + 5 * tWC + tWB + 15_ms, false, true);
    b.run();
}

TEST_CASE("a 4 KiB read takes the sum of its parts, split by class")
{
    bench b(small_config());
    b.memory.latency = 300_ns;
    b.ledger.open(5, now());
    b.ledger.bind(3, 5);
    flash_desc d = descriptor(FLASH_OP_READ, 1);
    d.trace = 3;
    b.put(d);
    b.ring(250_ns); // firmware's doorbell, posted ahead
    b.run();
    const sim_time doorbell = 250_ns;
    const sim_time expected = doorbell + 7 * tWC + tWB + 40_us + tRR + four_kib + 1_us + 300_ns;
    CHECK(b.posted.at(1) == expected);
    const auto& parts = b.ledger.parts(5);
    const auto part = [&](latency_part p) { return parts[static_cast<std::size_t>(p)]; };
    CHECK(part(latency_part::firmware) == doorbell);
    CHECK(part(latency_part::bus) == 7 * tWC + tRR + four_kib);
    CHECK(part(latency_part::array) == tWB + 40_us);
    CHECK(part(latency_part::ecc) == 1_us);
    CHECK(part(latency_part::dram) == 300_ns);
    sim_time sum;
    for (const sim_time p : parts) {
        sum += p;
    }
    CHECK(sum == expected);
    CHECK(b.answers.at(1).start_ns == 250);
    CHECK(b.answers.at(1).end_ns == expected.ns());
}

TEST_CASE("a program takes its data from memory cut-through: the slower of bus and memory counts")
{
    bench b(small_config());
    const sim_time group = 7 * tWC + tADL + four_kib;
    const sim_time status = tWC + 80_ns + sim_time(1667); // 70h, tWHR, one DDR cycle
    b.memory.latency = group - sim_time(1);
    b.submit(single(FLASH_OP_PROGRAM, 1, 0));
    sim_time t = now();
    b.run();
    CHECK(b.posted.at(1) == t + group + tWB + 200_us + status);
    b.run_to(now() + 1_ms);
    b.memory.latency = group + 5_us;
    t = now();
    b.submit(single(FLASH_OP_PROGRAM, 2, 1));
    b.run();
    CHECK(b.posted.at(2) == t + group + 5_us + tWB + 200_us + status);
}

TEST_CASE("status polling costs its cycles")
{
    channel_config config = small_config();
    config.status_poll = false;
    bench b(config);
    b.submit(single(FLASH_OP_PROGRAM, 1, 0));
    b.run();
    CHECK(b.posted.at(1) == 7 * tWC + tADL + four_kib + tWB + 200_us);
}

TEST_CASE("a command's place is that of its operation which ends last")
{
    channel_config config = small_config();
    bench b(config);
    b.ledger.open(1, now());
    b.ledger.bind(1, 1);
    CHECK(b.ledger.place(1).channel == latency_place::nowhere);
    CHECK(b.ledger.place(1).lun == latency_place::nowhere);
    CHECK(b.ledger.place(1).behind.work == blocking_work::none);
    flash_desc d = descriptor(FLASH_OP_READ, 1, 1);
    d.trace = 1;
    b.put(d);
    b.put(descriptor(FLASH_OP_READ, 2, 0)); // of no command
    b.ring();
    b.run();
    CHECK(b.ledger.place(1).channel == 0);
    CHECK(b.ledger.place(1).lun == 1);
    CHECK(b.ledger.place(1).behind.work == blocking_work::none);
    CHECK(b.ledger.place(1).ended == b.posted.at(1));
    // The slot is another command's since: what began before says nothing of that one.
    d.lun = 0;
    b.put(d);
    b.ring();
    b.ledger.open(2, now());
    b.ledger.bind(1, 2, now() + 1_us);
    b.run();
    CHECK(b.ledger.place(2).lun == latency_place::nowhere);
}

TEST_CASE("a command's longest wait counts, not its last")
{
    latency_place p;
    p.wait({blocking_work::erase, FLASH_PURPOSE_GC}, 5_us);
    p.wait({blocking_work::read, FLASH_PURPOSE_HOST}, 5_us);
    CHECK(p.behind.work == blocking_work::erase);
    p.wait({blocking_work::program, FLASH_PURPOSE_MAP}, 5_us + 1_ps);
    CHECK(p.behind.work == blocking_work::program);
    CHECK(p.behind.purpose == FLASH_PURPOSE_MAP);
    CHECK(p.blocked == 5_us + 1_ps);
    p.visit(1, 2, 9_us);
    p.visit(3, 4, 9_us - 1_ps);
    CHECK(p.channel == 1);
    CHECK(p.lun == 2);
    p.visit(3, 4, 9_us);
    CHECK(p.channel == 3);
    CHECK(p.lun == 4);
}

TEST_CASE("waits are named after what holds the LUN")
{
    const auto wait_behind = [](bench& b, flash_desc first, latency_part expected) {
        b.ledger.open(1, now());
        b.ledger.bind(1, 1);
        b.put(first);
        flash_desc d = descriptor(FLASH_OP_READ, 99);
        d.trace = 1;
        d.block = 5;
        b.put(d);
        b.ring();
        b.run();
        const auto& parts = b.ledger.parts(1);
        for (const latency_part p : {latency_part::wait_read, latency_part::wait_program,
                                     latency_part::wait_erase, latency_part::wait_gc}) {
            INFO(latency_part_names[static_cast<std::size_t>(p)]);
            CHECK((parts[static_cast<std::size_t>(p)] > sim_time()) == (p == expected));
        }
        const latency_place& place = b.ledger.place(1);
        CHECK(place.blocked == parts[static_cast<std::size_t>(expected)]);
        CHECK(place.behind.purpose == first.purpose);
        CHECK(place.behind.work == (first.op == FLASH_OP_ERASE     ? blocking_work::erase
                                    : first.op == FLASH_OP_PROGRAM ? blocking_work::program
                                                                   : blocking_work::read));
    };
    bench b(small_config());
    wait_behind(b, single(FLASH_OP_READ, 1, 0), latency_part::wait_read);
    wait_behind(b, single(FLASH_OP_PROGRAM, 2, 0), latency_part::wait_program);
    wait_behind(b, descriptor(FLASH_OP_ERASE, 3), latency_part::wait_erase);
    flash_desc copy = single(FLASH_OP_PROGRAM, 4, 0);
    copy.purpose = FLASH_PURPOSE_GC;
    wait_behind(b, copy, latency_part::wait_gc);
    // The erase blocked its read for longest: all its time on the LUN.
    CHECK(b.channel.stats().worst_blocking == 5 * tWC + tWB + 15_ms + tWC + 80_ns + sim_time(1667));
}

// Two planes of LUN 0: 2 x 7 cycles and tWB + tDBSY between, tWB, tR; then of each plane 06h c r
// E0h (7 cycles), tCCS, data. LUN 1's read is queued while the first page goes out.
TEST_CASE("between the pages of a multi-plane read another LUN's command goes")
{
    bench b(small_config());
    flash_desc both = descriptor(FLASH_OP_READ, 0);
    both.plane_mask = 3;
    const sim_time t = now();
    b.submit(both);
    const sim_time ready = t + 2 * 7 * tWC + tWB + 500_ns + tWB + 40_us;
    const sim_time first_out = ready + 7 * tWC + 300_ns + four_kib;
    b.put(descriptor(FLASH_OP_READ, 1, 1));
    b.ring(ready + 1_us - t);
    b.run();
    constexpr sim_time tRHW = 100_ns;
    const sim_time command = first_out + tRHW + 7 * tWC; // of LUN 1
    CHECK(b.answers.at(1).start_ns == first_out.ns());
    CHECK(b.posted.at(0) == command + 7 * tWC + 300_ns + four_kib + 1_us);
    CHECK(b.posted.at(1) == command + tWB + 40_us + tRR + four_kib + 1_us);
}

TEST_CASE("a multi-plane program holds the bus over tDBSY and programs once")
{
    channel_config config = small_config();
    config.status_poll = false;
    bench b(config);
    flash_desc d = single(FLASH_OP_PROGRAM, 1, 0);
    d.plane_mask = 0xF;
    b.submit(d);
    b.run();
    const sim_time group = 7 * tWC + tADL + four_kib;
    CHECK(b.posted.at(1) == 4 * group + 3 * (tWB + 500_ns) + tWB + 200_us);
    CHECK(b.channel.stats().by_purpose[FLASH_PURPOSE_HOST].programs == 4);
    CHECK(b.channel.lun(lun_index(0)).stats().programs == 4);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 200_us);
}

TEST_CASE("tDBSY of the die is the one that counts")
{
    channel_config config = small_config();
    config.status_poll = false;
    config.die.timing.tDBSY = 2_us;
    bench b(config);
    flash_desc d = descriptor(FLASH_OP_ERASE, 1);
    d.plane_mask = 3;
    b.submit(d);
    b.run();
    CHECK(b.posted.at(1) == 2 * 5 * tWC + tWB + 2_us + tWB + 15_ms);
}

TEST_CASE("a tDBSY of 0 is 0")
{
    channel_config config = small_config();
    config.status_poll = false;
    config.die.timing.tDBSY = sim_time();
    bench b(config);
    flash_desc d = descriptor(FLASH_OP_ERASE, 1);
    d.plane_mask = 7;
    b.submit(d);
    b.run();
    CHECK(b.posted.at(1) == 3 * 5 * tWC + 2 * tWB + tWB + 15_ms);
}

namespace {

/// Sequential reads of k LUNs reach min(k * page / (tR + transfer), bus rate) within 1 %.
void check_throughput(unsigned k)
{
    channel_config config = small_config();
    config.luns = k;
    config.ecc_latency = 2_us;
    config.bus.transfer_rate = rate(400ull * 1000 * 1000);
    bench b(config);
    constexpr unsigned n = 200;
    for (unsigned i = 0; i < n; ++i) {
        flash_desc d = descriptor(FLASH_OP_READ, i, i % k);
        d.length = 16384;
        b.put(d);
    }
    b.ring();
    b.run();
    // Steady state: between the first completions and the last.
    const double seconds =
        static_cast<double>((b.posted.at(n - 1) - b.posted.at(n / 2 - 1)).ps()) * 1e-12;
    const unsigned half = n / 2;
    const double measured = 16384.0 * half / seconds;
    const double transfer = 16384 * 2.5e-9;
    const double formula = std::min(k * 16384.0 / (40e-6 + transfer), 400e6);
    CHECK(measured == Approx(formula).epsilon(0.01));
}

} // namespace

TEST_CASE("sequential read rate of 1 LUN: page / (tR + transfer)")
{
    check_throughput(1);
}

TEST_CASE("sequential read rate of 2 LUNs: the bus is the limit")
{
    check_throughput(2);
}

TEST_CASE("sequential read rate of 4 LUNs: the bus is the limit")
{
    check_throughput(4);
}

TEST_CASE("a 4 KiB read costs at most 6 activations in controller and die")
{
    bench b(small_config());
    b.submit(descriptor(FLASH_OP_READ, 0));
    b.run();
    const std::uint64_t before = b.channel.total_activations();
    constexpr unsigned n = 50;
    for (unsigned i = 0; i < n; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, i % 4));
        b.ring(100_ns);
        b.run();
    }
    CHECK(b.channel.total_activations() - before <= 6 * n);
    CHECK(b.channel.total_activations() - before >= 4 * n);
}

TEST_CASE("a 4 KiB read costs at most 6 activations under load, too")
{
    bench b(small_config());
    constexpr unsigned n = 400;
    for (unsigned i = 0; i < n; ++i) {
        flash_desc d = descriptor(FLASH_OP_READ, i, (i * 7) % 4);
        d.block = i % 8;
        b.put(d);
    }
    b.ring();
    b.run();
    CHECK(b.answers.size() == n);
    CHECK(b.channel.total_activations() <= 6 * n);
}

TEST_CASE("where nobody looks at R/B#, operations end when they do elsewhere")
{
    channel_config config = small_config();
    config.status_poll = false;
    bench b(config, nullptr, std::size_t{16} << 20, false);
    const auto end_of = [&b](flash_op op, unsigned tag) {
        const sim_time t = now();
        b.submit(single(op, tag, 0));
        b.run();
        return b.posted.at(tag) - t;
    };
    CHECK(end_of(FLASH_OP_READ, 1) == 7 * tWC + tWB + 40_us + tRR + four_kib + 1_us);
    CHECK(end_of(FLASH_OP_PROGRAM, 2) == 7 * tWC + tADL + four_kib + tWB + 200_us);
    CHECK(end_of(FLASH_OP_ERASE, 3) == 5 * tWC + tWB + 15_ms);
    CHECK(b.channel.rb(lun_index(0)).read()); // it never fell
}

TEST_CASE("a 4 KiB read that nobody looks at costs four activations of its channel")
{
    bench b(small_config(), nullptr, std::size_t{16} << 20, false);
    constexpr unsigned n = 50;
    const std::uint64_t before = b.channel.total_activations();
    for (unsigned i = 0; i < n; ++i) {
        b.put(descriptor(FLASH_OP_READ, i, i % 4));
        b.ring(100_ns); // doorbell, R/B#, data in memory
        b.run();
    }
    CHECK(b.channel.total_activations() - before <= 4 * n);
    CHECK(b.channel.total_activations() - before >= 3 * n);
}

TEST_CASE("a LUN and its bus are busy as time goes on, not when it is booked")
{
    channel_config config = small_config();
    config.die.timing.tPROG = {200_us};
    bench b(config);
    const sim_time t = now();
    b.submit(single(FLASH_OP_PROGRAM, 0, 0));
    const sim_time cycles = 6 * tWC + tADL + four_kib + tWC;
    const sim_time fall = t + cycles + tWB;
    const auto programs = [&] {
        return b.channel.lun(lun_index(0))
            .stats()
            .arrays[static_cast<std::size_t>(array_use::program)]
            .time;
    };
    b.run_to(t + 1_us);
    CHECK(b.channel.stats().busy <= 1_us);
    b.run_to(fall);
    CHECK(b.channel.stats().busy == cycles);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == sim_time());
    b.run_to(fall + 1_ps);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 1_ps);
    CHECK(programs() == 1_ps);
    b.run_to(fall + 200_us - 1_ps);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 200_us - 1_ps);
    b.run();
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 200_us);
    CHECK(programs() == 200_us);
}

/// What energy is counted from: current x voltage x (time + extra_plane x (planes - time)).
TEST_CASE("each operation adds its array time once, and once for each of its planes")
{
    const channel_config config = small_config();
    bench b(config);
    const auto of = [&](array_use use) {
        return b.channel.lun(lun_index(0)).stats().arrays[static_cast<std::size_t>(use)];
    };
    const auto both = [](flash_op op, unsigned tag) {
        flash_desc d = descriptor(op, tag);
        d.plane_mask = 3;
        return d;
    };
    CHECK(b.execute(both(FLASH_OP_PROGRAM, 1)).status == FLASH_STATUS_OK);
    CHECK(of(array_use::program).time == 200_us);
    CHECK(of(array_use::program).planes == 400_us);
    CHECK(b.execute(descriptor(FLASH_OP_READ, 2)).status == FLASH_STATUS_OK);
    CHECK(of(array_use::read).time == 40_us);
    CHECK(of(array_use::read).planes == 40_us);
    CHECK(b.execute(both(FLASH_OP_READ, 3)).status == FLASH_STATUS_OK);
    CHECK(of(array_use::read).time == 80_us);
    CHECK(of(array_use::read).planes == 120_us);
    CHECK(b.execute(both(FLASH_OP_ERASE, 4)).status == FLASH_STATUS_OK);
    const sim_time erase = of(array_use::erase).time;
    CHECK(erase == 3 * config.die.erase.loop_time);
    CHECK(of(array_use::erase).planes == 2 * erase);
    const auto s = b.channel.lun(lun_index(0)).stats();
    CHECK(of(array_use::other).time == sim_time());
    CHECK(s.busy >= erase + 280_us);
    CHECK(s.busy <= erase + 281_us + 2 * config.die.timing.tDBSY); // and tDBSY between planes
}

TEST_CASE("a program that power ends was busy until then")
{
    channel_config config = small_config();
    config.die.timing.tPROG = {200_us};
    bench b(config);
    const sim_time t = now();
    b.submit(single(FLASH_OP_PROGRAM, 0, 0));
    const sim_time fall = t + 6 * tWC + tADL + four_kib + tWC + tWB;
    b.run_to(fall + 50_us);
    b.channel.power_off();
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 50_us);
    b.run_to(fall + 500_us);
    CHECK(b.channel.lun(lun_index(0)).stats().busy == 50_us);
}

} // namespace flash_timing_test
