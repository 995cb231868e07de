// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "models/common/time.h"

namespace common_time_test {

using namespace ssdvp::literals;
using ssdvp::rate;
using ssdvp::sim_time;
using ssdvp::time_for;

TEST_CASE("time literals are picoseconds", "[time]")
{
    CHECK((7_ps).ps() == 7);
    CHECK((3_ns).ps() == 3000);
    CHECK((40_us).ps() == 40000000);
    CHECK((3_ms).ps() == 3000000000ull);
    CHECK((2_s).ps() == 2000000000000ull);
    CHECK(1_s == 1000_ms);
    CHECK((1999_ps).ns() == 1);
}

TEST_CASE("a rate becomes a time in one place, rounding up", "[time]")
{
    // 1 byte at 1200 MB/s is 833.33 ps: rounding down would let the bus run faster than it can.
    CHECK(time_for(1, rate(1200000000)).ps() == 834);
    CHECK(time_for(3, rate(1200000000)).ps() == 2500); // exact: not rounded
    CHECK(time_for(1, rate(1000000000000)).ps() == 1);
    CHECK(time_for(1, rate(2000000000000)).ps() == 1); // never 0 for something
    CHECK(time_for(0, rate(1)).ps() == 0);
    CHECK(time_for(1, rate(1)) == 1_s);
    CHECK(time_for(1, rate(3)).ps() == 333333333334ull);
    // count times 10^12 passes 64 bits: a terabyte at 1 GB/s
    CHECK(time_for(1000000000000ull, rate(1000000000)) == 1000_s);
}

TEST_CASE("time arithmetic", "[time]")
{
    CHECK(5_ns + 1_ps == 5001_ps);
    CHECK(5_ns - 1_ps == 4999_ps);
    CHECK(1_ps - 5_ns == 0_ps); // saturates
    CHECK(3 * 4_ns == 12_ns);
    CHECK(4_ns * 3 == 12_ns);
    CHECK(ssdvp::later(1_ns, 2_ns) == 2_ns);
    CHECK(ssdvp::earlier(1_ns, 2_ns) == 1_ns);
    CHECK((1_ns < 2_ns && 2_ns > 1_ns && 1_ns <= 1_ns && 1_ns >= 1_ns && 1_ns != 2_ns));
    sim_time t = 1_ns;
    t += 1_ps;
    CHECK(t == 1001_ps);
}

TEST_CASE("the kernel's time is the same number", "[time]")
{
    CHECK((1234567_ps).to_sc() == sc_core::sc_time(1234567, sc_core::SC_PS));
    CHECK(sim_time::from_sc(sc_core::sc_time(3, sc_core::SC_US)) == 3_us);
    CHECK(sim_time::from_sc((99_s).to_sc()) == 99_s);
}

} // namespace common_time_test
