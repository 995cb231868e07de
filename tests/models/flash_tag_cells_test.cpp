// SPDX-License-Identifier: Apache-2.0
//
// Tags come back in every form that claims to keep them, and the least form is taken. Expected
// values are worked by hand.
#include <catch2/catch.hpp>
#include <vector>

#include "models/flash/die/tag_cells.h"

namespace flash_tag_cells_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

using numbers = std::vector<std::uint64_t>;

/// Tags of units of `sectors` each: unit i of the drive in version `version[i]`.
numbers tags_of(const numbers& units, std::uint32_t sectors, const numbers& version)
{
    numbers tags;
    for (std::size_t i = 0; i < units.size(); ++i) {
        for (std::uint32_t k = 0; k < sectors; ++k) {
            tags.push_back(make_tag(units[i] * sectors + k, version[i]));
        }
    }
    return tags;
}

/// A page of units that are `distance` from their tags.
struct page_of {
    std::uint64_t distance;
    numbers units;
    std::uint32_t sectors;
};

numbers back(const tag_cells& t, tag_form form, const page_of& page, const unsigned char* from)
{
    numbers tags;
    for (std::uint32_t at = 0; at < page.sectors; ++at) {
        const std::uint32_t piece = at / t.piece_sectors(form);
        const std::uint64_t word = form == tag_form::runs ? 0 : page.units[t.unit_of(piece)];
        const tag_run run = t.get(from, form, page.distance, piece, word);
        tags.push_back(run[at % t.piece_sectors(form)]);
    }
    return tags;
}

/// The least form of the page, after it has come back in this form and all above it.
tag_form kept(tag_cells& t, std::uint64_t distance, const numbers& units, const numbers& tags)
{
    const tag_form form = t.least(t.least(), distance, units.data(), tags.data());
    for (tag_form f = form;; f = static_cast<tag_form>(static_cast<int>(f) + 1)) {
        std::vector<unsigned char> cells(t.bytes(f), 0xEE);
        const std::uint32_t pooled = t.put(cells.data(), f, tags.data());
        CHECK(t.pooled_pieces() == pooled);
        const page_of page = {distance, units, static_cast<std::uint32_t>(tags.size())};
        CHECK(back(t, f, page, cells.data()) == tags);
        CHECK(t.release(cells.data(), f) == pooled);
        CHECK(t.pooled_pieces() == 0);
        if (f == tag_form::runs) {
            return form;
        }
    }
}

} // namespace

TEST_CASE("tag cells: tags follow the words of their units, of any kind and in any order")
{
    const std::uint64_t kind = 1ull << 36;
    for (const std::uint32_t sectors : {1u, 4u, 8u, 32u}) {
        INFO(sectors << " sectors per unit");
        tag_cells t(4 * sectors, 4);
        const numbers units = {900, 17, 3, 1'000'000'000};
        const numbers words = {kind | 900, kind | 17, kind | 3, kind | 1'000'000'000};
        std::uint64_t distance = 0;
        const numbers tags = tags_of(units, sectors, {5, 5, 5, 5});
        t.learn(distance, words.data(), tags.data());
        // Bit 36 of a word, times sectors: what is beyond 64 bits of the tag falls off.
        CHECK(distance == 5 - (kind * sectors << tag_version_bits));
        CHECK(kept(t, distance, words, tags) == tag_form::followed);
        CHECK(kept(t, distance, {kind | 900, 0, 0, kind | 3},
                   tags_of({900, 0, 0, 3}, sectors, {5, 0, 0, 5})) == tag_form::followed);
        CHECK(t.bytes(tag_form::followed) == 0);
        CHECK(kept(t, distance, words, tags_of(units, sectors, {5, 6, 0, tag_version_mask})) ==
              tag_form::versions);
        CHECK(kept(t, distance, words, tags_of({900, 17, 4, 5}, sectors, {5, 5, 5, 5})) ==
              tag_form::runs);
    }
}

TEST_CASE("tag cells: pieces of several versions and pages in part erased need no larger form")
{
    tag_cells t(32, 4);
    const numbers words = {10, 11, 12, 13};
    numbers tags = tags_of(words, 8, {1, 1, 1, 1});
    std::uint64_t distance = 0;
    t.learn(distance, words.data(), tags.data());
    tags[9] += 1; // of unit 11, in version 2
    for (std::size_t i = 16; i < 24; ++i) {
        tags[i] = ~std::uint64_t{0};
    }
    CHECK(kept(t, distance, words, tags) == tag_form::versions);
    CHECK(t.bytes(tag_form::versions) == 4 * 4);
    CHECK(t.bytes(tag_form::runs) == 4 * 8);
}

TEST_CASE("tag cells: pages whose units are no number of sectors keep runs of 4 KiB")
{
    tag_cells t(12, 1); // 6 KiB: a run of 8 sectors and one of 4
    CHECK(t.least() == tag_form::runs);
    CHECK(t.bytes(tag_form::runs) == 16);
    numbers tags = tags_of({3}, 12, {9});
    CHECK(kept(t, 0, {3}, tags) == tag_form::runs);
    tags[9] = make_tag(500, 2);
    CHECK(kept(t, 0, {3}, tags) == tag_form::runs);
    CHECK(tag_cells(32, 0).least() == tag_form::runs);
}

} // namespace flash_tag_cells_test
