// SPDX-License-Identifier: Apache-2.0
//
// Words and tags of blocks: what was programmed comes back whatever the pages before and after it
// were like, and a block takes what its pages need.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "models/flash/die/packed_pages.h"

namespace flash_packed_pages_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint32_t pages = 64;
constexpr std::uint32_t units = 4;
constexpr std::uint32_t sectors = 8 * units;

struct page {
    std::vector<std::uint64_t> words = std::vector<std::uint64_t>(1 + units);
    std::vector<std::uint64_t> tags = std::vector<std::uint64_t>(sectors);

    void set(std::uint32_t i, std::uint64_t unit, std::uint64_t version)
    {
        words[1 + i] = 1ull << 36 | unit;
        for (std::uint32_t k = 0; k < 8; ++k) {
            tags[8 * i + k] = make_tag(unit * 8 + k, version);
        }
    }
};

/// The n-th page of a sequential stream whose pages go to 16 places in turn.
page in_order(std::uint64_t n, std::uint64_t checksum)
{
    page p;
    p.words[0] = (1000 + 16 * n) << 24 | checksum << 8 | 0xA1;
    for (std::uint32_t i = 0; i < units; ++i) {
        p.set(i, 16 * units * n + i, 1);
    }
    return p;
}

die_config part(page_order order = page_order::sequential)
{
    die_config c;
    c.geo = {1, 4, pages, sectors * sector_size, 64};
    c.stored_oob = 8 * (1 + units);
    c.order = order;
    return c;
}

void program(packed_pages& p, packed_block& b, std::uint32_t at, const page& from)
{
    p.program(b, page_index(at), {from.words.data(), from.tags.data()});
}

page read(const packed_pages& p, const packed_block& b, std::uint32_t at)
{
    page back;
    const page_index i(at);
    p.read_oob(b, i, reinterpret_cast<unsigned char*>(back.words.data()), 8 * (1 + units));
    std::vector<unsigned char> bytes(sectors * sector_size);
    p.read_tags(b, {i, 0, sectors * sector_size}, bytes.data());
    for (std::uint32_t s = 0; s < sectors; ++s) {
        std::memcpy(&back.tags[s], &bytes[s * sector_size], tag_size);
    }
    return back;
}

bool same(const page& a, const page& b)
{
    return a.words == b.words && a.tags == b.tags;
}

/// A page that leaves the order in one of many ways, or none.
page some_page(std::mt19937_64& random, std::uint64_t n)
{
    page p = in_order(n, random() % 65536);
    const auto i = static_cast<std::uint32_t>(random() % units);
    switch (random() % 24) {
    case 0:
        p.words[0] += random() % 4096 << 24;
        break;
    case 1:
        p.words[0] = random();
        break;
    case 2:
        p.set(i, random() % 1'000'000, 1);
        break;
    case 3:
        p.set(i, random() % 1'000'000, 1 + random() % 3);
        break;
    case 4: // padding
        p.words[1 + i] = 0;
        std::fill_n(p.tags.begin() + 8 * i, 8, 0);
        break;
    case 5: // nothing but metadata, which is kept elsewhere
        p = page();
        p.words[0] = n << 24;
        break;
    case 6:
        p.words[1 + i] = random();
        break;
    case 7:
        p.tags[random() % sectors] = random() % 3 == 0 ? ~0ull : random();
        break;
    default:
        break;
    }
    return p;
}

} // namespace

TEST_CASE("packed pages: a block in the order of addresses takes two bytes per page")
{
    packed_pages p(part());
    packed_block b{};
    for (std::uint32_t i = 0; i < pages; ++i) {
        program(p, b, i, in_order(i, i * 997 % 65536));
    }
    CHECK(p.bytes() == pages * 2);
    for (std::uint32_t i = 0; i < pages; ++i) {
        CHECK(same(read(p, b, i), in_order(i, i * 997 % 65536)));
    }
}

TEST_CASE("packed pages: numbers take 4 bytes per unit, versions 4 more, and a block moves once")
{
    std::mt19937_64 random(5);
    for (const bool versions : {false, true}) {
        packed_pages p(part());
        packed_block b{};
        std::vector<page> all;
        for (std::uint32_t i = 0; i < pages; ++i) {
            all.push_back(in_order(i, random() % 65536));
            for (std::uint32_t u = 0; u < units && i != 0; ++u) {
                all[i].set(u, random() % (1u << 31), versions ? 1 + random() % 100 : 1);
            }
            program(p, b, i, all[i]);
        }
        const std::uint64_t of_page = 2 + units * 4 + (versions ? units * 4 : 0);
        CHECK(p.bytes() == pages * of_page); // the first page alone was in order
        for (std::uint32_t i = 0; i < pages; ++i) {
            REQUIRE(same(read(p, b, i), all[i]));
        }
        packed_block next{};
        program(p, next, 0, in_order(0, 1));
        CHECK(p.bytes() == pages * (of_page + 2));
    }
}

TEST_CASE("packed pages: what an early page needs is not lost when a later one moves its block")
{
    // Steps that only a block of the least form can hold: from page 1 on every bit is another.
    packed_pages p(part());
    packed_block b{};
    std::vector<page> all(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
        all[i] = in_order(i, i);
        all[i].words[0] += std::uint64_t{i} << 60;
        all[i].words[1] += std::uint64_t{i} << 50;
        for (std::uint32_t u = 2; u <= units; ++u) {
            all[i].words[u] = all[i].words[1] + u - 1;
        }
    }
    all[2].words[0] = in_order(2, 2).words[0] + (1ull << 24);
    all[2].words[2] = 5;
    for (std::uint32_t i = 0; i < 3; ++i) {
        program(p, b, i, all[i]);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(same(read(p, b, i), all[i]));
    }
}

TEST_CASE("packed pages: zeros before the first tag stay zeros")
{
    packed_pages p(part());
    packed_block b{};
    page zeros = in_order(0, 1);
    zeros.tags.assign(sectors, 0);
    program(p, b, 0, zeros);
    program(p, b, 1, in_order(1, 2));
    CHECK(same(read(p, b, 0), zeros));
    CHECK(same(read(p, b, 1), in_order(1, 2)));
}

TEST_CASE("packed pages: pages of all kinds come back, until their block is erased")
{
    for (const page_order order : {page_order::sequential, page_order::any}) {
        packed_pages p(part(order));
        std::mt19937_64 random(7);
        std::uint64_t held = 0;
        for (int round = 0; round < 300; ++round) {
            std::vector<std::uint32_t> places(pages);
            for (std::uint32_t i = 0; i < pages; ++i) {
                places[i] = i;
            }
            if (order == page_order::any && round % 2 == 0) {
                std::shuffle(places.begin(), places.end(), random);
            }
            places.resize(1 + random() % pages);
            packed_block b{};
            std::map<std::uint32_t, page> all;
            for (const std::uint32_t at : places) {
                all[at] = some_page(random, at);
                program(p, b, at, all[at]);
            }
            CHECK(b.programmed == places.size());
            for (std::uint32_t i = 0; i < pages; ++i) {
                REQUIRE(p.holds(b, page_index(i)) == (all.count(i) != 0));
                if (all.count(i) != 0) {
                    REQUIRE(same(read(p, b, i), all[i]));
                }
            }
            p.erase(b);
            CHECK(p.tags().pooled_pieces() == 0);
            CHECK_FALSE(p.holds(b, page_index(0)));
            held = round == 150 ? p.bytes() : held;
        }
        CHECK(p.bytes() <= held + held / 4); // one block at a time: its memory is used again
    }
}

} // namespace flash_packed_pages_test
