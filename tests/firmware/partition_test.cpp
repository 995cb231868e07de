// SPDX-License-Identifier: Apache-2.0
//
// How sectors of a divided drive lie in its partitions: worked by hand.
#include <catch2/catch.hpp>

#include "firmware/lib/geometry.h"

namespace partition_test {

namespace {

// Four partitions, stripes of eight sectors: rows of 32.
constexpr partition p = {2, 0, 3};

} // namespace

TEST_CASE("partition: sectors go to the partitions in turn, a stripe at a time")
{
    CHECK(partition_of(&p, 0) == 0);
    CHECK(partition_of(&p, 7) == 0);
    CHECK(partition_of(&p, 8) == 1);
    CHECK(partition_of(&p, 31) == 3);
    CHECK(partition_of(&p, 32) == 0);
    CHECK(partition_before(&p, 0, 7) == 7);
    CHECK(partition_before(&p, 1, 8) == 0);
    CHECK(partition_before(&p, 1, 8 + 32) == 8); // the second row
    CHECK(partition_before(&p, 3, 31) == 7);
    CHECK(partition_sector(&p, 0, 7) == 7);
    CHECK(partition_sector(&p, 0, 8) == 32);
    CHECK(partition_sector(&p, 3, 15) == 63);
}

TEST_CASE("partition: a range has in each what lies in front of its end, less what of its begin")
{
    // Sectors 5 to 44: 3 of partition 0's first stripe and all of its second, ...
    const auto count = [](std::uint32_t index) {
        return partition_before(&p, index, 45) - partition_before(&p, index, 5);
    };
    CHECK(count(0) == 3 + 8);
    CHECK(count(1) == 8 + 5); // ... to 44, the fifth of partition 1's second
    CHECK(count(2) == 8);
    CHECK(count(3) == 8);
    // Nothing of a partition whose stripe ends before it, or begins behind it.
    CHECK(partition_before(&p, 0, 24) - partition_before(&p, 0, 8) == 0);
    CHECK(partition_before(&p, 3, 24) - partition_before(&p, 3, 8) == 0);
}

TEST_CASE("partition: each sector has one place, and is found from there")
{
    for (std::uint64_t sector = 0; sector < 1000; ++sector) {
        const std::uint32_t index = partition_of(&p, sector);
        CHECK(partition_sector(&p, index, partition_before(&p, index, sector)) == sector);
    }
}

} // namespace partition_test
