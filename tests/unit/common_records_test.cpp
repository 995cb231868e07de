// SPDX-License-Identifier: Apache-2.0
//
// Random numbers, the latency ledger and the fault log.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/common/rng.h"
#include "models/common/wait_parts.h"

namespace common_records_test {

using namespace ssdvp;
using namespace ssdvp::literals;

TEST_CASE("the engine is the standard's mt19937_64", "[rng]")
{
    rng random(0); // seeds the engine with 1
    std::mt19937_64 reference(1);
    for (int i = 0; i < 1000; ++i) {
        REQUIRE(random.engine()() == reference());
    }
}

TEST_CASE("random numbers have the same values on every machine", "[rng]")
{
    // Written down once. A change means that results of older versions can no longer be repeated.
    rng random(42, 7);
    std::vector<std::uint64_t> drawn;
    for (int i = 0; i < 6; ++i) {
        drawn.push_back(random.below(1000000));
    }
    CHECK(drawn == std::vector<std::uint64_t>{216768, 109145, 428707, 226250, 347595, 197374});
    CHECK(random.real() == 0.24040597416909312);
}

TEST_CASE("a seed repeats, a stream of its own does not share its sequence", "[rng]")
{
    rng a(3, 1);
    rng b(3, 1);
    rng other_stream(3, 2);
    rng other_seed(4, 1);
    int same_stream = 0;
    int same_seed = 0;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t v = a.engine()();
        REQUIRE(v == b.engine()());
        same_stream += v == other_stream.engine()() ? 1 : 0;
        same_seed += v == other_seed.engine()() ? 1 : 0;
    }
    CHECK(same_stream == 0);
    CHECK(same_seed == 0);
}

TEST_CASE("below and real stay in their range and fill it evenly", "[rng]")
{
    rng random(5);
    std::vector<unsigned> seen(10);
    double sum = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const std::uint64_t v = random.below(10);
        REQUIRE(v < 10);
        ++seen[v];
        const double r = random.real();
        REQUIRE(r >= 0.0);
        REQUIRE(r < 1.0);
        sum += r;
    }
    for (const unsigned n : seen) {
        CHECK(n > 9600); // 4 standard deviations
        CHECK(n < 10400);
    }
    CHECK(sum / 100000 == Approx(0.5).margin(0.004));
    CHECK(random.below(1) == 0);
    CHECK_FALSE(random.chance(0.0));
    CHECK(random.chance(1.0));
}

namespace {

sim_time sum_of(const latency_split& split)
{
    sim_time sum;
    for (const sim_time t : split) {
        sum += t;
    }
    return sum;
}

sim_time part(const latency_split& split, latency_part p)
{
    return split[static_cast<std::size_t>(p)];
}

} // namespace

TEST_CASE("a core works on one command at a time: until its turn a command waits", "[ledger]")
{
    latency_ledger ledger(3, 3);
    const auto part = [&](std::size_t command, latency_part p) {
        return ledger.parts(command)[static_cast<std::size_t>(p)];
    };
    for (std::uint16_t i = 0; i < 3; ++i) {
        ledger.open(i, 1000_ps);
        ledger.bind(i, i);
    }
    ledger.hand_on(latency_ledger::no_slot, 0, 900_ps); // before: nothing waited
    ledger.hand_on(0, 0, 1300_ps);                      // the core was free: all is work
    CHECK(part(0, latency_part::firmware) == 300_ps);
    CHECK(part(0, latency_part::wait_core) == 0_ps);
    ledger.hand_on(latency_ledger::no_slot, 0, 1500_ps); // work of its own
    ledger.hand_on(1, 0, 1600_ps);
    CHECK(part(1, latency_part::firmware) == 100_ps);
    CHECK(part(1, latency_part::wait_core) == 500_ps);
    ledger.hand_on(2, 1, 1600_ps); // another core: no wait for the first one
    CHECK(part(2, latency_part::firmware) == 600_ps);
    ledger.hand_on(0, 0, 1600_ps); // together with slot 1: by the same doorbell
    CHECK(part(0, latency_part::firmware) == 300_ps);
    CHECK(part(0, latency_part::wait_core) == 300_ps);
}

