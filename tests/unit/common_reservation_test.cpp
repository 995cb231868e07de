// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>

#include "models/common/reservation.h"
#include "models/common/rng.h"

namespace common_reservation_test {

using namespace ssdvp::literals;
using ssdvp::reservation;
using ssdvp::sim_time;

TEST_CASE("a reservation takes the first gap that holds it", "[reservation]")
{
    reservation r;
    CHECK(r.reserve(0_ps, 100_ps, 50_ps).begin == 100_ps); // [100, 150)
    CHECK(r.reserve(0_ps, 200_ps, 50_ps).begin == 200_ps); // [200, 250)
    SECTION("a gap of exactly the length is taken")
    {
        const reservation::interval i = r.reserve(0_ps, 120_ps, 50_ps);
        CHECK(i.begin == 150_ps);
        CHECK(i.end == 200_ps);
    }
    SECTION("a gap one picosecond short is not")
    {
        CHECK(r.reserve(0_ps, 120_ps, 51_ps).begin == 250_ps);
    }
    SECTION("time before the others is still free, asked for later")
    {
        CHECK(r.reserve(0_ps, 0_ps, 100_ps).begin == 0_ps);
        CHECK(r.reserve(0_ps, 0_ps, 1_ps).begin == 150_ps);
    }
    SECTION("an end that touches the next begin fits")
    {
        CHECK(r.reserve(0_ps, 60_ps, 40_ps).begin == 60_ps);
    }
    SECTION("an end one picosecond into the next does not")
    {
        CHECK(r.reserve(0_ps, 61_ps, 40_ps).begin == 150_ps);
    }
}

TEST_CASE("reservations that touch become one interval", "[reservation]")
{
    reservation r;
    r.reserve(0_ps, 100_ps, 10_ps);
    r.reserve(0_ps, 200_ps, 10_ps);
    CHECK(r.pending() == 2);
    r.reserve(0_ps, 110_ps, 10_ps); // grows the first
    CHECK(r.pending() == 2);
    r.reserve(0_ps, 190_ps, 10_ps); // grows the second downwards
    CHECK(r.pending() == 2);
    r.reserve(0_ps, 120_ps, 70_ps); // joins both
    CHECK(r.pending() == 1);
    CHECK(r.reserve(0_ps, 100_ps, 1_ps).begin == 210_ps);
    CHECK(r.total() == 111_ps);
}

TEST_CASE("what has ended is forgotten, its time still counted", "[reservation]")
{
    reservation r;
    r.reserve(0_ps, 0_ps, 10_ps);
    r.reserve(0_ps, 20_ps, 10_ps);
    r.reserve(10_ps, 40_ps, 10_ps);
    CHECK(r.pending() == 2);
    r.reserve(50_ps, 50_ps, 10_ps);
    CHECK(r.pending() == 1);
    CHECK(r.total() == 40_ps);
}

namespace {

/// Every reservation ever made, searched in order: slow and plain.
class naive_reservation {
public:
    std::uint64_t reserve(std::uint64_t earliest, std::uint64_t length)
    {
        std::uint64_t begin = earliest;
        for (const auto& [busy_begin, busy_end] : m_busy) {
            if (begin + length <= busy_begin) {
                break;
            }
            begin = std::max(begin, busy_end);
        }
        m_busy[begin] = begin + length;
        return begin;
    }

private:
    std::map<std::uint64_t, std::uint64_t> m_busy;
};

} // namespace

TEST_CASE("random reservations equal those of a naive model", "[reservation]")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        ssdvp::rng random(seed);
        reservation r;
        naive_reservation naive;
        std::uint64_t present = 0;
        std::uint64_t total = 0;
        for (int i = 0; i < 1000; ++i) {
            present += random.below(40);
            const std::uint64_t earliest = present + random.below(400);
            const std::uint64_t length = 1 + random.below(60);
            const reservation::interval got =
                r.reserve(sim_time(present), sim_time(earliest), sim_time(length));
            CAPTURE(seed, i, present, earliest, length);
            REQUIRE(got.begin.ps() == naive.reserve(earliest, length));
            REQUIRE(got.end.ps() == got.begin.ps() + length);
            total += length;
        }
        CHECK(r.total().ps() == total);
    }
}

TEST_CASE("an interleaved packet waits for one packet at most and the next reservation pays")
{
    reservation r;
    CHECK(r.reserve(0_ns, 0_ns, 100_ns).end == 100_ns);
    const auto packet = r.interleave(0_ns, 40_ns, 5_ns, 59_ns);
    CHECK(packet.begin == 40_ns);
    CHECK(packet.end == 45_ns);
    const auto next = r.reserve(0_ns, 0_ns, 10_ns);
    CHECK(next.begin == 100_ns);
    CHECK(next.end == 115_ns);
    CHECK(r.total() == 115_ns);
    // A wait within the patience, or none, is a reservation like any other.
    CHECK(r.interleave(0_ns, 40_ns, 5_ns, 75_ns).begin == 115_ns);
    CHECK(r.interleave(0_ns, 200_ns, 5_ns, 0_ns).end == 205_ns);
    CHECK(r.reserve(0_ns, 200_ns, 10_ns).end == 215_ns);
}

