// SPDX-License-Identifier: Apache-2.0
//
// Planes with free blocks and collections of their own (stripe `plane`): where their pages lie,
// that they go on beside each other, and that they keep their data.
#include <cmath>
#include <map>
#include <set>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/placement.h"
#include "models/regs/choices/stripe.h"
#include "tests/firmware/erring_drive.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::planes_test {
namespace {

constexpr std::uint32_t block_units = 16; // of the tiny drive

/// 2 channels x 2 LUNs x 2 planes; 14 of 24 blocks of each plane are the user's.
ram_config apart(std::uint32_t placement = PLACEMENT_STATIC)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.ftl.stripe = STRIPE_PLANE;
    p.placement.kind = placement;
    p.placement.order = PLACEMENT_ORDER(0, 1, 2, 3); // CWDP
    p.placement.window = 1;
    p.placement.dies_per_chip = 1;
    p.ftl.user_units = 8 * 14 * block_units;
    p.map.checkpoint_units = 256;
    return c;
}

std::uint32_t lane_of(const nand_place& p)
{
    return (p.lun * 2 + p.channel) * 2 + p.plane;
}

/// CWDP: channel, LUN of it, plane. The page of a unit has two of them.
std::uint32_t lane_of_unit(std::uint64_t unit, const boot_params& p)
{
    const std::uint64_t page = unit / (p.geometry.page_size / p.ftl.map_unit);
    return static_cast<std::uint32_t>((page / 2 % 2 * 2 + page % 2) * 2 + page / 4 % 2);
}

/// Pages of a unit: what is valid of a block are whole pages.
ram_config one_unit_pages()
{
    ram_config c = apart();
    c.params.geometry.page_size = c.params.ftl.map_unit;
    c.params.geometry.pages_per_block = 16;
    c.params.ftl.user_units = 8 * 14 * 16;
    c.params.wear.static_delta = 0;
    c.params.map.checkpoint_units = 8192;
    return c;
}

/// Valid pages w of a victim of greedy collection, of blocks of b pages, where a share of all pages
/// is valid and each is as likely to be overwritten. Blocks come down from b to w at the same rate,
/// and stay with j valid pages for a time as 1/j: share = (b - w) / (b (H(b) - H(w))).
double valid_of_victim(double share, double b)
{
    const auto harmonic = [](double n) { // between whole numbers on a line
        double sum = 0;
        for (int k = 1; k <= n; ++k) {
            sum += 1.0 / k;
        }
        return sum + (n - std::floor(n)) / (std::floor(n) + 1);
    };
    double low = 0;
    double high = b - 1e-6;
    for (int n = 0; n < 60; ++n) {
        const double w = (low + high) / 2;
        const bool more = (b - w) / (b * (harmonic(b) - harmonic(w))) < share;
        (more ? low : high) = w;
    }
    return low;
}

/// All is right, and is so after a loss of power.
void cut(drive& d)
{
    d.drain();
    d.start_flush();
    d.idle();
    all_right(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 2);
    d.check_everything();
}

/// Units of a static order whose newest version lies in another plane than it says; all of them.
std::pair<std::uint64_t, std::uint64_t> elsewhere(const drive& d, const boot_params& p)
{
    std::pair<std::uint64_t, std::uint64_t> count;
    for (const found_page& page : flash_reader(d.nand).pages) {
        for (std::size_t slot = 0; slot < page.words.size(); ++slot) {
            const bool data = page.what(slot) == kind::data;
            count.first += data && lane_of(page.at) != lane_of_unit(page.index(slot), p) ? 1 : 0;
            count.second += data ? 1 : 0;
        }
    }
    return count;
}

} // namespace

TEST_CASE("planes: every placement keeps data, through collection, wear levelling and cuts")
{
    ram_config c = apart(GENERATE(PLACEMENT_STATIC, PLACEMENT_SHORTEST_QUEUE, PLACEMENT_CHANNEL_DIE,
                                  PLACEMENT_CHANNEL_RR, PLACEMENT_ROUND_ROBIN));
    c.params.wear.static_delta = 3;
    CAPTURE(c.params.placement.kind);
    drive d(c);
    d.create_queues();
    fill(d);
    mixed(d, 8000, 5);
    CHECK(d.nand.counters().gc_runs > 100);
    CHECK(d.nand.counters().wear_units_moved > 0);
    cut(d);
    mixed(d, 3000, 6);
    d.start_flush();
    d.idle();
    power_cycle(d);
    d.check_everything();
    mixed(d, 1000, 7);
    d.check_everything();
    d.check_rules();
    CHECK(d.statuses.size() == 1);
}

TEST_CASE("planes: what a static order places, and collection moves, stays in its plane")
{
    ram_config c = apart();
    c.params.host.data_mode = 2;
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 4000, 1);
    CHECK(d.nand.counters().gc_units_moved > 1000);
    CHECK(d.nand.counters().strayed_units == 0);
    const auto [count, all] = elsewhere(d, c.params);
    CHECK(count == 0);
    CHECK(all >= c.params.ftl.user_units);
}

