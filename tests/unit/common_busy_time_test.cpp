// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/common/busy_time.h"

namespace common_busy_time_test {

using namespace ssdvp;
using namespace ssdvp::literals;

TEST_CASE("busy time: a booking counts as its time comes", "[busy_time]")
{
    busy_time b;
    b.add(0_ps, 100_ps, 150_ps);
    b.add(0_ps, 10_ps, 30_ps); // in any order
    CHECK(b.until(10_ps) == 0_ps);
    CHECK(b.until(11_ps) == 1_ps);
    CHECK(b.until(30_ps) == 20_ps);
    CHECK(b.until(100_ps) == 20_ps);
    CHECK(b.until(149_ps) == 69_ps);
    CHECK(b.until(1_ns) == 70_ps);
    b.cut(120_ps);
    CHECK(b.until(1_ns) == 40_ps);
}

TEST_CASE("busy time: without an end of bookings it never exceeds the clock", "[busy_time]")
{
    busy_time b;
    sim_time before;
    for (std::uint64_t i = 0; i < 1000; ++i) { // each booked while the one before goes on
        const sim_time present(i * 10);
        b.add(present, present + 15_ps, present + 25_ps);
        const sim_time u = b.until(present);
        CHECK(u - before <= 10_ps);
        before = u;
    }
    CHECK(before == sim_time(9985 - 10));
}

} // namespace common_busy_time_test
