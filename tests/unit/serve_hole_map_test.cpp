// SPDX-License-Identifier: Apache-2.0
//
// Where nobody has written: against a drive of bits, and with more ranges than it keeps.
#include <catch2/catch.hpp>
#include <vector>

#include "platform/serve/hole_map.h"

namespace serve_hole_map_test {

using namespace ssdvp;
using platform::hole_map;

TEST_CASE("hole map: a drive nobody wrote is one hole, and a write divides it", "[serve]")
{
    hole_map m(1000);
    CHECK(m.at(0).hole);
    CHECK(m.at(0).end == 1000);
    m.written(100, 200);
    CHECK(m.at(99).end == 100);
    CHECK_FALSE(m.at(100).hole);
    CHECK(m.at(199).end == 200);
    CHECK(m.at(200).hole);
    m.written(900, 1000);
    CHECK_FALSE(m.at(999).hole);
    CHECK(m.at(999).end == 1000);
    m.trimmed(100, 200);
    CHECK(m.ranges() == 1);
    CHECK(m.at(150).end == 900);
}

TEST_CASE("hole map: random trims and writes, against one bit for each byte", "[serve]")
{
    constexpr std::uint64_t bytes = 300;
    hole_map m(bytes);
    std::vector<bool> hole(bytes, true);
    std::uint64_t state = 1;
    const auto draw = [&state](std::uint64_t below) {
        state = state * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX
        return (state >> 33) % below;
    };
    for (int turn = 0; turn < 3000; ++turn) {
        const std::uint64_t begin = draw(bytes);
        const std::uint64_t end = begin + draw(bytes - begin + 1);
        const bool trim = draw(2) == 0;
        trim ? m.trimmed(begin, end) : m.written(begin, end);
        for (std::uint64_t i = begin; i < end; ++i) {
            hole[i] = trim;
        }
        for (std::uint64_t at = 0; at < bytes;) {
            const hole_map::range r = m.at(at);
            REQUIRE(r.end > at);
            REQUIRE((r.end == bytes || hole[r.end] != r.hole));
            for (; at < r.end; ++at) {
                REQUIRE(hole[at] == r.hole);
            }
        }
    }
}

TEST_CASE("hole map: too many ranges become data, and the large parts stay", "[serve]")
{
    constexpr std::uint64_t bytes = 1u << 30;
    hole_map m(bytes);
    m.written(0, bytes / 2);
    for (std::uint64_t i = 0; i < 2 * hole_map::most; ++i) {
        m.trimmed(i * 1024, i * 1024 + 512);
    }
    CHECK(m.ranges() == hole_map::most);
    CHECK(m.at(0).hole);
    CHECK_FALSE(m.at((2 * hole_map::most - 1) * 1024).hole);
    m.written(bytes / 2 + 512, bytes / 2 + 1024); // of the one large hole the smaller part goes
    CHECK(m.ranges() == hole_map::most);
    CHECK_FALSE(m.at(bytes / 2).hole);
    CHECK(m.at(bytes - 1).hole);
}

} // namespace serve_hole_map_test
