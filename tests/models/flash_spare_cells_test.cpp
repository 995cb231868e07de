// SPDX-License-Identifier: Apache-2.0
//
// Out-of-band words: each comes back in every form that claims to keep it, and the least form is
// taken. Expected values are worked by hand.
#include <catch2/catch.hpp>
#include <vector>

#include "models/flash/die/spare_cells.h"

namespace flash_spare_cells_test {

using namespace ssdvp::flash;

namespace {

using words = std::vector<std::uint64_t>;

constexpr spare_form lowest = {first_form::checksum, unit_form::counted};

/// A page with checksum `sum` and number `n` in its first word, as 0xA1 + the sum << 8 + n << 24.
std::uint64_t first_word(std::uint64_t n, std::uint64_t sum)
{
    return n << 24 | sum << 8 | 0xA1;
}

bool same(const spare_form& a, const spare_form& b)
{
    return a.first == b.first && a.units == b.units;
}

words back(const spare_cells& s, const spare_form& f, const spare_rule& rule, page_index page,
           const words& w)
{
    std::vector<unsigned char> first(8, 0xEE);
    std::vector<unsigned char> units(s.bytes(f.units) + 1, 0xEE);
    spare_cells::put_first(first.data(), f.first, w[0]);
    s.put_units(units.data(), f.units, w.data() + 1);
    CHECK(units.back() == 0xEE);
    words b = {spare_cells::first(first.data(), f.first, rule, page)};
    for (std::uint32_t i = 0; i < s.units(); ++i) {
        b.push_back(spare_cells::unit(units.data(), f.units, rule, page, i));
    }
    return b;
}

} // namespace

TEST_CASE("spare cells: words that follow the rule of their block cost the checksum alone")
{
    const spare_cells s(24); // a first word and two units
    CHECK(s.words() == 3);
    CHECK(s.bytes(first_form::checksum) == 2);
    CHECK(s.bytes(unit_form::counted) == 0);
    spare_rule rule{};
    s.begin(rule, words{first_word(100, 0x1234), 1000, 1001}.data());
    s.set_steps(rule, words{first_word(116, 0xFFFF), 1064, 1065}.data());
    CHECK(rule.first == first_word(100, 0));
    CHECK(rule.first_step == std::uint64_t{16} << 24);
    CHECK(rule.unit_step == 64);
    const words page5 = {first_word(100 + 5 * 16, 0xBEEF), 1320, 1321};
    CHECK(same(s.least(lowest, rule, page_index(5), page5.data()), lowest));
    CHECK(back(s, lowest, rule, page_index(5), page5) == page5);
}

TEST_CASE("spare cells: each step away from the rule costs the next form, and no other word's")
{
    const spare_cells s(24);
    spare_rule rule{};
    s.begin(rule, words{first_word(100, 1), 7ull << 36 | 1000, 7ull << 36 | 1001}.data());
    struct row {
        words page;
        spare_form least;
    };
    const std::uint64_t kind = 7ull << 36;
    for (const row& r : {
             row{{first_word(101, 1), kind | 1000, kind | 1001},
                 {first_form::number, unit_form::counted}},
             row{{first_word(0xFFFFFFFF, 1), kind | 1000, kind | 1001},
                 {first_form::number, unit_form::counted}},
             row{{first_word(1ull << 32, 1), kind | 1000, kind | 1001},
                 {first_form::whole, unit_form::counted}},
             row{{first_word(100, 1) + 1, kind | 1000, kind | 1001},
                 {first_form::whole, unit_form::counted}},
             row{{first_word(100, 1), kind | 1000, kind | 1002},
                 {first_form::checksum, unit_form::numbers}},
             row{{first_word(100, 1), kind | 0xFFFFFFFE, 0},
                 {first_form::checksum, unit_form::numbers}},
             row{{first_word(100, 1), kind | 1000, kind | 0xFFFFFFFF},
                 {first_form::checksum, unit_form::whole}},
             row{{first_word(100, 1), kind | 1000, 1001}, {first_form::checksum, unit_form::whole}},
         }) {
        const spare_form f = s.least(lowest, rule, page_index(0), r.page.data());
        CHECK(same(f, r.least));
        CHECK(back(s, f, rule, page_index(0), r.page) == r.page);
        const spare_form most = {first_form::whole, unit_form::whole};
        CHECK(same(s.least(most, rule, page_index(0), r.page.data()), most));
        CHECK(back(s, most, rule, page_index(0), r.page) == r.page);
    }
    CHECK(s.bytes(first_form::number) == 6);
    CHECK(s.bytes(first_form::whole) == 8);
    CHECK(s.bytes(unit_form::numbers) == 8);
    CHECK(s.bytes(unit_form::whole) == 16);
}

TEST_CASE("spare cells: bytes that are no whole words count as a word that ends with zeros")
{
    CHECK(spare_cells(0).words() == 0);
    CHECK(spare_cells(0).bytes(first_form::whole) == 0);
    CHECK(spare_cells(4).words() == 1);
    CHECK(spare_cells(4).units() == 0);
    CHECK(spare_cells(17).units() == 2);
}

} // namespace flash_spare_cells_test
