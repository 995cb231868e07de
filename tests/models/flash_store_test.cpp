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
        CHECK(s.pooled_pieces() == 0);
        check(1, [](std::uint32_t) { return std::uint64_t{0}; });
        CHECK(s.pooled_pieces() == 0);
        // Versions differ: no arithmetic. A run of one sector always counts up.
        check(2, [](std::uint32_t i) { return make_tag(1000 + i, 1 + i % 3); });
        CHECK(s.pooled_pieces() == (size == 512 ? 0 : (size + 4095) / 4096));
        check(3, [](std::uint32_t i) { return i % 2 == 0 ? std::uint64_t{5} << 24 : ~0ull; });
        s.erase(lun_block_index(1));
        CHECK(s.pooled_pieces() == 0);
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
        CHECK(read(s, 0, 0, 4096, data_form::bytes) == std::vector<unsigned char>(4096, 0xFF));
        program(s, 1, 0, page, data_form::bytes); // in the memory of the page before
        CHECK(s.bytes() <= with_page);
        CHECK(read(s, 1, 0, 4096, data_form::bytes) == page);
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
    CHECK(one - empty == 64); // a line for the 4 checksums
    program(s, 0, 1, page, data_form::tags);
    CHECK(s.bytes() == one);
    s.erase(lun_block_index(0));
    program(s, 2, 0, page, data_form::tags);
    CHECK(s.bytes() == one);
}

TEST_CASE("a full 1 TB drive takes what tells its pages apart")
{
    struct row {
        data_mode mode;
        bool in_order;
        std::uint64_t version_max;
        double gb_max;
    };
    for (const row& r : {row{data_mode::none, true, 1, 0.13}, row{data_mode::tag, true, 1, 0.13},
                         row{data_mode::none, false, 1, 1.11}, row{data_mode::tag, false, 1, 1.11},
                         row{data_mode::tag, false, 1000, 2.09}}) {
        INFO("mode " << static_cast<int>(r.mode) << ", most GB " << r.gb_max);
        // Some blocks of one LUN: all that is counted scales with them.
        constexpr std::uint32_t blocks = 16;
        constexpr std::uint32_t pages = 2304;
        die_config c = part(r.mode, 16384, pages);
        c.geo.blocks_per_plane = blocks;
        c.stored_oob = 40;
        store s(c);
        page_register page(16384, 40);
        std::uint64_t state = 1;
        for (std::uint64_t i = 0; i < std::uint64_t{blocks} * pages; ++i) {
            page.begin(form_of(r.mode));
            std::array<std::uint64_t, 5> words = {i << 24 | (i * 40503 % 65536) << 8 | 0xA1};
            for (std::uint32_t u = 0; u < 4; ++u) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                const std::uint64_t unit = r.in_order ? 4 * i + u : state >> 36;
                const std::uint64_t version = 1 + (state >> 16) % r.version_max;
                words[1 + u] = 1ull << 36 | unit;
                page.put_data(
                    u * 4096,
                    tagged(4096, [&](std::uint32_t k) { return make_tag(unit * 8 + k, version); })
                        .data(),
                    4096);
            }
            page.put_oob(reinterpret_cast<const unsigned char*>(words.data()), 40);
            s.program(lun_block_index(i / pages), page_index(i % pages), page);
        }
        const double drive = 1e12 / (double{blocks} * pages * 16384);
        CHECK(static_cast<double>(s.bytes()) * drive <= r.gb_max * 1e9);
        CHECK(static_cast<double>(s.bytes()) * drive >= 0.9 * r.gb_max * 1e9);
    }
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
        CHECK(s.pooled_pieces() == (mode == data_mode::tag ? 2 : 0));
        s.erase(
            lun_block_index(1)); // gives back what out of the pool its pages held, and only that
        CHECK(s.pooled_pieces() == 0);
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
    CHECK(any.bytes() == in_order.bytes() + 64); // 8 bytes, in a line of their own
}

TEST_CASE("what the plan of a run counts for the cells holds all that they come to take")
{
    struct row {
        data_mode mode;
        data_form form;
        bool pooled;
        cells_in_use used;
    };
    constexpr std::uint32_t pages = 64 * 100;
    for (const row& r : {row{data_mode::none, data_form::nothing, true, {100, pages, 0, 0, 0}},
                         row{data_mode::tag, data_form::tags, false, {100, pages, pages, 0, 0}},
                         row{data_mode::tag, data_form::tags, true, {100, pages, pages, pages, 0}},
                         row{data_mode::tag, data_form::bytes, false, {100, pages, 0, 0, pages}},
                         row{data_mode::full, data_form::bytes, true, {100, pages, 0, 0, 0}}}) {
        INFO("mode " << static_cast<int>(r.mode) << ", form " << static_cast<int>(r.form));
        die_config c = part(r.mode, 4096, 64);
        c.geo.blocks_per_plane = 100;
        c.stored_oob = 16;
        store s(c);
        page_register page(4096, 16);
        for (std::uint64_t i = 0; i < pages; ++i) {
            page.begin(r.form);
            const std::array<std::uint64_t, 2> words = {i * i << 24, i * i % 10000};
            page.put_oob(reinterpret_cast<const unsigned char*>(words.data()), 16);
            auto data = tagged(4096, [&](std::uint32_t k) {
                return make_tag(i * i % 10000 * 8 + (r.pooled ? 9 - k : k), i % 7 + 1);
            });
            for (std::size_t k = 0; k < data.size() && r.form == data_form::bytes; ++k) {
                data[k] = static_cast<unsigned char>(k * k / 3); // no entries of a map in order
            }
            page.put_data(0, data.data(), 4096);
            s.program(lun_block_index(i / 64), page_index(i % 64), page);
        }
        const std::uint64_t planned = store::address_space(c, r.used);
        constexpr std::uint64_t chunk = 512u << 10; // of each kind: the last one is not used up
        CHECK(planned >= s.bytes());
        CHECK(planned <= s.bytes() + s.bytes() / 4 + 5 * chunk);
    }
}

} // namespace flash_store_test