TEST_CASE("planes: only a plane that is written is collected, a block of it at a time")
{
    ram_config c = apart();
    c.params.map.checkpoint_units = 8192; // no map pages in between
    c.params.wear.static_delta = 0;
    std::map<std::uint32_t, std::uint64_t> moved;
    std::map<std::uint32_t, std::set<std::uint32_t>> erased; // blocks by plane
    c.on_program = [&moved](const nand_place& p, const flash_desc& desc) {
        moved[lane_of(p)] += desc.purpose == FLASH_PURPOSE_GC ? 1 : 0;
        return false;
    };
    c.on_erase = [&erased](const nand_place& p, const flash_desc&) {
        erased[lane_of(p)].insert(p.block);
        return false;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    moved.clear();
    erased.clear();
    std::mt19937_64 random(3);
    std::vector<std::uint64_t> units;
    while (units.size() < 3000) {
        const std::uint64_t unit = random() % c.params.ftl.user_units;
        if (lane_of_unit(unit, c.params) == 5) {
            units.push_back(unit);
        }
    }
    for (const std::uint64_t unit : units) {
        while (!d.start_write(unit * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    CHECK(moved[5] > 100);
    CHECK(erased[5].size() > 10);
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
        CAPTURE(lane);
        CHECK((lane == 5 || (moved[lane] == 0 && erased[lane].empty())));
    }
    d.check_everything();
}

TEST_CASE("planes: a plane that waits for its collection stops no other")
{
    ram_config c = apart();
    c.params.wear.static_delta = 0;
    bool slow = false;
    std::uint64_t others = 0;
    c.on_program = [&](const nand_place& p, const flash_desc& desc) {
        others += slow && desc.purpose == FLASH_PURPOSE_HOST && lane_of(p) != 5 ? 1 : 0;
        return false;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    slow = true;
    std::mt19937_64 random(4);
    std::uint64_t asked = 0;
    for (int n = 0; n < 4000; ++n) { // half of them to one plane of eight
        std::uint64_t unit = random() % c.params.ftl.user_units;
        while (n % 2 == 0 && lane_of_unit(unit, c.params) != 5) {
            unit = random() % c.params.ftl.user_units;
        }
        asked += lane_of_unit(unit, c.params) != 5 ? 1 : 0;
        while (!d.start_write(unit * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    CHECK(asked > 1500);
    CHECK(others * (c.params.geometry.page_size / c.params.ftl.map_unit) > asked / 2);
    CHECK(d.nand.counters().strayed_units == 0);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("planes: a collection moves the valid pages of one block, and the host waits for no more")
{
    ram_config c = one_unit_pages();
    const std::uint32_t pages = c.params.geometry.pages_per_block;
    std::uint64_t run = 0;
    std::uint64_t longest = 0; // pages that are moved in plane 5 between two of the host's
    c.on_program = [&](const nand_place& p, const flash_desc& desc) {
        if (lane_of(p) == 5 && desc.purpose == FLASH_PURPOSE_GC) {
            ++run;
        } else if (lane_of(p) == 5) {
            longest = std::max(longest, run);
            run = 0;
        }
        return false;
    };
    drive d(c);
    d.create_queues();
    fill(d);
    std::vector<std::uint64_t> units; // of plane 5: each block has `pages` of them in this order
    for (std::uint64_t unit = 0; unit < c.params.ftl.user_units; ++unit) {
        if (lane_of_unit(unit, c.params) == 5) {
            units.push_back(unit);
        }
    }
    longest = 0;
    const std::uint64_t moved = d.nand.counters().gc_pages_moved;
    const std::uint64_t runs = d.nand.counters().gc_runs;
    for (std::size_t n = 0; n < units.size() && d.nand.counters().gc_runs < runs + 4; ++n) {
        // Past the buffer, three of four: every old block keeps a quarter of its pages.
        while (n % 4 != 0 && !d.start_write(units[n] * 8, 8, true)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    const std::uint64_t victims = d.nand.counters().gc_runs - runs;
    CHECK(victims >= 4);
    CHECK(d.nand.counters().gc_pages_moved - moved == victims * pages / 4);
    CHECK(longest >= 1);
    CHECK(longest <= pages / 4);
    d.check_everything();
}

TEST_CASE("planes: under uniform random writes each plane writes what greedy collection has to")
{
    const double user = GENERATE(0.7, 0.8); // share of a plane's blocks
    ram_config c = one_unit_pages();
    boot_params& p = c.params;
    p.geometry.blocks_per_plane = 60;
    p.ftl.user_units = static_cast<std::uint64_t>(8 * user * 60) * p.geometry.pages_per_block;
    p.gc.low_permille = 1;
    p.gc.high_permille = 2; // as few free blocks as service takes
    drive d(c);
    d.create_queues();
    fill(d);
    overwrite(d, 4 * p.ftl.user_units, 1);
    const telemetry before = d.nand.counters();
    overwrite(d, 2 * p.ftl.user_units, 2);
    const telemetry& t = d.nand.counters();
    const auto host = static_cast<double>(t.host_units_written - before.host_units_written);
    const auto moved = static_cast<double>(t.gc_units_moved - before.gc_units_moved);
    // Not there: the anchor's blocks and two of maps, by plane; two that are kept and the one that
    // collection is about to free; two that are open, half full.
    const double there = 60 - (6 + 2) / 8.0 - 2 - 1;
    const double share = 60 * user / there;
    const double pages = p.geometry.pages_per_block;
    const double valid = valid_of_victim(share, pages);
    CAPTURE(user, valid, (host + moved) / host);
    CHECK((host + moved) / host == Approx(pages / (pages - valid)).epsilon(0.04));
    d.check_identities();
}

TEST_CASE("planes: bad blocks, programs and erases that fail lose no data")
{
    ram_config c = apart(GENERATE(PLACEMENT_STATIC, PLACEMENT_ROUND_ROBIN));
    c.params.ftl.user_units = 8 * 11 * block_units;
    for (std::uint32_t i = 0; i < 10; ++i) {
        c.factory_bad.insert({i % 2, (i / 2) % 2, (i / 3) % 2, 1 + i * 2 % 23});
        c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 2 + i});
        c.erase_weak.insert({(i + 1) % 2, (i / 2) % 2, i % 2, 22 - i});
    }
    drive d(c);
    CHECK(d.nand.counters().bad_blocks == c.factory_bad.size());
    d.create_queues();
    fill(d);
    mixed(d, 8000, 2);
    CHECK(d.nand.counters().bad_blocks >= c.factory_bad.size() + 8);
    CHECK(d.nand.counters().read_only == 0);
    cut(d);
    for (const nand_place& p : c.factory_bad) {
        CHECK(d.nand.erases(p) == 0);
    }
}

TEST_CASE("planes: a drive whose blocks fail becomes read only, and never stalls before")
{
    const std::uint64_t seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
    ram_config c = apart(seed % 2 == 0 ? PLACEMENT_STATIC : PLACEMENT_SHORTEST_QUEUE);
    c.params.geometry.blocks_per_plane = 32;
    fail_until_read_only(c, seed, 150, 40, all_right);
}

TEST_CASE("planes: preconditioning fills and overwrites, and no unit strays")
{
    const ram_config c = apart(GENERATE(PLACEMENT_STATIC, PLACEMENT_ROUND_ROBIN));
    drive d(c);
    precondition(d, c.params.ftl.user_units, 3);
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units);
    CHECK(d.nand.counters().gc_runs > 10);
    CHECK(d.nand.counters().strayed_units == 0);
    d.create_queues();
    d.check_everything();
    overwrite(d, 2000, 6);
    d.check_everything();
    d.check_rules();
}

TEST_CASE("planes: preconditioning goes on where no plane has room until garbage has gathered")
{
    ram_config c = apart(PLACEMENT_ROUND_ROBIN);
    c.params.ftl.user_units = 8 * GENERATE(18u, 19u) * block_units;
    drive d(c);
    precondition(d, c.params.ftl.user_units, 20);
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units);
    d.create_queues();
    d.check_everything();
    d.check_rules();
}

TEST_CASE("planes: after a shutdown each plane goes on in the blocks that it had open")
{
    ram_config c = apart();
    std::set<nand_place> begun;
    bool again = false;
    c.on_program = [&](const nand_place& p, const flash_desc& desc) {
        if (again && desc.page == 0 && desc.purpose == FLASH_PURPOSE_HOST) {
            begun.insert(p);
        }
        return false;
    };
    drive d(c);
    d.create_queues();
    write_all(d, 0, 8 * 8 * 2, 8); // a page of each plane, of a block of four
    shut_down(d);
    power_cycle(d);
    CHECK(d.nand.counters().recovery_kind == 1);
    again = true;
    write_all(d, 0, 8 * 8 * 2, 8);
    d.start_flush();
    d.idle();
    CHECK(begun.empty());
    d.check_everything();
}

TEST_CASE("planes: firmware refuses what does not go with them")
{
    ram_config c = apart();
    SECTION("no placement")
    {
        c.params.placement.kind = PLACEMENT_STRIPE;
    }
    SECTION("a map that is paged")
    {
        c.params.ftl.scheme = FTL_SCHEME_DFTL;
        c.params.map.cache = 24 * BOOT_MAP_CACHE_ENTRY;
        c.params.map.batch = 1;
    }
    SECTION("copyback")
    {
        c.params.gc.copyback = 1;
    }
    c.quiet = true;
    const drive d(c);
    CHECK(d.nand.panicked());
}

} // namespace ssdvp::test::planes_test
