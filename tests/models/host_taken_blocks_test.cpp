// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "models/common/rng.h"
#include "models/host/workload/taken_blocks.h"

namespace host_taken_blocks_test {

using namespace ssdvp;

TEST_CASE("fio: the next free block is found as by looking at each")
{
    for (const std::uint64_t blocks : {1u, 63u, 64u, 65u, 4096u, 5000u}) {
        host::taken_blocks map(blocks);
        std::set<std::uint64_t> free;
        for (std::uint64_t b = 0; b < blocks; ++b) {
            free.insert(b);
        }
        rng random(blocks);
        while (!free.empty()) {
            const std::uint64_t from = random.below(blocks);
            const auto behind = free.lower_bound(from);
            const std::uint64_t at = behind == free.end() ? *free.begin() : *behind;
            REQUIRE(map.next_free(from) == at);
            const std::uint64_t wanted = 1 + random.below(100);
            std::uint64_t n = 0;
            while (n < wanted && free.erase(at + n) != 0) {
                ++n;
            }
            REQUIRE(map.take(at, wanted) == n);
        }
        CHECK_FALSE(map.next_free(0));
        map.clear();
        CHECK(map.next_free(blocks - 1) == blocks - 1);
    }
}

} // namespace host_taken_blocks_test
