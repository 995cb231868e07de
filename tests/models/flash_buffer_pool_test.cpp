// SPDX-License-Identifier: Apache-2.0
//
// Buffers by number: each its own bytes, the lowest free one first, empty chunks back to the host.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/flash/die/buffer_pool.h"
#include "tests/support/memory_archive.h"

namespace flash_buffer_pool_test {

using ssdvp::flash::buffer_pool;
using ssdvp::test::memory_archive;

namespace {

constexpr std::uint64_t chunk = 512u << 10;

} // namespace

TEST_CASE("buffer pool: buffers do not overlap, and the lowest free one comes first")
{
    buffer_pool pool(100'000); // four in a chunk
    for (std::uint32_t i = 0; i < 10; ++i) {
        REQUIRE(pool.take() == i);
        std::memset(pool.at(i), static_cast<int>(i), 100'000);
    }
    for (std::uint32_t i = 0; i < 10; ++i) {
        REQUIRE(pool.at(i)[0] == i);
        REQUIRE(pool.at(i)[99'999] == i);
    }
    CHECK(pool.bytes() == 1'000'000);
    pool.give_back(7);
    pool.give_back(1);
    pool.give_back(9);
    CHECK(pool.in_use() == 7);
    CHECK(pool.take() == 1);
    CHECK(pool.take() == 7);
    CHECK(pool.take() == 9);
    CHECK(pool.take() == 10);
}

TEST_CASE("buffer pool: a chunk that holds nothing costs nothing, until it is used again")
{
    buffer_pool pool(100'000);
    for (std::uint32_t i = 0; i < 8; ++i) {
        (void)pool.take();
        std::memset(pool.at(i), 0xEE, 100'000);
    }
    for (std::uint32_t i = 4; i < 8; ++i) {
        CHECK(pool.bytes() == 800'000);
        pool.give_back(i);
    }
    CHECK(pool.bytes() == 400'000);
    CHECK(pool.at(4)[0] == 0); // the host gave a page of zeros for it
    CHECK(pool.take() == 4);
    CHECK(pool.bytes() == 800'000);
}

TEST_CASE("buffer pool: large buffers have chunks of their own")
{
    CHECK(buffer_pool::address_space(3 * chunk, 5) == 15 * chunk);
    CHECK(buffer_pool::address_space(chunk / 2 + 1, 5) == 5 * (chunk / 2 + 1));
    CHECK(buffer_pool::address_space(chunk / 2, 5) == 3 * chunk);
    CHECK(buffer_pool::address_space(chunk / 2, 0) == 0);
}

TEST_CASE("buffer pool: what was kept is found under its number")
{
    buffer_pool pool(100'000);
    for (std::uint32_t i = 0; i < 9; ++i) {
        std::memset(pool.at(pool.take()), static_cast<int>(i + 1), 100'000);
    }
    for (const std::uint32_t i : {2u, 4u, 5u, 6u, 7u}) {
        pool.give_back(i);
    }
    memory_archive archive;
    pool.keep(archive);
    archive.rewind();
    buffer_pool other(100'000);
    (void)other.take();
    other.keep(archive);
    CHECK(archive.at_end());
    CHECK(other.in_use() == 4);
    CHECK(other.bytes() == pool.bytes());
    for (const std::uint32_t i : {0u, 1u, 3u, 8u}) {
        CHECK(other.at(i)[99'999] == i + 1);
    }
    CHECK(other.take() == 2);
    CHECK(other.take() == 4);
    other.give_back(8); // the last of its chunk
    CHECK(other.bytes() == 800'000);
}

} // namespace flash_buffer_pool_test