TEST_CASE("of firmware with marks a command's part is the work counted on its slot", "[ledger]")
{
    latency_ledger ledger(2, 2);
    const auto part = [&](std::size_t command, latency_part p) {
        return ledger.parts(command)[static_cast<std::size_t>(p)];
    };
    ledger.count_work(rate(1000000000)); // a cycle takes 1000 ps
    ledger.marked();
    for (std::uint16_t i = 0; i < 2; ++i) {
        ledger.open(i, 0_ns);
        ledger.bind(i, i);
    }
    ledger.work_on(0) += 30 * 256;
    ledger.work_on(1) += 20 * 256;
    ledger.work_on(latency_ledger::no_slot) += 50 * 256; // the loop
    ledger.hand_on(0, 0, 100_ns);
    ledger.hand_on(1, 0, 100_ns, latency_part::wait_gc); // by the same doorbell
    CHECK(part(0, latency_part::firmware) == 30_ns);
    CHECK(part(0, latency_part::wait_core) == 70_ns);
    CHECK(part(1, latency_part::firmware) == 20_ns);
    CHECK(part(1, latency_part::wait_gc) == 80_ns);
    CHECK(part(1, latency_part::wait_core) == 0_ns);
    ledger.hand_on(0, 0, 110_ns); // what was counted is handed on once
    CHECK(part(0, latency_part::firmware) == 30_ns);
    CHECK(part(0, latency_part::wait_core) == 80_ns);
    ledger.work_on(0) += 30 * 256; // beside hardware that was stamped: no more than the interval
    ledger.hand_on(0, 0, 120_ns);
    CHECK(part(0, latency_part::firmware) == 40_ns);
    CHECK(sum_of(ledger.parts(0)) == 120_ns);
    ledger.work_on(0) += 5 * 256; // for the command that had the slot before
    ledger.bind(0, 0);
    ledger.hand_on(0, 0, 130_ns);
    CHECK(part(0, latency_part::firmware) == 40_ns);
}

TEST_CASE("a command that finds no map page has waited for the core until then", "[ledger]")
{
    latency_ledger ledger(1, 1);
    const auto part = [&](latency_part p) { return ledger.parts(0)[static_cast<std::size_t>(p)]; };
    ledger.count_work(rate(1000000000)); // a cycle takes 1000 ps
    ledger.marked();
    ledger.open(0, 0_ns);
    ledger.bind(0, 0);
    ledger.work_on(0) += 30 * 256;
    ledger.begin_wait(ledger.work_on(0), 100_ns, latency_part::wait_core);
    ledger.begin_wait(ledger.work_on(latency_ledger::no_slot), 110_ns,
                      latency_part::wait_core); // nobody's
    ledger.work_on(0) += 20 * 256;
    ledger.hand_on(0, 0, 400_ns, latency_part::wait_map);
    CHECK(part(latency_part::wait_core) == 70_ns);
    CHECK(part(latency_part::firmware) == 50_ns);
    CHECK(part(latency_part::wait_map) == 280_ns);
    CHECK(sum_of(ledger.parts(0)) == 400_ns);
}

TEST_CASE("a command that was kept out has waited for power until it is taken", "[ledger]")
{
    latency_ledger ledger(1, 1);
    const auto part = [&](latency_part p) { return ledger.parts(0)[static_cast<std::size_t>(p)]; };
    ledger.count_work(rate(1000000000)); // a cycle takes 1000 ps
    ledger.marked();
    ledger.open(0, 0_ns);
    ledger.bind(0, 0);
    ledger.work_on(0) += 5 * 256;
    ledger.begin_wait(ledger.work_on(0), 900_ns, latency_part::wait_power);
    ledger.begin_wait(ledger.work_on(0), 910_ns, latency_part::wait_core); // for a map page then
    ledger.hand_on(0, 0, 990_ns, latency_part::wait_map);
    CHECK(part(latency_part::wait_power) == 895_ns);
    CHECK(part(latency_part::firmware) == 5_ns);
    CHECK(part(latency_part::wait_core) == 10_ns);
    CHECK(part(latency_part::wait_map) == 80_ns);
}

