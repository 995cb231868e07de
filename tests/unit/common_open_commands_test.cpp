// SPDX-License-Identifier: Apache-2.0
//
// Commands that firmware has forgotten, and commands that only wait.
#include <array>

#include <catch2/catch.hpp>

#include "models/common/open_commands.h"

namespace common_open_commands_test {

using namespace ssdvp;
using namespace ssdvp::literals;

namespace {

constexpr std::uint16_t read_kind = 2;
constexpr std::uint16_t write_kind = 1;

struct slot {
    command_owner owner;
};

struct bench {
    std::array<slot, 8> slots;
    command_order order;

    void take(std::size_t i, std::uint16_t kind) { slots[i].owner.hand_over(1_us, kind, order); }
    void end(std::size_t i) { slots[i].owner.end(2_us, order); }
    void pass(std::size_t i, std::uint16_t kind, int times)
    {
        for (int n = 0; n < times; ++n) {
            take(i, kind);
            end(i);
        }
    }
    std::uint64_t told(sim_time when)
    {
        std::uint64_t found = 0;
        tell_forgotten(slots, order, when, 5_us,
                       [&](std::size_t at, std::uint64_t later) { found = 10000 * at + later; });
        return found;
    }
};

} // namespace

TEST_CASE("a command that a thousand later ones of its kind overtake is forgotten")
{
    bench b;
    b.take(3, write_kind);
    b.pass(4, write_kind, 999);
    CHECK(b.told(6_us) == 0);
    b.pass(4, write_kind, 1);
    CHECK(b.told(6_us - 1_ps) == 0); // not for long enough
    CHECK(b.told(6_us) == 31000);
    CHECK(b.told(7_us) == 0); // once
}

TEST_CASE("commands that end in their order, and others than its kind, overtake nobody")
{
    bench b;
    for (std::size_t i = 0; i < 7; ++i) {
        b.take(i, write_kind);
    }
    b.pass(7, read_kind, 5000);
    for (int n = 0; n < 5000; ++n) { // a queue of seven writes, the oldest of which always ends
        b.end(static_cast<std::size_t>(n % 7));
        b.take(static_cast<std::size_t>(n % 7), write_kind);
    }
    CHECK(b.told(1_ms) == 0);
    for (int n = 0; n < 1000; ++n) { // the latest ends, the six before it wait
        b.end(4999 % 7);
        b.take(4999 % 7, write_kind);
    }
    CHECK(overtaken_by(b.slots[5000 % 7].owner, b.slots, b.order) == 1000);
    CHECK(overtaken_by(b.slots[4999 % 7].owner, b.slots, b.order) == 0);
}

TEST_CASE("what a reset takes from firmware has overtaken nobody afterwards")
{
    bench b;
    b.pass(0, write_kind, 1500);
    b.take(1, write_kind);
    b.slots[1].owner.drop(b.order);
    b.take(2, write_kind);
    CHECK(overtaken_by(b.slots[2].owner, b.slots, b.order) == 0);
    b.pass(0, write_kind, 1000);
    CHECK(b.told(6_us) == 21000);
}

} // namespace common_open_commands_test
