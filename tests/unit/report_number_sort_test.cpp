// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "platform/report/timeline/entry_store.h"
#include "platform/report/timeline/number_sort.h"

namespace report_number_sort_test {

using namespace ssdvp::platform;

TEST_CASE("number sort: by number, and equal ones as they were", "[report][timeline]")
{
    std::vector<numbered_thing<std::size_t>> all;
    std::uint64_t n = 1;
    for (std::size_t i = 0; i < 3000; ++i, n = n * 6364136223846793005u + 1442695040888963407u) {
        all.push_back({i % 3 == 0 ? i % 7 : n, i}); // of all lengths, many equal
    }
    all.push_back({~std::uint64_t{0}, all.size()});
    all.push_back({0, all.size()});
    auto expected = all;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.number < b.number; });
    sort_by_number(all);
    CHECK(std::equal(all.begin(), all.end(), expected.begin(), [](const auto& a, const auto& b) {
        return a.number == b.number && a.what == b.what;
    }));
    std::vector<numbered_thing<int>> none;
    sort_by_number(none);
    CHECK(none.empty());
}

TEST_CASE("entry store: the oldest go, the others stay where they are", "[report][timeline]")
{
    entry_store<std::size_t> store;
    constexpr std::size_t chunk = entry_store<std::size_t>::chunk;
    std::size_t told = 0;
    while (told < 2 * chunk + 5) {
        store.add() = told++;
    }
    const std::size_t* place = &store[chunk + 1];
    for (std::size_t i = 0; i < chunk; ++i) {
        store.drop_oldest();
    }
    CHECK(store.size() == chunk + 5);
    CHECK(&store[1] == place);
    CHECK(store[0] == chunk);
    for (std::size_t i = 0; i < 5 * chunk; ++i) { // chunks are used again
        store.add() = told++;
        store.drop_oldest();
    }
    std::size_t expected = 6 * chunk;
    store.for_each([&expected](std::size_t n) { CHECK(n == expected++); });
    CHECK(expected == told);
}

} // namespace report_number_sort_test