TEST_CASE("a command that waited for its program went through what that did", "[ledger]")
{
    latency_ledger ledger(3, 3);
    const auto part = [&](std::size_t command, latency_part p) {
        return ledger.parts(command)[static_cast<std::size_t>(p)];
    };
    for (std::uint16_t i = 0; i < 3; ++i) {
        ledger.open(i, 0_ns);
        ledger.bind(i, i);
    }
    const auto program = [&](std::uint32_t tag, latency_part held) {
        ledger.begin_program(tag, 1, 100_ns, held);
        ledger.stamp_program(tag, latency_part::wait_erase, 130_ns);
        ledger.stamp_program(tag, latency_part::bus, 150_ns);
        ledger.stamp_program(tag, latency_part::array, 850_ns);
        ledger.stamp_program(tag, latency_part::queue, 850_ns);
        ledger.stamp_program(tag, latency_part::bus, 860_ns);
        ledger.end_program(tag);
    };
    program(7, latency_part::wait_program);
    SECTION("two commands of one program; the data of one came while its program waited")
    {
        ledger.stamp(0, latency_part::link, 40_ns);
        ledger.stamp(1, latency_part::link, 110_ns);
        ledger.hand_on_programmed(0, 0, 900_ns, 7);
        ledger.hand_on_programmed(1, 0, 900_ns,
                                  7); // by the same doorbell: its work was the first's
        CHECK(part(0, latency_part::wait_program) == 60_ns);
        CHECK(part(0, latency_part::wait_erase) == 30_ns);
        CHECK(part(1, latency_part::wait_program) == 0_ns);
        CHECK(part(1, latency_part::wait_erase) == 20_ns);
        CHECK(part(0, latency_part::firmware) == 40_ns);
        CHECK(part(1, latency_part::wait_core) == 40_ns);
        for (const std::size_t command : {0u, 1u}) {
            CHECK(part(command, latency_part::bus) == 30_ns);
            CHECK(part(command, latency_part::array) == 700_ns);
            CHECK(part(command, latency_part::queue) == 0_ns);
            CHECK(sum_of(ledger.parts(command)) == 900_ns);
        }
    }
    SECTION("work that is counted: what fits behind the program, the rest before it")
    {
        program(9, latency_part::wait_core);
        ledger.count_work(rate(1000000000)); // a cycle takes 1000 ps
        ledger.marked();
        ledger.stamp(2, latency_part::link, 40_ns);
        ledger.work_on(2) += 50 * 256;
        ledger.hand_on_programmed(2, 0, 890_ns, 9);
        CHECK(part(2, latency_part::wait_core) == 40_ns);
        CHECK(part(2, latency_part::firmware) == 20_ns + 30_ns);
        CHECK(part(2, latency_part::array) == 700_ns);
        CHECK(sum_of(ledger.parts(2)) == 890_ns);
    }
    SECTION("its tag may be under way again")
    {
        ledger.begin_program(7, 1, 880_ns, latency_part::wait_core);
        ledger.stamp_program(7, latency_part::bus, 950_ns); // known beforehand
        ledger.hand_on_programmed(0, 0, 900_ns, 7);
        CHECK(part(0, latency_part::array) == 700_ns);
        CHECK(part(0, latency_part::bus) == 30_ns);
        CHECK(sum_of(ledger.parts(0)) == 900_ns);
    }
    SECTION("of a program that no channel has seen nothing is known")
    {
        for (const std::uint32_t tag : {3u, 1000u}) {
            ledger.hand_on_programmed(0, 0, 900_ns, tag);
            CHECK(part(0, latency_part::wait_program) == 900_ns);
        }
    }
}

TEST_CASE("each core hands on by itself, as many as there may be", "[ledger]")
{
    latency_ledger ledger(3, 3);
    const auto part = [&](std::size_t command, latency_part p) {
        return ledger.parts(command)[static_cast<std::size_t>(p)];
    };
    for (std::uint16_t i = 0; i < 3; ++i) {
        ledger.open(i, 0_ns);
        ledger.bind(i, i);
    }
    ledger.hand_on(0, 1, 300_ns);
    ledger.hand_on(1, latency_ledger::desks - 1, 500_ns);
    ledger.hand_on(2, latency_ledger::desks - 1, 600_ns);
    CHECK(part(1, latency_part::wait_core) == 0_ns);
    CHECK(part(1, latency_part::firmware) == 500_ns);
    CHECK(part(2, latency_part::wait_core) == 500_ns);
    CHECK(part(2, latency_part::firmware) == 100_ns);
}

TEST_CASE("each reason of firmware to hold a command has its part", "[ledger]")
{
    CHECK(part_of_wait(FE_WAIT_FIRMWARE) == latency_part::wait_core);
    CHECK(part_of_wait(FE_WAIT_PROGRAM) == latency_part::wait_program);
    CHECK(part_of_wait(FE_WAIT_GC) == latency_part::wait_gc);
    CHECK(part_of_wait(FE_WAIT_ERASE) == latency_part::wait_erase);
    CHECK(part_of_wait(FE_WAIT_READ) == latency_part::wait_read);
    CHECK(part_of_wait(FE_WAIT_MAP) == latency_part::wait_map);
    CHECK(part_of_wait(FE_WAIT_BUFFER) == latency_part::wait_buffer);
    CHECK(part_of_wait(FE_WAIT_POWER) == latency_part::wait_power);
}