TEST_CASE("interleaved packets wait as soon as the resource owes sixteen of them")
{
    reservation r;
    r.reserve(0_ns, 0_ns, 1000_ns);
    for (int i = 0; i < 17; ++i) { // 16 may be owed, and one is under way
        CHECK(r.interleave(0_ns, 10_ns, 10_ns, 10_ns).begin == 10_ns);
    }
    CHECK(r.interleave(0_ns, 10_ns, 10_ns, 10_ns).begin == 1000_ns); // and pays
    CHECK(r.reserve(0_ns, 0_ns, 10_ns).begin == 1180_ns);
    CHECK(r.total() == 1190_ns);
}

TEST_CASE("a transfer of packets goes around what is no longer than one")
{
    reservation r;
    r.reserve(0_ns, 0_ns, 100_ns);    // [0, 100)
    r.reserve(0_ns, 150_ns, 10_ns);   // [150, 160)
    r.reserve(0_ns, 180_ns, 10_ns);   // [180, 190)
    r.reserve(0_ns, 1000_ns, 500_ns); // [1000, 1500)
    SECTION("it begins at once and ends later by what it met")
    {
        const auto w = r.reserve_around(0_ns, 50_ns, 100_ns, 10_ns);
        CHECK(w.begin == 100_ns);
        CHECK(w.end == 220_ns);
        CHECK(r.pending() == 2); // one with those that it is around
        CHECK(r.reserve(0_ns, 0_ns, 1_ns).begin == 220_ns);
    }
    SECTION("it may end where another begins")
    {
        CHECK(r.reserve_around(0_ns, 0_ns, 30_ns, 10_ns).end == 130_ns);
        CHECK(r.reserve_around(0_ns, 0_ns, 20_ns, 10_ns).end == 150_ns);
        CHECK(r.reserve_around(0_ns, 0_ns, 830_ns, 10_ns).end == 1000_ns);
        CHECK(r.pending() == 1);
    }
    SECTION("what is longer than a packet it does not part")
    {
        CHECK(r.reserve_around(0_ns, 0_ns, 100_ns, 9_ns).begin == 190_ns);
        CHECK(r.reserve_around(0_ns, 300_ns, 701_ns, 499_ns).begin == 1500_ns);
    }
    SECTION("behind all others it is one like any other, and pays what is owed")
    {
        r.owe(5_ns);
        CHECK(r.reserve_around(0_ns, 1600_ns, 10_ns, 10_ns).end == 1615_ns);
    }
    CHECK(r.pending() > 0);
}

TEST_CASE("cut: what lies ahead is free again and was never used", "[reservation]")
{
    reservation r;
    r.reserve(0_ps, 0_ps, 100_ps);
    r.reserve(0_ps, 200_ps, 50_ps);
    r.cut(40_ps);
    CHECK(r.total() == 40_ps);
    CHECK(r.pending() == 0);
    CHECK(r.reserve(40_ps, 40_ps, 300_ps).begin == 40_ps);
}

TEST_CASE("used: what is booked counts as its time comes", "[reservation]")
{
    reservation r;
    r.reserve(0_ps, 10_ps, 100_ps);
    r.reserve(0_ps, 200_ps, 50_ps);
    CHECK(r.used(10_ps) == 0_ps);
    CHECK(r.used(11_ps) == 1_ps);
    CHECK(r.used(110_ps) == 100_ps);
    CHECK(r.used(200_ps) == 100_ps);
    CHECK(r.used(249_ps) == 149_ps);
    CHECK(r.used(1_ns) == r.total());
    SECTION("what is owed is no use")
    {
        r.owe(30_ps);
        const auto w = r.reserve(200_ps, 1_ns, 20_ps); // [1000, 1050)
        CHECK(w.end == 1050_ps);
        CHECK(r.used(1030_ps) == 150_ps);
        CHECK(r.used(1031_ps) == 151_ps);
        CHECK(r.used(1050_ps) == 170_ps);
    }
    SECTION("what goes between packets counts with those that give way to it")
    {
        r.interleave(20_ps, 20_ps, 30_ps, 5_ps);
        CHECK(r.used(250_ps) == 150_ps);
        r.reserve(250_ps, 300_ps, 10_ps); // [300, 340)
        CHECK(r.used(340_ps) == 190_ps);
        CHECK(r.used(340_ps) == r.total());
    }
    SECTION("a cut keeps what has passed")
    {
        r.cut(230_ps);
        CHECK(r.used(230_ps) == 130_ps);
        CHECK(r.used(1_ns) == 130_ps);
    }
}

TEST_CASE("used: never more than has passed, whatever is asked for", "[reservation]")
{
    std::uint64_t seed = 5;
    const auto draw = [&](std::uint64_t n) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        return (seed >> 33) % n;
    };
    reservation r;
    sim_time present;
    sim_time looked;
    sim_time used;
    for (int i = 0; i < 20000; ++i) {
        present += sim_time(draw(60));
        const sim_time earliest = present + sim_time(draw(3) == 0 ? draw(400) : 0);
        const sim_time length(1 + draw(60));
        switch (draw(5)) {
        case 0:
            r.interleave(present, earliest, sim_time(1 + draw(5)), 10_ps);
            break;
        case 1:
            r.reserve_around(present, earliest, length * 4, 20_ps);
            break;
        case 2:
            r.owe(sim_time(draw(8)));
            break;
        default:
            r.reserve(present, earliest, length);
        }
        if (draw(500) == 0) {
            r.cut(present);
        }
        if (draw(3) == 0) {
            const sim_time u = r.used(present);
            CHECK(u >= used);
            CHECK(u - used <= present - looked);
            used = u;
            looked = present;
        }
    }
    CHECK(used > 100_ns);
}

} // namespace common_reservation_test
