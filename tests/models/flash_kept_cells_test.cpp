// SPDX-License-Identifier: Apache-2.0
//
// What one set of cells keeps, another one finds again: every page, spare byte, erase count, bad
// and torn page and error, in each data mode; and both go on alike.
#include <catch2/catch.hpp>

#include "models/common/rng.h"
#include "models/flash/die/cell_array.h"
#include "tests/models/flash_numbers.h"
#include "tests/support/memory_archive.h"

namespace flash_kept_cells_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

constexpr std::uint32_t blocks = 24;
constexpr std::uint32_t pages = 12;
constexpr std::uint32_t page_size = 16384;
constexpr std::uint32_t spare = 40;

die_config part(data_mode mode, page_order order, bool errs)
{
    die_config c;
    c.geo = {2, blocks / 2, pages, page_size, 64};
    c.data = mode;
    c.order = order;
    c.stored_oob = spare;
    c.endurance = 1000;
    c.pe_cycles = 7;
    c.factory_bad_share = 0.1;
    c.erase.loops = 10;
    c.erase.loops_spread = 2.0;
    c.timing.tPROG = {500_us};
    c.shallow_retention = 1_us;
    c.timing.tPROG_shallow = 100_us;
    if (errs) {
        c.errors.rber = 1e-5;
        c.errors.read_disturb = 100.0;
        c.errors.block_spread = 0.2;
    }
    return c;
}

/// A life of random programs, erases, reads and cuts.
class life {
public:
    explicit life(std::uint64_t seed) : m_random(seed) {}

    void live(cell_array& cells, data_mode mode, int steps)
    {
        page_register page(page_size, spare);
        for (int step = 0; step < steps; ++step) {
            cell_address a = page_at(below(2), below(blocks / 2), below(pages));
            const std::uint32_t next = cells.programmed(a.plane, a.block);
            if (below(12) == 0) {
                below(20) == 0 ? cells.cut_erase(a) : void(cells.erase(a));
                continue;
            }
            if (cells.holds(a)) {
                (void)cells.sense(a, 0);
            }
            if (!m_any) {
                a.page = page_index(next);
            }
            if (a.page.value() >= pages || cells.holds(a) || cells.torn(a)) {
                continue;
            }
            fill(page, mode, a);
            program_way way;
            way.mode = below(6) == 0 ? FLASH_MODE_SHALLOW : FLASH_MODE_NORMAL;
            if (below(30) == 0) {
                cells.cut_program(a, page, way);
            } else {
                (void)cells.program(a, page, way);
            }
        }
    }
    void take_any_order() { m_any = true; }

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_random.below(n)); }
    /// By block: in order, scattered, of several versions, mixed, metadata.
    void fill(page_register& page, data_mode mode, const cell_address& a)
    {
        const std::uint32_t kind = a.block.value() % 5;
        const bool metadata = kind == 4 && below(2) == 0;
        page.begin(metadata ? data_form::bytes : form_of(mode));
        std::array<std::uint64_t, 5> words = {};
        words[0] = std::uint64_t{a.page.value() + (kind == 0 ? 0 : below(100))} << 24 | 0xA1;
        for (std::uint32_t u = 0; u < 4; ++u) {
            const std::uint64_t unit = kind == 0 ? 4 * a.page.value() + u : below(1u << 30);
            const std::uint64_t version = kind < 2 ? 1 : 1 + below(9);
            words[1 + u] = (kind == 4 ? std::uint64_t{below(3)} << 40 : 0) | unit;
            for (std::uint32_t k = 0; k < 8; ++k) {
                std::array<unsigned char, sector_size> sector{};
                const std::uint64_t tag = make_tag(unit * 8 + k, version + (kind == 3 ? k : 0));
                std::memcpy(sector.data(), &tag, sizeof tag);
                sector[17] = static_cast<unsigned char>(below(256));
                page.put_data((u * 8 + k) * sector_size, sector.data(), sector_size);
            }
        }
        page.put_oob(reinterpret_cast<const unsigned char*>(words.data()), spare);
    }

    rng m_random;
    bool m_any = false;
};

