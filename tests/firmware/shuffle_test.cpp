// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of the firmware, and the random order without a table.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

extern "C" {
#include "firmware/lib/random.h"
}

namespace ssdvp::test::shuffle_test {

TEST_CASE("random numbers are those of SplitMix64")
{
    // The first ones of the authors' program for the seed 1234567.
    struct random_source r = {1234567};
    CHECK(random_next(&r) == 6457827717110365317u);
    CHECK(random_next(&r) == 3203168211198807973u);
    CHECK(random_next(&r) == 9817491932198370423u);
    CHECK(random_share(0, 10) == 0);
    CHECK(random_share(0x7FFFFFFF, 10) == 4);
    CHECK(random_share(0xFFFFFFFF, 10) == 9);
}

TEST_CASE("a shuffle gives each number one index")
{
    for (const std::uint64_t count : {1u, 2u, 3u, 10u, 97u, 128u, 1000u, 65537u, 100000u}) {
        INFO(count);
        struct random_source r = {count};
        struct shuffle s;
        shuffle_init(&s, count, &r);
        std::vector<bool> seen(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = shuffle_at(&s, i);
            REQUIRE(at < count);
            REQUIRE_FALSE(seen[at]);
            seen[at] = true;
        }
        // No more than so many indexes go through it twice.
        const std::uint64_t over = std::uint64_t{s.high} * s.low - count;
        CHECK(over * over < 4 * count);
    }
}

TEST_CASE("neighbours of a shuffle lie anywhere, and another seed shuffles otherwise")
{
    constexpr std::uint64_t count = 100000;
    struct random_source one = {1};
    struct random_source two = {2};
    struct shuffle a;
    struct shuffle b;
    shuffle_init(&a, count, &one);
    shuffle_init(&b, count, &two);
    double apart = 0;
    std::uint64_t same = 0;
    for (std::uint64_t i = 0; i + 1 < count; ++i) {
        const auto x = static_cast<double>(shuffle_at(&a, i));
        apart += std::abs(x - static_cast<double>(shuffle_at(&a, i + 1)));
        same += shuffle_at(&a, i) == shuffle_at(&b, i) ? 1u : 0u;
    }
    // Two numbers drawn alike are a third of the range apart; 0.3 % of it is four deviations.
    CHECK(apart / count / count == Approx(1.0 / 3).margin(0.003));
    CHECK(same < 10); // one is what to expect
}

TEST_CASE("a shuffle of a large drive stays within it")
{
    struct random_source r = {7};
    struct shuffle s;
    const std::uint64_t count = (std::uint64_t{1} << 35) - 3;
    shuffle_init(&s, count, &r);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        CHECK(shuffle_at(&s, count - 1 - i) < count);
    }
}

} // namespace ssdvp::test::shuffle_test
