// SPDX-License-Identifier: Apache-2.0
//
// The store gives back what was programmed, in each data mode, and costs what it promises.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "models/flash/die/store.h"

namespace flash_store_test {

using namespace ssdvp;
using namespace ssdvp::flash;

namespace {

die_config part(data_mode mode, std::uint32_t page_size, std::uint32_t pages = 4)
{
    die_config c;
    c.geo = {1, 4, pages, page_size, 64};
    c.data = mode;
    return c;
}

/// Page image with tags at its sectors; `value(i)` is the tag of sector i.
template <typename Value>
std::vector<unsigned char> tagged(std::uint32_t page_size, Value value)
{
    std::vector<unsigned char> page(page_size);
    for (std::uint32_t i = 0; i < page_size / sector_size; ++i) {
        const std::uint64_t tag = value(i);
        std::memcpy(page.data() + i * sector_size, &tag, sizeof tag);
    }
    return page;
}

std::uint64_t tag_at(const std::vector<unsigned char>& page, std::uint32_t sector)
{
    std::uint64_t tag = 0;
    std::memcpy(&tag, page.data() + sector * sector_size, sizeof tag);
    return tag;
}

void program(store& s, std::uint32_t block, std::uint32_t page,
             const std::vector<unsigned char>& data, data_form form)
{
    page_register r(static_cast<std::uint32_t>(data.size()), 16);
    r.begin(form);
    r.put_data(0, data.data(), static_cast<std::uint32_t>(data.size()));
    const std::array<unsigned char, 3> oob = {1, 2, static_cast<unsigned char>(page)};
    r.put_oob(oob.data(), 3);
    s.program(lun_block_index(block), page_index(page), r);
}

std::vector<unsigned char> read(const store& s, std::uint32_t block, std::uint32_t page,
                                std::uint32_t size, data_form form)
{
    std::vector<unsigned char> out(size, 0xAB);
    s.read_data(lun_block_index(block), {page_index(page), 0, size}, form, out.data());
    return out;
}

} // namespace

TEST_CASE("tag mode gives back counting, zero, mixed and erased tags at every page size")
{
    for (const std::uint32_t size : {512u, 2048u, 4096u, 6144u, 16384u}) {
        INFO("page size " << size);
        store s(part(data_mode::tag, size));
        const auto check = [&](std::uint32_t page, auto value) {
            program(s, 1, page, tagged(size, value), data_form::tags);
            const auto back = read(s, 1, page, size, data_form::tags);
            for (std::uint32_t i = 0; i < size / sector_size; ++i) {
                REQUIRE(tag_at(back, i) == value(i));
                REQUIRE(back[i * sector_size + tag_size] == 0xAB); // nothing but the tag moved
            }
        };
        check(0, [](std::uint32_t i) { return make_tag(1000 + i, 7); });
        CHECK(s.overflow_runs() == 0);
        check(1, [](std::uint32_t) { return std::uint64_t{0}; });
        CHECK(s.overflow_runs() == 0);
        // Versions differ: no arithmetic. A run of one sector always counts up.
        check(2, [](std::uint32_t i) { return make_tag(1000 + i, 1 + i % 3); });
        CHECK(s.overflow_runs() == (size == 512 ? 0 : (size + 4095) / 4096));
        check(3, [](std::uint32_t i) { return i % 2 == 0 ? std::uint64_t{5} << 24 : ~0ull; });
        s.erase(lun_block_index(1));
        CHECK(s.overflow_runs() == 0);
        CHECK(tag_at(read(s, 1, 0, size, data_form::tags), 0) == ~0ull);
    }
}

TEST_CASE("a slice of a page is what lies there")
{
    store s(part(data_mode::tag, 16384));
    program(s, 0, 0, tagged(16384, [](std::uint32_t i) { return make_tag(i, 3); }),
            data_form::tags);
    std::vector<unsigned char> out(2048);
    s.read_data(lun_block_index(0), {page_index(0), 3 * 512, 2048}, data_form::tags, out.data());
    CHECK(tag_at(out, 0) == make_tag(3, 3));
    CHECK(tag_at(out, 3) == make_tag(6, 3));
    s.read_data(lun_block_index(0), {page_index(0), 6 * 512, 2048}, data_form::tags,
                out.data()); // over a run's end
    CHECK(tag_at(out, 1) == make_tag(7, 3));
    CHECK(tag_at(out, 2) == make_tag(8, 3));
}

TEST_CASE("full mode keeps every byte, none keeps none")
{
    std::vector<unsigned char> page(4096);
    for (std::size_t i = 0; i < page.size(); ++i) {
        page[i] = static_cast<unsigned char>(i * 31 + 7);
    }
    store full(part(data_mode::full, 4096));
    program(full, 2, 0, page, data_form::bytes);
    CHECK(read(full, 2, 0, 4096, data_form::bytes) == page);
    CHECK(read(full, 2, 1, 4096, data_form::bytes) == std::vector<unsigned char>(4096, 0xFF));

    store none(part(data_mode::none, 4096));
    program(none, 2, 0, page, data_form::nothing);
    CHECK(read(none, 2, 0, 4096, data_form::nothing) == std::vector<unsigned char>(4096, 0xAB));
}

TEST_CASE("metadata pages keep every byte in reduced modes until the erase")
{
    for (const data_mode mode : {data_mode::none, data_mode::tag}) {
        store s(part(mode, 4096));
        std::vector<unsigned char> page(4096, 0x5A);
        program(s, 0, 0, page, data_form::bytes);
        program(s, 0, 1, page, form_of(mode));
        const std::uint64_t with_page = s.bytes();
        CHECK(read(s, 0, 0, 4096, data_form::bytes) == page);
        s.erase(lun_block_index(0));
        CHECK(s.bytes() == with_page - 4096);
        CHECK(read(s, 0, 0, 4096, data_form::bytes) == std::vector<unsigned char>(4096, 0xFF));
    }
}

TEST_CASE("out-of-band bytes are kept in every mode, what was not written reads FFh")
{
    for (const data_mode mode : {data_mode::none, data_mode::tag, data_mode::full}) {
        store s(part(mode, 512));
        std::array<unsigned char, 16> oob{};
        s.read_oob(lun_block_index(3), page_index(0), oob.data(), 16);
        CHECK(oob[0] == 0xFF);
        program(s, 3, 0, std::vector<unsigned char>(512), form_of(mode));
        program(s, 3, 1, std::vector<unsigned char>(512), form_of(mode));
        s.read_oob(lun_block_index(3), page_index(1), oob.data(), 16);
        CHECK(oob[0] == 1);
        CHECK(oob[2] == 1);
        CHECK(oob[3] == 0xFF);
        s.erase(lun_block_index(3));
        s.read_oob(lun_block_index(3), page_index(1), oob.data(), 16);
        CHECK(oob[0] == 0xFF);
    }
}

TEST_CASE("memory grows with the blocks touched and is used again after an erase")
{
    store s(part(data_mode::tag, 16384));
    const std::uint64_t empty = s.bytes();
    const auto page = tagged(16384, [](std::uint32_t i) { return make_tag(i, 1); });
    program(s, 0, 0, page, data_form::tags);
    const std::uint64_t one = s.bytes();
    CHECK(one - empty == 4 * (16 + 4 * 8));
    program(s, 0, 1, page, data_form::tags);
    CHECK(s.bytes() == one);
    s.erase(lun_block_index(0));
    program(s, 2, 0, page, data_form::tags);
    CHECK(s.bytes() == one);
}

TEST_CASE("a full 1 TB drive with data none needs at most 1.05 GB")
{
    die_config c = part(data_mode::none, 16384, 2304);
    // One LUN of 64 that make 1 TB: all counters scale with the LUNs.
    const std::uint64_t blocks = 1000ull * 1000 * 1000 * 1000 / 64 / (2304 * 16384) + 1;
    c.geo.blocks_per_plane = static_cast<std::uint32_t>(blocks);
    store s(c);
    page_register r(16384, 16);
    r.begin(data_form::nothing);
    for (std::uint32_t block = 0; block < blocks; ++block) {
        for (std::uint32_t page = 0; page < 2304; page += 2303) { // first and last
            s.program(lun_block_index(block), page_index(page), r);
        }
    }
    CHECK(s.bytes() * 64 <= 1050ull * 1000 * 1000);
    CHECK(s.bytes() * 64 >= 900ull * 1000 * 1000); // the measure is not empty
}

TEST_CASE("with any page order the pages between programmed ones read erased, in every data mode")
{
    for (const data_mode mode : {data_mode::none, data_mode::tag, data_mode::full}) {
        die_config c = part(mode, 4096, 12);
        c.order = page_order::any;
        c.stored_oob = mode == data_mode::none ? 0 : 16;
        store s(c);
        const data_form form = form_of(mode);
        const auto mixed = tagged(4096, [](std::uint32_t i) { return make_tag(9 - i, 7); });
        program(s, 1, 9, mixed, form);
        program(s, 1, 4, mixed, form);
        CHECK(s.programmed(lun_block_index(1)) == 2);
        for (std::uint32_t page = 0; page < 12; ++page) {
            REQUIRE(s.holds(lun_block_index(1), page_index(page)) == (page == 4 || page == 9));
            REQUIRE_FALSE(s.holds(lun_block_index(2), page_index(page)));
            unsigned char oob = 0;
            s.read_oob(lun_block_index(1), page_index(page), &oob, mode == data_mode::none ? 0 : 1);
            REQUIRE(oob == (mode == data_mode::none                         ? 0
                            : s.holds(lun_block_index(1), page_index(page)) ? 1
                                                                            : 0xFF));
            const auto back = read(s, 1, page, 4096, form);
            if (mode != data_mode::none) {
                REQUIRE(tag_at(back, 3) ==
                        (s.holds(lun_block_index(1), page_index(page)) ? make_tag(6, 7) : ~0ull));
            }
        }
        CHECK(s.overflow_runs() == (mode == data_mode::tag ? 2 : 0));
        s.erase(
            lun_block_index(1)); // gives back what out of the pool its pages held, and only that
        CHECK(s.overflow_runs() == 0);
        program(s, 2, 11, mixed, form); // memory of the block before
        REQUIRE_FALSE(s.holds(lun_block_index(2), page_index(9)));
    }
}

TEST_CASE("any page order costs a bit per page, of the blocks that hold something")
{
    die_config c = part(data_mode::tag, 4096, 64);
    store in_order(c);
    c.order = page_order::any;
    store any(c);
    CHECK(any.bytes() == in_order.bytes());
    const auto page = tagged(4096, [](std::uint32_t i) { return make_tag(i, 1); });
    program(in_order, 1, 0, page, data_form::tags);
    program(any, 1, 0, page, data_form::tags);
    CHECK(any.bytes() == in_order.bytes() + 64 / 8);
}

TEST_CASE("what the plan of a run counts for the cells holds all that they come to take")
{
    struct row {
        data_mode mode;
        data_form form;
    };
    for (const auto& [mode, form] :
         {row{data_mode::none, data_form::nothing}, row{data_mode::tag, data_form::tags},
          row{data_mode::tag, data_form::bytes}, // metadata
          row{data_mode::full, data_form::bytes}}) {
        INFO("mode " << static_cast<int>(mode) << ", form " << static_cast<int>(form));
        die_config c = part(mode, 4096, 64);
        c.geo.blocks_per_plane = 100;
        c.stored_oob = 40;
        store s(c);
        const std::uint64_t pages = 100 * 64;
        // No tags and no spare words count up: both go to their pools.
        const auto mixed = tagged(4096, [](std::uint32_t i) { return make_tag(9 - i, 7); });
        std::vector<unsigned char> oob(40);
        page_register r(4096, 40);
        for (std::uint64_t i = 0; i < pages; ++i) {
            r.begin(form);
            r.put_data(0, mixed.data(), 4096);
            oob[8] = static_cast<unsigned char>(i % 7 + 3);
            r.put_oob(oob.data(), 40);
            s.program(lun_block_index(i / 64), page_index(i % 64), r);
        }
        const bool metadata = mode == data_mode::tag && form == data_form::bytes;
        const std::uint64_t planned =
            store::address_space(c, {100, pages, !metadata, metadata ? pages : 0});
        const std::uint64_t chunk = 2u << 20; // of cells: the last one is not used up
        CHECK(planned >= s.bytes());
        CHECK(planned <= s.bytes() + s.bytes() / 4 + chunk);
    }
}

} // namespace flash_store_test
