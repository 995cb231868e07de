// SPDX-License-Identifier: Apache-2.0
//
// What operations wait for on their LUN, worked out by hand: commands take no time, a read holds
// its LUN for tR and one transfer, and each piece of a wait is of the work that the LUN was at.
#include "models/flash/channel/lun_work.h"

#include "tests/models/flash_suspend_bench.h"

namespace flash_lun_work_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace flash_suspend_bench;

namespace {

constexpr sim_time arrival = 1200_us;

/// Of host commands, by the slot that is their descriptors' trace.
struct traced {
    cycle_timing timing = data_only_timing();
    bench b;
    explicit traced(const channel_config& c) : b(c, &timing) {}

    flash_desc of(flash_desc d, std::uint16_t slot)
    {
        b.ledger.open(slot, now());
        b.ledger.bind(slot, slot);
        d.trace = slot;
        return d;
    }
    void check(std::uint16_t slot, latency_part p, sim_time expected)
    {
        INFO("command " << slot << ", " << latency_part_names[static_cast<std::size_t>(p)]);
        CHECK(b.ledger.parts(slot)[static_cast<std::size_t>(p)] == expected);
    }
    void blocked(std::uint16_t slot, blocker by, sim_time expected)
    {
        INFO("command " << slot);
        CHECK(b.ledger.place(slot).behind.work == by.work);
        CHECK(b.ledger.place(slot).behind.purpose == by.purpose);
        CHECK(b.ledger.place(slot).blocked == expected);
    }
};

constexpr blocker erases = {blocking_work::erase, FLASH_PURPOSE_HOST};
constexpr blocker reads = {blocking_work::read, FLASH_PURPOSE_HOST};

} // namespace

TEST_CASE("waits: of reads that queue behind an erase its time is the erase's")
{
    traced t(ideal(suspend_kind::none));
    t.b.submit(erase_of(100, 1));
    t.b.run_to(arrival);
    for (std::uint16_t i = 0; i < 8; ++i) {
        t.b.put(t.of(read_of(i, 2), i));
    }
    t.b.ring();
    t.b.run();
    for (std::uint16_t i = 0; i < 8; ++i) {
        t.check(i, latency_part::wait_erase, 15_ms - arrival);
        t.check(i, latency_part::wait_read, i * read_time);
        t.check(i, latency_part::queue, sim_time());
        t.blocked(i, erases, 15_ms - arrival);
    }
}

TEST_CASE("waits: a read that comes when the erase is over waits for the reads it let queue")
{
    traced t(ideal(suspend_kind::none));
    t.b.submit(erase_of(100, 1));
    t.b.run_to(arrival);
    t.b.put(t.of(read_of(0, 2), 0));
    t.b.put(t.of(read_of(1, 2), 1));
    t.b.ring();
    t.b.run_to(15_ms + 10_us);
    t.b.submit(t.of(read_of(2, 2), 2));
    t.b.run();
    t.check(1, latency_part::wait_erase, 15_ms - arrival);
    t.check(2, latency_part::wait_erase, sim_time());
    t.check(2, latency_part::wait_read, 2 * read_time - 10_us);
    t.blocked(2, reads, 2 * read_time - 10_us);
}

TEST_CASE("waits: a program behind a suspended erase waits for the erase and for what overtook it")
{
    traced t(ideal(suspend_kind::immediate));
    t.b.submit(erase_of(100, 1));
    t.b.run_to(arrival);
    flash_desc write = descriptor(FLASH_OP_PROGRAM, 1);
    write.block = 3;
    t.b.put(t.of(write, 1));
    t.b.put(t.of(read_of(2, 2), 2));
    t.b.ring();
    t.b.run();
    t.check(2, latency_part::wait_erase, 100_us); // until it has stopped
    t.check(2, latency_part::wait_read, sim_time());
    // The erase stands still while the read has the LUN.
    t.check(1, latency_part::wait_erase, 15_ms + 100_us - arrival);
    t.check(1, latency_part::wait_read, read_time);
    t.check(1, latency_part::queue, sim_time());
    t.blocked(1, erases, 15_ms + 100_us - arrival);
}

