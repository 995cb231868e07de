// SPDX-License-Identifier: Apache-2.0
//
// When power goes.
#include <catch2/catch.hpp>
#include <cmath>

#include "platform/control/power_schedule.h"

namespace power_schedule_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;

namespace {

using event = power_schedule::event;

} // namespace

TEST_CASE("times count from the start of the measured part, nothing is due before and after it")
{
    power_config c;
    c.cut_at = {5_ms, 40_ms};
    power_schedule s(c, 1);
    CHECK_FALSE(s.next(true));
    s.begin(100_ms);
    CHECK(s.next(true)->when == 105_ms);
    CHECK_FALSE(s.take(105_ms - 1_ps, true));
    CHECK(s.take(105_ms, true) == event::cut);
    s.powered(115_ms);
    CHECK(s.next(true)->when == 140_ms);
    s.end();
    CHECK_FALSE(s.next(true));
}

TEST_CASE("a cut goes before a shutdown at the same time, and may come during one")
{
    power_config c;
    c.cut_at = {5_ms};
    c.shutdown_at = {5_ms, 30_ms};
    power_schedule s(c, 1);
    s.begin(sim_time());
    CHECK(s.take(5_ms, true) == event::cut);
    CHECK_FALSE(s.take(5_ms, false)); // a shutdown waits until the drive serves
    CHECK(s.take(5_ms, true) == event::shutdown);
    s.powered(31_ms); // what would have come without power does not come
    CHECK_FALSE(s.next(true));
}

TEST_CASE("cuts by count: at the operation that is due, from power-up on")
{
    power_config c;
    c.cut_every = 3;
    power_schedule s(c, 1);
    s.operations().array_begins(); // before the measured part
    s.begin(sim_time());
    s.operations().array_begins();
    s.operations().array_begins();
    CHECK_FALSE(s.operations().fired());
    s.operations().array_begins();
    CHECK(s.operations().fired());
    CHECK(s.take(1_ms, true) == event::cut);
    CHECK_FALSE(s.operations().fired());
    s.powered(2_ms);
    s.operations().array_begins();
    CHECK_FALSE(s.operations().fired());
}

TEST_CASE("what counts time with power waits while the host checks, what has a time does not")
{
    power_config c;
    c.cut_rate = 100.0;
    c.shutdown_every = 5_ms;
    power_schedule s(c, 7);
    s.begin(sim_time());
    const sim_time cut = s.next(false)->when;
    s.checking(1_ms);
    CHECK_FALSE(s.next(false));
    CHECK_FALSE(s.take(cut, false));
    s.checked(1001_ms);
    CHECK(s.next(false)->when == cut + 1_s);
    CHECK(s.take(1005_ms, true) == event::shutdown);
    s.powered(1010_ms);
    CHECK(s.next(false)->when > 1010_ms);

    power_config given;
    given.cut_at = {5_ms};
    power_schedule at(given, 7);
    at.begin(sim_time());
    at.checking(1_ms);
    CHECK(at.next(false)->when == 5_ms);
    at.checked(2_ms);
    CHECK(at.take(5_ms, false) == event::cut);
}

TEST_CASE("random cuts: the mean gap is that of the rate, the seed decides")
{
    power_config c;
    c.cut_rate = 100.0;
    power_schedule s(c, 7);
    power_schedule same(c, 7);
    power_schedule other(c, 8);
    s.begin(sim_time());
    same.begin(sim_time());
    other.begin(sim_time());
    CHECK(s.next(true)->when == same.next(true)->when);
    CHECK(s.next(true)->when != other.next(true)->when);
    sim_time t;
    for (int i = 0; i < 10000; ++i) {
        t = s.next(true)->when;
        s.take(t, true);
        s.powered(t);
    }
    // 10000 gaps of 10 ms with a standard deviation of 1 %.
    CHECK(std::abs(static_cast<double>(t.ps()) / 1e14 - 1.0) < 0.05);
}

TEST_CASE("shutdowns whenever there was power for so long")
{
    power_config c;
    c.shutdown_every = 20_ms;
    power_schedule s(c, 1);
    s.begin(1_ms);
    CHECK(s.next(true)->when == 21_ms);
    CHECK_FALSE(s.next(false));
    CHECK(s.take(21_ms, true) == event::shutdown);
    s.powered(50_ms);
    CHECK(s.next(true)->when == 70_ms);
}

TEST_CASE("resets of the controller: by time, behind what takes power, only while the drive serves")
{
    power_config c;
    c.cut_at = {10_ms};
    c.shutdown_at = {20_ms};
    power_schedule s(c, 1, {5_ms, 10_ms, 20_ms});
    CHECK_FALSE(s.next(true));
    s.begin(1_ms);
    CHECK(s.next(true)->when == 6_ms);
    CHECK_FALSE(s.take(sim_time((6_ms).ps() - 1), true));
    CHECK_FALSE(s.take(6_ms, false));
    CHECK(s.take(6_ms, true) == event::reset);
    CHECK(s.take(11_ms, true) == event::cut);
    CHECK(s.take(11_ms, true) == event::reset);
    CHECK(s.take(21_ms, true) == event::shutdown);
    s.powered(31_ms); // the last reset would have come while there was no power
    CHECK_FALSE(s.next(true));
    s.end();
}

} // namespace power_schedule_test
