// SPDX-License-Identifier: Apache-2.0
//
// Where a write lands: static orders against independent arithmetic, LUNs chosen by their queues,
// and drives that keep their data whatever the placement.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/firmware/flash_reader.h"

extern "C" {
#include "firmware/space/placement.h"
#include "models/regs/choices/cache_policy.h"
#include "models/regs/choices/ftl_scheme.h"
}

namespace ssdvp::test::placement_test {
namespace {

constexpr std::uint32_t cwdp = PLACEMENT_ORDER(0, 1, 2, 3);

using permutation = std::array<unsigned, 4>;

std::vector<permutation> permutations()
{
    permutation p{0, 1, 2, 3};
    std::vector<permutation> all;
    do {
        all.push_back(p);
    } while (std::next_permutation(p.begin(), p.end()));
    return all;
}

std::uint32_t order_of(const permutation& p)
{
    return PLACEMENT_ORDER(p[0], p[1], p[2], p[3]);
}

ram_config placed_drive(std::uint32_t kind, std::uint32_t order = cwdp, std::uint32_t window = 2)
{
    ram_config c = tiny_drive();
    boot_params& p = c.params;
    p.placement.kind = kind;
    p.placement.order = order;
    p.placement.window = window;
    p.placement.dies_per_chip = 1;
    p.geometry.blocks_per_plane += 2 * (window - 1); // more of them are open
    return c;
}

/// Random writes, reads, trims and flushes; the host checks what it reads.
void work(drive& d, std::uint64_t count, std::uint64_t seed, std::uint32_t longest = 24)
{
    std::mt19937_64 random(seed);
    for (std::uint64_t n = 0; n < count;) {
        const std::uint64_t kind = random() % 100;
        std::uint64_t lba = random() % d.sectors();
        std::uint32_t length = 1 + static_cast<std::uint32_t>(random() % longest);
        if (random() % 2 == 0) {
            lba &= ~7ull;
            length = (length + 7) & ~7u;
        }
        length = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, d.sectors() - lba));
        const bool started = kind < 30   ? d.start_read(lba, length)
                             : kind < 90 ? d.start_write(lba, length, kind < 33)
                             : kind < 97 ? d.start_trim({{lba, length}})
                                         : d.start_flush();
        n += started ? 1 : 0;
        for (std::uint64_t k = started ? random() % 6 : 8; k != 0; --k) {
            if (!d.pump()) {
                if (!started) {
                    FAIL("stalled: " << d.nand.panic_text());
                }
                break;
            }
        }
        REQUIRE(d.mismatches == 0);
        REQUIRE_FALSE(d.nand.panicked());
    }
    d.drain();
}

std::string order_name(std::uint32_t order)
{
    std::string name;
    for (unsigned n = 0; n < 4; ++n) {
        name += "CWDP"[PLACEMENT_LETTER(order, n)];
    }
    return name;
}

} // namespace

TEST_CASE("placement: all 24 orders are mixed radix numbers, first letter fastest")
{
    const placement_shape shape = {{3, 2, 4, 5}};
    REQUIRE(permutations().size() == 24);
    for (const permutation& p : permutations()) {
        // Counts up digit by digit instead of dividing.
        std::array<std::uint32_t, 4> digit{};
        for (std::uint64_t lpn = 0; lpn < 2 * 120 + 7; ++lpn) {
            const placement_spot spot = placement_of(&shape, order_of(p), lpn);
            for (unsigned level = 0; level < 4; ++level) {
                REQUIRE(spot.at[level] == digit[level]);
            }
            for (unsigned n = 0; n < 4; ++n) {
                if (++digit[p[n]] < shape.count[p[n]]) {
                    break;
                }
                digit[p[n]] = 0;
            }
        }
    }
}

