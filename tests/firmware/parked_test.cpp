// SPDX-License-Identifier: Apache-2.0
//
// Commands that come after a power-up while the map is still on the flash: they wait for their page
// of it, and nobody asks for it again before it is there (firmware/buffer/parked.c).
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"
#include "tests/support/counting_map.h"

namespace ssdvp::test::parked_test {
namespace {

constexpr std::uint64_t unit = 512;
constexpr std::uint64_t per_page = unit / 4;

/// A map of 1600 pages; the host comes before any of them has been read.
ram_config large_map()
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.dram_size = 64u << 20;
    p.ftl.map_unit = unit;
    p.geometry.page_size = 1024;
    p.geometry.oob_size = 24;
    p.geometry.pages_per_block = 32;
    p.geometry.blocks_per_plane = 512;
    p.ftl.user_units = 400 * 512;
    p.map.checkpoint_units = 4 * 512 * 512;
    p.cache.capacity = 256 * unit;
    c.impatient = true;
    return c;
}

void prepare(drive& d)
{
    d.create_queues();
    write_all(d, 0, d.sectors(), 8);
    shut_down(d);
    power_cycle(d);
    REQUIRE(d.nand.counters().recovery_kind == 1);
    counting_begin();
}

/// The n-th of the map's pages, in an order in which none lies beside another.
std::uint64_t sector_of(std::uint64_t n, std::uint64_t pages)
{
    return n * 7 % pages * per_page + n % per_page;
}

} // namespace

TEST_CASE("parked: a buffered unit asks for its map page once, and once more when it is there")
{
    drive d(large_map());
    prepare(d);
    const std::uint64_t pages = d.sectors() / per_page;
    for (std::uint64_t n = 0; n < pages; ++n) {
        while (!d.start_write(sector_of(n, pages), 1)) {
            REQUIRE(d.pump());
        }
    }
    flush(d);
    INFO(counted_pins() << " pins, " << counted_lookups() << " look-ups for " << pages << " units");
    CHECK(d.nand.counters().host_units_written >= pages);
    CHECK(counted_pins() >= pages);
    CHECK(counted_pins() <= 8 * pages); // 436 each if it asked whenever anything had ended
    d.idle();
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

TEST_CASE("parked: a read asks again when its page of the map has come, not at each completion")
{
    drive d(large_map());
    prepare(d);
    const std::uint64_t pages = d.sectors() / per_page;
    for (std::uint64_t n = 0; n < pages; ++n) {
        while (!d.start_read(sector_of(n, pages), 1)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    INFO(counted_lookups() << " look-ups for " << pages << " reads");
    CHECK(counted_lookups() <= 6 * pages); // 80 likewise
    CHECK(d.mismatches == 0);
    d.check_rules();
}

TEST_CASE("parked: what is written again, trimmed or flushed while it waits is as it was ordered")
{
    drive d(large_map());
    prepare(d);
    const std::uint64_t pages = d.sectors() / per_page;
    for (std::uint64_t n = 0; n < pages; ++n) {
        const std::uint64_t sector = sector_of(n, pages);
        while (!d.start_write(sector, 1, n % 16 == 0)) {
            REQUIRE(d.pump());
        }
        if (n % 4 == 1) { // in the slot that waits
            while (!d.start_write(sector, 1)) {
                REQUIRE(d.pump());
            }
        }
        if (n % 8 == 3) {
            while (!d.start_trim({{sector, 1}})) {
                REQUIRE(d.pump());
            }
        }
        if (n % 64 == 5) {
            while (!d.start_flush()) {
                REQUIRE(d.pump());
            }
        }
    }
    flush(d);
    d.check_everything();
    power_cycle(d);
    d.check_everything();
    d.check_rules();
    CHECK(d.mismatches == 0);
}

TEST_CASE("deallocate: the map is asked for its pages, not for its units")
{
    drive d(large_map());
    d.create_queues();
    write_all(d, 0, d.sectors(), 8);
    flush(d);
    const std::uint64_t pages = d.sectors() / per_page;
    for (const bool full : {true, false}) {
        counting_begin();
        REQUIRE(d.start_trim({{0, static_cast<std::uint32_t>(d.sectors())}}));
        d.idle();
        INFO(full << ", " << counted_pins() << " pins, " << counted_runs() << " runs");
        CHECK(counted_pins() + counted_lookups() <= (full ? pages + 16 : 0));
        CHECK(counted_runs() <= 2 * pages + 32); // rounds begin within a page
        CHECK(counted_runs() >= pages);
    }
    CHECK(d.nand.counters().mapped == 0);
    CHECK(d.nand.counters().trimmed_units == d.sectors());
    d.check_everything();
    d.check_identities();
}

} // namespace ssdvp::test::parked_test