// LUN 1 reads at 1225 us, and has the bus for data from 1265 us to 1316.2 us.
TEST_CASE("waits: once an erase has stopped its read waits for the bus")
{
    traced t(ideal(suspend_kind::immediate));
    t.b.submit(erase_of(100, 1));
    t.b.run_to(arrival);
    t.b.submit(t.of(read_of(1, 2), 1));
    t.b.run_to(arrival + 25_us);
    t.b.submit(descriptor(FLASH_OP_READ, 101, 1));
    t.b.run();
    t.check(1, latency_part::wait_erase, 100_us); // stopped at 1300 us
    t.check(1, latency_part::queue, 25_us + read_time - 100_us);
    t.blocked(1, erases, 100_us);
}

TEST_CASE("waits: work of each purpose has its own time, the largest names the wait")
{
    traced t(ideal(suspend_kind::none));
    const auto ordered = [](flash_desc d, flash_purpose p) {
        d.purpose = static_cast<std::uint8_t>(p);
        d.block = 1;
        return d;
    };
    t.b.put(ordered(descriptor(FLASH_OP_READ, 100), FLASH_PURPOSE_MAP));
    t.b.put(ordered(descriptor(FLASH_OP_PROGRAM, 101), FLASH_PURPOSE_GC));
    t.b.put(ordered(descriptor(FLASH_OP_READ, 102), FLASH_PURPOSE_MAP));
    t.b.put(t.of(read_of(1, 2), 1));
    t.b.ring();
    t.b.run();
    const sim_time program_time = data_time + 200_us;
    t.check(1, latency_part::wait_read, 2 * read_time);
    t.check(1, latency_part::wait_gc, program_time);
    t.check(1, latency_part::queue, sim_time());
    t.blocked(1, {blocking_work::program, FLASH_PURPOSE_GC}, program_time);
}

TEST_CASE("waits: while another LUN has the bus a free LUN is waited for by nobody")
{
    traced t(ideal(suspend_kind::none));
    t.b.submit(descriptor(FLASH_OP_READ, 100, 1));
    t.b.run_to(40_us + 10_us); // LUN 1 has sent 10 us of its 51.2
    t.b.put(t.of(read_of(1, 2), 1));
    t.b.put(t.of(read_of(2, 2), 2));
    t.b.ring();
    t.b.run();
    t.check(1, latency_part::queue, data_time - 10_us);
    t.check(1, latency_part::wait_read, sim_time());
    t.check(2, latency_part::queue, data_time - 10_us);
    t.check(2, latency_part::wait_read, read_time);
}

TEST_CASE("waits: a read of a plane that stands behind an erase waits for what the erase waits for")
{
    channel_config c = ideal(suspend_kind::none);
    c.die.independent_plane_reads = true;
    traced t(c);
    const auto of_plane = [](flash_desc d, unsigned plane) {
        d.plane_mask = static_cast<std::uint8_t>(1u << plane);
        return d;
    };
    t.b.put(of_plane(read_of(100, 0), 0));
    t.b.put(of_plane(erase_of(101, 1), 0));
    t.b.put(t.of(of_plane(read_of(1, 0), 1), 1));
    t.b.put(t.of(of_plane(read_of(2, 0), 1), 2));
    t.b.ring();
    t.b.run();
    for (std::uint16_t slot = 1; slot <= 2; ++slot) {
        t.check(slot, latency_part::wait_erase, 15_ms);
        t.check(slot, latency_part::queue, sim_time());
    }
    t.check(1, latency_part::wait_read, read_time);
    t.check(2, latency_part::wait_read, 2 * read_time);
}

TEST_CASE("waits: what is booked ahead counts when it comes, and not once power has gone")
{
    const lun_index lun(0);
    const waiting_ops::request r;
    for (const bool power : {true, false}) {
        lun_work w(1, 0, 2);
        const auto waited = [&](std::uint32_t op, sim_time t) {
            sim_time sum;
            w.each_wait(op, lun, t, [&](blocker, sim_time one) { sum += one; });
            return sum;
        };
        w.does(lun, erases, 5_us);
        w.does(lun, {}, 10_us);
        w.arrive(0, r, false, 10_us);
        w.does(lun, erases, 10_us);
        w.does(lun, {}, 50_us); // its last phase is on the bus until then
        w.arrive(1, r, false, 30_us);
        CHECK(waited(0, 30_us) == 20_us);
        if (!power) {
            w.reset(30_us);
        }
        CHECK(waited(0, 60_us) == (power ? 40_us : 20_us));
        CHECK(waited(1, 60_us) == (power ? 20_us : sim_time()));
    }
}

} // namespace flash_lun_work_test