TEST_CASE("placement: the six static allocations of SSDSim are WDPC, CWDP, CPWD, CDWP, CPDW, CDPW")
{
    const std::uint64_t C = 4, P = 3, D = 2, L = 5;
    const placement_shape shape = {{4, 3, 2, 5}};
    struct coordinates {
        std::uint64_t channel, chip, die, plane;
    };
    for (std::uint64_t n = 0; n < 500; ++n) {
        const coordinates all[6] = {
            {n / (L * D * P) % C, n % P, n / P % D, n / (D * P) % L},
            {n % C, n / C % P, n / (P * C) % D, n / (D * P * C) % L},
            {n % C, n / (L * C) % P, n / (L * P * C) % D, n / C % L},
            {n % C, n / (D * C) % P, n / C % D, n / (D * P * C) % L},
            {n % C, n / (L * D * C) % P, n / (L * C) % D, n / C % L},
            {n % C, n / (L * D * C) % P, n / C % D, n / (D * C) % L},
        };
        const std::uint32_t orders[6] = {PLACEMENT_ORDER(1, 2, 3, 0), PLACEMENT_ORDER(0, 1, 2, 3),
                                         PLACEMENT_ORDER(0, 3, 1, 2), PLACEMENT_ORDER(0, 2, 1, 3),
                                         PLACEMENT_ORDER(0, 3, 2, 1), PLACEMENT_ORDER(0, 2, 3, 1)};
        for (unsigned k = 0; k < 6; ++k) {
            INFO("allocation " << k << ", page " << n);
            const placement_spot spot = placement_of(&shape, orders[k], n);
            CHECK(spot.at[PLACE_CHANNEL] == all[k].channel);
            CHECK(spot.at[PLACE_WAY] == all[k].chip);
            CHECK(spot.at[PLACE_DIE] == all[k].die);
            CHECK(spot.at[PLACE_PLANE] == all[k].plane);
        }
    }
}

TEST_CASE("placement: on a drive each unit lies where its order says")
{
    for (const permutation& p : permutations()) {
        ram_config c = placed_drive(PLACEMENT_STATIC, order_of(p));
        c.params.geometry.luns_per_channel = 4;
        c.params.placement.dies_per_chip = 2;
        c.params.geometry.pages_per_block = 4;
        c.params.host.data_mode = 2;
        anchor_apart(c); // a superblock that lacks a plane makes units stray
        INFO(order_name(c.params.placement.order));
        drive d(c);
        REQUIRE_FALSE(d.nand.panicked());
        d.create_queues();
        write_all(d, 0, d.sectors(), 16);
        flush(d);
        const telemetry& t = d.nand.counters();
        REQUIRE(t.strayed_units == 0);
        const placement_shape shape = {{2, 2, 2, 2}};
        const flash_reader cells(d.nand);
        std::uint64_t seen = 0;
        for (const found_page& page : cells.pages) {
            for (std::size_t slot = 0; slot < 2; ++slot) {
                if (page.what(slot) != kind::data) {
                    continue;
                }
                const placement_spot spot =
                    placement_of(&shape, c.params.placement.order, page.index(slot) / 2);
                REQUIRE(page.at.channel == spot.at[0]);
                REQUIRE(page.at.lun == spot.at[1] * 2 + spot.at[2]);
                REQUIRE(page.at.plane == spot.at[3]);
                ++seen;
            }
        }
        CHECK(seen == c.params.ftl.user_units);
        d.check_everything();
        d.check_rules();
    }
}

TEST_CASE("placement: drives under collection keep their data, and nearly all units their plane")
{
    const std::uint32_t kind =
        GENERATE(PLACEMENT_STATIC, PLACEMENT_SHORTEST_QUEUE, PLACEMENT_CHANNEL_DIE,
                 PLACEMENT_CHANNEL_RR, PLACEMENT_ROUND_ROBIN);
    const std::uint32_t window = GENERATE(1u, 2u, 4u);
    const std::uint32_t policy =
        GENERATE(CACHE_POLICY_NONE, CACHE_POLICY_WO_LRU, CACHE_POLICY_RW_LRU);
    ram_config c = placed_drive(kind, PLACEMENT_ORDER(0, 3, 1, 2), window);
    c.params.cache.policy = policy;
    INFO("kind " << kind << ", window " << window << ", cache " << policy);
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    work(d, 12000, 7 + kind + window);
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().gc_runs > 10);
    d.check_everything();
    d.check_identities();
    d.check_rules();
    const telemetry& t = d.nand.counters();
    const std::uint64_t written = t.host_units_written + t.gc_units_moved;
    INFO("strayed " << t.strayed_units << " of " << written);
    if (kind != PLACEMENT_STATIC && kind != PLACEMENT_CHANNEL_RR) {
        CHECK(t.strayed_units == 0);
    } else if (window >= 2) {
        CHECK(t.strayed_units < written / 4);
    }
}

