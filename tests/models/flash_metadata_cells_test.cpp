// SPDX-License-Identifier: Apache-2.0
//
// Pages that are kept whole: every byte comes back, in any piece, and what counts up takes little.
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "models/flash/die/metadata_cells.h"

namespace flash_metadata_cells_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

constexpr std::uint32_t page_size = 4096;
using bytes = std::vector<unsigned char>;

/// Lines of 16 entries: the first `raw` of them are anything, the others count up from anything.
bytes map_page(std::uint32_t raw, std::mt19937& random)
{
    bytes page(page_size);
    for (std::uint32_t at = 0; at < page_size; at += 4) {
        const bool begins = at % 64 == 0 || at / 64 < raw;
        std::uint32_t entry = static_cast<std::uint32_t>(random());
        if (!begins) {
            std::memcpy(&entry, &page[at - 4], 4);
            ++entry;
        }
        std::memcpy(&page[at], &entry, 4);
    }
    return page;
}

void check_all_pieces(const metadata_cells& m, std::uint32_t number, const bytes& page)
{
    for (const auto& [column, length] : {std::pair<std::uint32_t, std::uint32_t>{0, page_size},
                                         {0u, 512u},
                                         {512u, 1024u},
                                         {100u, 7u},
                                         {63u, 130u},
                                         {page_size - 1, 1u}}) {
        bytes part(length, 0xAB);
        m.read(number, {page_index(0), column, length}, data_form::bytes, part.data());
        CHECK(part == bytes(page.begin() + column, page.begin() + column + length));
    }
    bytes tags(page_size, 0xAB);
    m.read(number, {page_index(0), 0, page_size}, data_form::tags, tags.data());
    for (std::uint32_t at = 0; at < page_size; ++at) {
        REQUIRE(tags[at] == (at % sector_size < tag_size ? page[at] : 0xAB));
    }
}

} // namespace

TEST_CASE("metadata cells: a page whose entries count up takes a sixteenth and its kinds of lines")
{
    std::mt19937 random(3);
    metadata_cells m(page_size);
    const bytes page = map_page(0, random);
    const std::uint32_t number = m.keep(page.data());
    CHECK(m.bytes() == page_size / 16 + page_size / 64 / 4);
    check_all_pieces(m, number, page);
}

TEST_CASE("metadata cells: pages in part in order, empty ones and any others come back")
{
    std::mt19937 random(4);
    for (const std::uint32_t raw : {0u, 1u, 5u, 13u, 14u, 40u, 64u}) {
        INFO(raw << " lines that do not count up");
        metadata_cells m(page_size);
        const bytes page = map_page(raw, random);
        const std::uint32_t number = m.keep(page.data());
        // 16 bytes of kinds, raw lines and 4 bytes of each other: up to 1 KiB, or all of it.
        const std::uint32_t packed = 16 + 64 * raw + 4 * (64 - raw);
        CHECK(m.bytes() == (raw == 0 ? 272 : packed <= 1024 ? 1024 : page_size));
        check_all_pieces(m, number, page);
        m.release(number);
        CHECK(m.keep(page.data()) == number);
    }
    metadata_cells m(page_size);
    for (const int filler : {0x00, 0xFF, 0x5A}) {
        const bytes page(page_size, static_cast<unsigned char>(filler));
        check_all_pieces(m, m.keep(page.data()), page);
    }
    CHECK(m.bytes() == 3 * 272);
}

} // namespace flash_metadata_cells_test
