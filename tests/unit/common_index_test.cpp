// SPDX-License-Identifier: Apache-2.0
//
// Numbers with a kind: what they refuse, and that they cost nothing.
#include <catch2/catch.hpp>
#include <type_traits>
#include <unordered_set>

#include "models/protocols/flash_indices.h"

namespace common_index_test {

using namespace ssdvp;
using namespace ssdvp::flash;

// One kind does not pass for another, nor for an integer, and neither way by itself.
static_assert(!std::is_convertible_v<std::uint32_t, plane_index>);
static_assert(!std::is_convertible_v<plane_index, std::uint32_t>);
static_assert(!std::is_convertible_v<plane_index, block_index>);
static_assert(!std::is_constructible_v<block_index, plane_index>);
static_assert(!std::is_convertible_v<std::uint32_t, plane_set>);
static_assert(!std::is_invocable_v<decltype(&plane_set::contains), plane_set, lun_index>);

template <typename Index>
using item = decltype(std::declval<indexed<lun_index, int>&>()[std::declval<Index>()]);
template <typename Index, typename = void>
constexpr bool indexes = false;
template <typename Index>
constexpr bool indexes<Index, std::void_t<item<Index>>> = true;
static_assert(indexes<lun_index>);
static_assert(!indexes<plane_index> && !indexes<std::uint32_t>);

static_assert(sizeof(plane_index) == sizeof(std::uint32_t));
static_assert(std::is_trivially_copyable_v<plane_index>);

TEST_CASE("numbers of a kind are ordered and hashable")
{
    CHECK(page_index(2) < page_index(3));
    CHECK(page_index(3) >= page_index(3));
    CHECK(page_index(2).next() == page_index(3));
    CHECK(std::unordered_set<page_index>{page_index(2), page_index(2), page_index(5)}.size() == 2);
}

TEST_CASE("a set gives its members in ascending order")
{
    plane_set s;
    CHECK(s.empty());
    s.insert(plane_index(5));
    s.insert(plane_index(0));
    s.set(plane_index(3), true);
    CHECK(s.mask() == 0x29);
    CHECK(s.first() == plane_index(0));
    CHECK(s.size() == 3);
    CHECK(s.several());
    std::uint32_t seen = 0;
    for (const plane_index p : s) {
        seen = seen * 10 + p.value();
    }
    CHECK(seen == 35);
    s.erase(plane_index(3));
    CHECK_FALSE(s.contains(plane_index(3)));
    CHECK((s - plane_set::only(plane_index(5))) == plane_set(1));
    CHECK_FALSE(plane_set(4).several());
    CHECK(plane_set(1u << 31).size() == 1);
}

TEST_CASE("a vector by number knows its numbers")
{
    indexed<lun_index, int> v(3, 7);
    v[lun_index(2)] = 9;
    int sum = 0;
    for (const lun_index l : v.indices()) {
        sum += v[l];
    }
    CHECK(sum == 23);
    CHECK(v.index_of(v[lun_index(2)]) == lun_index(2));
    CHECK(v.has(lun_index(2)));
    CHECK_FALSE(v.has(lun_index(3)));
    v.fill(1);
    CHECK(v[lun_index(2)] == 1);
}

} // namespace common_index_test
