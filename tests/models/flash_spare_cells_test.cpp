// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band bytes: whatever is kept comes back, and little memory is held for what counts up.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "models/flash/die/spare_cells.h"

namespace flash_spare_cells_test {

using ssdvp::flash::page_index;
using ssdvp::flash::spare_cells;

namespace {

using bytes = std::vector<unsigned char>;

bytes words(std::initializer_list<std::uint64_t> values)
{
    bytes b(values.size() * 8);
    std::memcpy(b.data(), std::data(values), b.size());
    return b;
}

bytes back(const spare_cells& s, const bytes& block, std::uint32_t page, std::uint32_t length)
{
    bytes b(length);
    s.read(block.data(), page_index(page), b.data(), length);
    return b;
}

} // namespace

TEST_CASE("spare cells: words that count up take two, others a place in the pool")
{
    spare_cells s(9, 40);
    CHECK(s.block_bytes() == 8 + 9 * 16);
    bytes block(s.block_bytes());
    s.reset(block.data());
    const bytes run = words({0xAAAA, 7, 8, 9, 10});
    const bytes wraps = words({1, ~0ull, 0, 1, 2});
    const bytes other = words({2, 7, 8, 9, 11});
    s.keep(block.data(), page_index(0), run.data());
    s.keep(block.data(), page_index(7), wraps.data());
    CHECK(s.pool_bytes() == 0);
    s.keep(block.data(), page_index(8), other.data());
    CHECK(s.pool_bytes() > 0);
    for (const std::uint32_t length : {1u, 8u, 15u, 16u, 20u, 39u, 40u}) {
        const auto part = [&](const bytes& b) { return bytes(b.begin(), b.begin() + length); };
        CHECK(back(s, block, 0, length) == part(run));
        CHECK(back(s, block, 7, length) == part(wraps));
        CHECK(back(s, block, 8, length) == part(other));
    }
}

TEST_CASE("spare cells: the pool's places are used again after an erase")
{
    spare_cells s(4, 24);
    bytes block(s.block_bytes(), 0xEE);
    std::mt19937_64 random(1);
    std::uint64_t held = 0;
    for (int round = 0; round < 2000; ++round) {
        s.reset(block.data());
        for (std::uint32_t page = 0; page < 4; ++page) {
            const bytes oob = words({random(), random(), random()});
            s.keep(block.data(), page_index(page), oob.data());
            REQUIRE(back(s, block, page, 24) == oob);
        }
        s.release(block.data());
        held = held == 0 ? s.pool_bytes() : held;
        REQUIRE(s.pool_bytes() == held);
    }
}

TEST_CASE("spare cells: few words and broken ones are kept as they are")
{
    for (const std::uint32_t stored : {0u, 4u, 16u, 30u}) {
        spare_cells s(3, stored);
        CHECK(s.block_bytes() == 3 * stored);
        bytes block(s.block_bytes() + 1);
        bytes oob(stored, 0x3C);
        s.keep(block.data(), page_index(2), oob.data());
        CHECK(back(s, block, 2, stored) == oob);
        s.release(block.data());
        CHECK(s.pool_bytes() == 0);
    }
}

} // namespace flash_spare_cells_test