TEST_CASE("the parts of a command sum to the time between opening and last stamp", "[ledger]")
{
    latency_ledger ledger(4, 2);
    ledger.open(3, 1000_ps);
    ledger.stamp(3, latency_part::link, 1100_ps);
    ledger.bind(1, 3);
    ledger.stamp_slot(1, latency_part::array, 1600_ps);
    ledger.stamp_slot(1, latency_part::bus, 1500_ps); // overtaken by a sibling: adds nothing
    ledger.stamp_slot(1, latency_part::bus, 1600_ps); // at the same time: nothing either
    ledger.stamp_slot(1, latency_part::array, 1601_ps);
    ledger.stamp(3, latency_part::completion, 2000_ps);
    const latency_split& parts = ledger.parts(3);
    CHECK(part(parts, latency_part::link) == 100_ps);
    CHECK(part(parts, latency_part::array) == 501_ps);
    CHECK(part(parts, latency_part::bus) == 0_ps);
    CHECK(part(parts, latency_part::completion) == 399_ps);
    CHECK(sum_of(parts) == 1000_ps);
}

TEST_CASE("a slot that is not bound, or not there, stamps nothing", "[ledger]")
{
    latency_ledger ledger(1, 1);
    ledger.open(0, 0_ps);
    ledger.stamp_slot(0, latency_part::array, 10_ps);
    ledger.stamp_slot(0xFFFF, latency_part::array, 10_ps);
    CHECK(sum_of(ledger.parts(0)) == 0_ps);
    ledger.bind(0, 0);
    ledger.stamp_slot(0, latency_part::array, 10_ps);
    ledger.unbind(0);
    ledger.stamp_slot(0, latency_part::array, 20_ps);
    CHECK(sum_of(ledger.parts(0)) == 10_ps);
    ledger.open(0, 50_ps); // reused: starts from nothing
    CHECK(sum_of(ledger.parts(0)) == 0_ps);
}

TEST_CASE("random stamps always sum to the latency", "[ledger]")
{
    rng random(9);
    latency_ledger ledger(1, 1);
    for (int command = 0; command < 200; ++command) {
        const std::uint64_t opened = random.below(1000000);
        std::uint64_t last = opened;
        ledger.open(0, sim_time(opened));
        for (int i = 0; i < 50; ++i) {
            const std::uint64_t t = opened + random.below(100000);
            ledger.stamp(0, static_cast<latency_part>(random.below(latency_parts)), sim_time(t));
            last = std::max(last, t);
        }
        REQUIRE(sum_of(ledger.parts(0)).ps() == last - opened);
    }
}

TEST_CASE("each latency part has its name", "[ledger]")
{
    CHECK(std::string(latency_part_names[static_cast<std::size_t>(latency_part::link)]) == "link");
    CHECK(std::string(latency_part_names[static_cast<std::size_t>(latency_part::wait_gc)]) ==
          "wait_gc");
    CHECK(std::string(latency_part_names[static_cast<std::size_t>(latency_part::completion)]) ==
          "completion");
}

TEST_CASE("the fault log counts all and keeps the first", "[fault_log]")
{
    fault_log log;
    CHECK(log.count() == 0);
    for (std::size_t i = 0; i < fault_log::kept + 5; ++i) {
        log.record("die" + std::to_string(i), "programmed twice");
    }
    CHECK(log.count() == fault_log::kept + 5);
    REQUIRE(log.faults().size() == fault_log::kept);
    CHECK(log.faults().front().who == "die0");
    CHECK(log.faults().back().who == "die" + std::to_string(fault_log::kept - 1));
    CHECK(log.faults().front().what == "programmed twice");
    CHECK(log.faults().front().when == now());
}

TEST_CASE("work that began before a slot was bound is of its former command", "[ledger]")
{
    latency_ledger ledger(2, 1);
    ledger.open(0, 0_ps);
    ledger.bind(0, 0, 10_ps);
    ledger.stamp_slot(0, latency_part::array, 20_ps, 9_ps);
    CHECK(sum_of(ledger.parts(0)) == 0_ps);
    ledger.stamp_slot(0, latency_part::array, 20_ps, 10_ps);
    CHECK(sum_of(ledger.parts(0)) == 20_ps);
}

} // namespace common_records_test