TEST_CASE("placement: after a shutdown and after a cut the open superblocks go on")
{
    const std::uint32_t kind = GENERATE(PLACEMENT_STATIC, PLACEMENT_SHORTEST_QUEUE);
    ram_config c = placed_drive(kind, cwdp, 3);
    drive d(c);
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    for (unsigned round = 0; round < 12; ++round) {
        INFO("kind " << kind << ", round " << round);
        work(d, 400, 100 + round);
        if (round % 2 == 0) {
            shut_down(d);
        } else {
            flush(d);
        }
        const std::uint64_t free = d.nand.counters().free_blocks;
        power_cycle(d);
        CHECK(d.nand.counters().recovery_kind == (round % 2 == 0 ? 1u : 2u));
        CHECK(d.nand.counters().free_blocks + 1 >= free);
        d.check_everything();
    }
    d.check_rules();
}

TEST_CASE("placement: schemes with a map on the flash, factory-bad and failing blocks")
{
    const std::uint32_t scheme =
        GENERATE(FTL_SCHEME_PAGE_MAP, FTL_SCHEME_DFTL, FTL_SCHEME_LOG_SET, FTL_SCHEME_VM_MAP);
    const std::uint32_t kind = GENERATE(PLACEMENT_STATIC, PLACEMENT_CHANNEL_DIE);
    ram_config c = placed_drive(kind);
    boot_params& p = c.params;
    p.ftl.scheme = scheme;
    p.map.batch = 1;
    p.map.segments = 1;
    p.map.cache = scheme == FTL_SCHEME_LOG_SET ? 8 * 4096 : 64 * BOOT_MAP_CACHE_ENTRY;
    p.geometry.blocks_per_plane += 10;
    for (std::uint32_t i = 0; i < 6; ++i) {
        c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 3 + i});
        c.factory_bad.insert({i % 2, (i / 4) % 2, i % 2, 12 + i});
    }
    INFO("scheme " << scheme << ", kind " << kind);
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    d.create_queues();
    write_all(d, 0, d.sectors(), 16);
    work(d, 8000, 5);
    d.start_flush();
    d.idle();
    CHECK(d.nand.counters().read_only == 0);
    CHECK(d.nand.counters().bad_blocks >= 12);
    d.check_everything();
    d.check_rules();
    power_cycle(d);
    d.check_everything();
}

TEST_CASE("placement: preconditioning places as the drive does")
{
    const std::uint32_t kind = GENERATE(PLACEMENT_STATIC, PLACEMENT_SHORTEST_QUEUE,
                                        PLACEMENT_CHANNEL_RR, PLACEMENT_ROUND_ROBIN);
    ram_config c = placed_drive(kind, PLACEMENT_ORDER(3, 0, 1, 2));
    c.params.host.data_mode = 2;
    const bool faulty = GENERATE(false, true);
    if (faulty) {
        c.params.ftl.user_units = 15 * 128;
        for (std::uint32_t i = 0; i < 8; ++i) {
            c.weak.insert({i % 2, (i / 2) % 2, (i / 4) % 2, 3 + i});
        }
    }
    INFO("kind " << kind << ", faulty " << faulty);
    drive d(c);
    std::mt19937_64 random(1);
    const std::uint64_t units = c.params.ftl.user_units;
    const auto put = [&](std::uint64_t from, std::uint64_t to) {
        std::vector<std::uint64_t> batch;
        std::vector<std::uint64_t> tags;
        for (std::uint64_t i = from; i < to;) {
            batch.clear();
            tags.clear();
            for (std::uint64_t n = 1 + random() % ram_nand::batch; n != 0 && i < to; --n, ++i) {
                batch.push_back(i < units ? i : random() % units);
                for (std::uint64_t s = 0; s < 8; ++s) {
                    tags.push_back(d.copy.tag(batch.back() * 8 + s));
                    d.copy.set(batch.back() * 8 + s, tags.back());
                }
            }
            REQUIRE(d.nand.precondition(batch, tags) == 0);
        }
    };
    put(0, 4 * units);
    REQUIRE(d.nand.precondition_end() == 0);
    const telemetry& t = d.nand.counters();
    CHECK(t.mapped == units);
    CHECK(t.valid == units);
    CHECK(t.gc_runs > 10);
    CHECK(t.strayed_units < (t.host_units_written + t.gc_units_moved) / 4);
    d.create_queues();
    d.check_everything();
    work(d, 3000, 6);
    d.check_everything();
    d.check_rules();
}

} // namespace ssdvp::test::placement_test