void same_page(cell_array& a, cell_array& b, const cell_address& at)
{
    REQUIRE(a.holds(at) == b.holds(at));
    REQUIRE(a.torn(at) == b.torn(at));
    std::array<std::vector<unsigned char>, 2> data;
    std::size_t i = 0;
    for (cell_array* c : {&a, &b}) {
        std::vector<unsigned char>& d = data.at(i++);
        d.assign(2 * page_size + spare, 0xAB);
        c->read_data(at, {at.page, 0, page_size}, data_form::bytes, d.data());
        c->read_data(at, {at.page, 0, page_size}, data_form::tags, d.data() + page_size);
        c->read_oob(at, d.data() + std::size_t{2} * page_size, spare);
    }
    REQUIRE(data[0] == data[1]);
    const page_noise x = a.sense(at, 0);
    const page_noise y = b.sense(at, 0);
    REQUIRE(x.rber == y.rber);
    REQUIRE(x.key == y.key);
    REQUIRE(x.torn == y.torn);
}

void same_cells(cell_array& a, cell_array& b)
{
    for (std::uint32_t n = 0; n < blocks; ++n) {
        const plane_index plane(n % 2);
        const block_index block(n / 2);
        REQUIRE(a.erase_count(plane, block) == b.erase_count(plane, block));
        REQUIRE(a.factory_bad(plane, block) == b.factory_bad(plane, block));
        REQUIRE(a.programmed(plane, block) == b.programmed(plane, block));
        const cell_address at{plane, block, page_index(0)};
        REQUIRE(a.erase_loops(at) == b.erase_loops(at));
        for (std::uint32_t p = 0; p < pages; ++p) {
            same_page(a, b, {plane, block, page_index(p)});
        }
    }
    CHECK(a.torn_pages() == b.torn_pages());
    CHECK(a.torn_blocks() == b.torn_blocks());
    CHECK(a.contents().pooled_pieces() == b.contents().pooled_pieces());
    CHECK(a.store_bytes() == b.store_bytes());
}

} // namespace

TEST_CASE("cells that were kept are the same in another process, and go on alike")
{
    for (const data_mode mode : {data_mode::none, data_mode::tag, data_mode::full}) {
        for (const page_order order : {page_order::sequential, page_order::any}) {
            for (const bool errs : {false, true}) {
                INFO("mode " << int(mode) << ", order " << int(order) << ", errors " << errs);
                const die_config c = part(mode, order, errs);
                cell_array cells(c, "cells", nullptr, die_index(3));
                life one(5);
                if (order == page_order::any) {
                    one.take_any_order();
                }
                one.live(cells, mode, 6000);
                REQUIRE(cells.torn_pages() > 5);
                REQUIRE((cells.contents().pooled_pieces() > 0) == (mode == data_mode::tag));

                test::memory_archive archive;
                cells.keep(archive);
                archive.rewind();
                cell_array other(c, "other", nullptr, die_index(3));
                other.keep(archive);
                CHECK(archive.at_end());
                sc_core::sc_start((2_us).to_sc()); // beyond what shallow pages hold
                same_cells(cells, other);

                life two = one;
                one.live(cells, mode, 2000);
                two.live(other, mode, 2000);
                same_cells(cells, other);
            }
        }
    }
}

TEST_CASE("cells that were used before take what was kept, and nothing of their own is left")
{
    const die_config c = part(data_mode::tag, page_order::sequential, true);
    cell_array fresh(c, "fresh", nullptr, die_index(0));
    cell_array used(c, "used", nullptr, die_index(0));
    life(9).live(used, data_mode::tag, 3000);
    test::memory_archive archive;
    fresh.keep(archive);
    archive.rewind();
    used.keep(archive);
    same_cells(fresh, used);
}

} // namespace flash_kept_cells_test
