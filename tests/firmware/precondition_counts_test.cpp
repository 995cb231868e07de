// SPDX-License-Identifier: Apache-2.0
//
// Preconditioning by counts: what is where afterwards, and that it leaves what the firmware's own
// way leaves, within 1 %.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>

#include "models/regs/choices/ftl_scheme.h"
#include "models/regs/choices/placement.h"
#include "tests/firmware/drive_bench.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::precondition_counts_test {
namespace {

/// Tags of all sectors, which the shadow copy then holds of the first `units`.
std::vector<std::uint64_t> tags_of(drive& d, std::uint64_t units)
{
    std::vector<std::uint64_t> tags;
    const std::uint64_t sectors = d.nand.config.params.ftl.map_unit / sector;
    for (std::uint64_t lba = 0; lba < units * sectors; ++lba) {
        tags.push_back(d.copy.tag(lba));
        d.copy.set(lba, tags.back());
    }
    return tags;
}

bool counted(drive& d, std::uint64_t units, std::uint64_t overwrites, std::uint64_t seed = 1)
{
    const std::vector<std::uint64_t> tags = tags_of(d, units);
    return d.nand.precondition_by_counts(units, overwrites, seed, tags) &&
           d.nand.precondition_end() == 0;
}

void overwrite(drive& d, std::uint64_t count)
{
    std::mt19937_64 random(11);
    for (std::uint64_t i = 0; i < count; ++i) {
        while (!d.start_write(random() % (d.sectors() / 8) * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
}

std::uint64_t programmed(drive& d)
{
    return d.nand.count(FLASH_PURPOSE_PRECONDITION).programs;
}

} // namespace

TEST_CASE("counts: a drive that is only filled has its units in whole superblocks")
{
    ram_config c = one_plane();
    anchor_apart(c);
    drive d(c);
    REQUIRE(d.nand.precondition_by_counts(384, 0, 1, tags_of(d, 384)));
    // A superblock is 8 pages of a unit: 48 of them are full, and nothing was collected.
    const telemetry& t = d.nand.counters();
    CHECK(t.host_units_written == 384);
    CHECK(t.gc_runs == 0);
    CHECK(t.pad_units == 0);
    CHECK(programmed(d) == 384);
    std::uint32_t full = 0;
    for (const superblock_figures& s : d.nand.superblocks()) {
        CHECK((s.full == 0 || s.valid == 8));
        full += s.full;
    }
    CHECK(full == 48);
    REQUIRE(d.nand.precondition_end() == 0);
    d.create_queues();
    d.check_everything();
}

TEST_CASE("counts: all data are where the map says, whatever is bad and however pages go")
{
    ram_config c = tiny_drive();
    c.params.ftl.multi_plane = GENERATE(0u, 1u);
    const bool faulty = GENERATE(false, true);
    c.params.gc.policy = GENERATE(0u, 1u);
    if (faulty) {
        c.params.ftl.user_units = 15 * 128;
        for (std::uint32_t i = 0; i < 8; ++i) {
            c.factory_bad.insert({i % 2, (i / 4) % 2, i % 2, 12 + i});
        }
    }
    drive d(c);
    const std::uint64_t units = c.params.ftl.user_units;
    REQUIRE(counted(d, units, 3 * units));
    const telemetry& t = d.nand.counters();
    CHECK(t.mapped == units);
    CHECK(t.valid == units);
    CHECK(t.host_units_written == 4 * units);
    CHECK(t.gc_runs > 10);
    CHECK(d.nand.count(FLASH_PURPOSE_GC).programs == 0);
    d.create_queues();
    d.check_everything();
    overwrite(d, 4000); // and the running firmware goes on from there
    d.check_everything();
    d.check_identities(6); // a record of 3 pages on two LUNs
    d.check_rules();
}

TEST_CASE("counts: a part of the drive, and pages that are asked for plane by plane")
{
    ram_config c = tiny_drive();
    c.params.geometry.page_size = 16384;
    c.params.geometry.planes = 4;
    c.params.geometry.oob_size = 64;
    c.params.ftl.user_units = 17 * 512;
    c.params.dram_size = 32u << 20;
    drive d(c);
    REQUIRE(counted(d, 5000, 7001));
    CHECK(d.nand.counters().mapped == 5000);
    CHECK(d.nand.counters().host_units_written == 12001);
    d.create_queues();
    d.check_everything();
    d.check_rules();
}

TEST_CASE("counts: power may go at once, and any time later")
{
    ram_config c = tiny_drive();
    c.params.gc.policy = GENERATE(0u, 1u);
    drive d(c);
    REQUIRE(counted(d, c.params.ftl.user_units, 2 * c.params.ftl.user_units, GENERATE(1u, 2u, 3u)));
    d.create_queues();
    power_cycle(d);
    d.check_everything();
    for (int round = 0; round < 4; ++round) {
        overwrite(d, 300);
        flush(d);
        power_cycle(d);
        d.check_everything();
    }
    d.check_rules();
}

TEST_CASE("counts: power-up without the map finds each unit by its newest copy")
{
    ram_config c = tiny_drive();
    drive d(c);
    // Without precondition_end no record tells of anything: all is found by the spare words.
    REQUIRE(d.nand.precondition_by_counts(c.params.ftl.user_units, 2 * c.params.ftl.user_units, 1,
                                          tags_of(d, c.params.ftl.user_units)));
    power_cycle(d);
    d.check_everything();
    CHECK(d.nand.counters().mapped == c.params.ftl.user_units);
}

TEST_CASE("counts: drives that cannot be filled so are left as they are")
{
    ram_config c = tiny_drive();
    SECTION("another scheme")
    {
        c.params.ftl.scheme = FTL_SCHEME_DFTL;
        c.params.map.cache = 4096 * BOOT_MAP_CACHE_ENTRY;
        c.params.ftl.user_units = 12 * 128;
    }
    SECTION("lanes")
    {
        c.params.placement.kind = PLACEMENT_CHANNEL_RR;
        c.params.placement.window = 2;
        c.params.placement.dies_per_chip = 1;
        c.params.geometry.blocks_per_plane += 2; // more of them are open
    }
    drive d(c);
    REQUIRE_FALSE(d.nand.panicked());
    CHECK_FALSE(d.nand.precondition_by_counts(1000, 1000, 1, tags_of(d, 1000)));
    CHECK(d.nand.precondition({0}, std::vector<std::uint64_t>(8, d.copy.tag(0))) == 0);
    CHECK(d.nand.precondition_end() == 0);
}

TEST_CASE("counts: a drive that holds data is not filled so")
{
    drive d(tiny_drive());
    CHECK(d.nand.precondition({0}, std::vector<std::uint64_t>(8, d.copy.tag(0))) == 0);
    CHECK_FALSE(d.nand.precondition_by_counts(1000, 1000, 1, tags_of(d, 1000)));
}

namespace {

/// What is compared of a drive.
struct state {
    double amplification = 0;  // of the overwrites
    double later = 0;          // of those that follow, unit by unit
    std::vector<double> valid; // share of a full superblock: mean, and its quantiles
    std::vector<double> erases;
};

constexpr double quantiles[] = {0.1, 0.25, 0.5, 0.75, 0.9};

std::vector<double> summed_up(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::vector<double> out = {sum / static_cast<double>(values.size())};
    for (const double q : quantiles) {
        out.push_back(values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))]);
    }
    return out;
}

struct shape {
    std::uint32_t blocks;
    double over_provisioning;
    double overwrites; // times the drive
};

ram_config drive_of(const shape& s)
{
    ram_config c = tiny_drive();
    c.params.host.data_mode = 0;
    c.params.geometry.planes = 4;
    c.params.geometry.page_size = 16384;
    c.params.geometry.blocks_per_plane = s.blocks;
    c.params.geometry.pages_per_block = 16; // 1024 units in a superblock
    c.params.ftl.user_units =
        static_cast<std::uint64_t>(s.blocks * 1024 * (1 - s.over_provisioning));
    c.params.gc.low_permille = 10;
    c.params.gc.high_permille = 15;
    c.params.dram_size = 64u << 20;
    c.random_delays = false;
    return c;
}

double amplified(drive& d, std::uint64_t host, std::uint64_t collected)
{
    const telemetry& t = d.nand.counters();
    return 1.0 + static_cast<double>(t.gc_units_moved - collected) /
                     static_cast<double>(t.host_units_written - host);
}

void write_uniformly(drive& d, std::uint64_t count, std::mt19937_64& random)
{
    std::vector<std::uint64_t> batch(ram_nand::batch);
    for (std::uint64_t i = 0; i < count; i += batch.size()) {
        for (std::uint64_t& unit : batch) {
            unit = random() % d.nand.config.params.ftl.user_units;
        }
        REQUIRE(d.nand.precondition(batch, {}) == 0);
    }
}

state run(const shape& s, bool by_counts, std::uint64_t seed)
{
    drive d(drive_of(s));
    const std::uint64_t units = d.nand.config.params.ftl.user_units;
    const auto overwrites = static_cast<std::uint64_t>(static_cast<double>(units) * s.overwrites) /
                            ram_nand::batch * ram_nand::batch;
    std::mt19937_64 random(seed);
    state out;
    if (by_counts) {
        REQUIRE(d.nand.precondition_by_counts(units, overwrites, seed, {}));
    } else {
        std::vector<std::uint64_t> batch;
        for (std::uint64_t i = 0; i < units; ++i) {
            batch.push_back(i);
            if (batch.size() == ram_nand::batch || i + 1 == units) {
                REQUIRE(d.nand.precondition(batch, {}) == 0);
                batch.clear();
            }
        }
        write_uniformly(d, overwrites, random);
    }
    const telemetry t = d.nand.counters();
    out.amplification = amplified(d, units, 0);
    std::vector<double> valid;
    std::vector<double> erases;
    for (const superblock_figures& b : d.nand.superblocks()) {
        erases.push_back(b.erases);
        if (b.full != 0) {
            valid.push_back(b.valid / 1024.0);
        }
    }
    out.valid = summed_up(valid);
    out.erases = summed_up(erases);
    write_uniformly(d, units / ram_nand::batch * ram_nand::batch, random);
    out.later = amplified(d, t.host_units_written, t.gc_units_moved);
    return out;
}

state mean_of(const shape& s, bool by_counts, std::uint64_t seeds)
{
    state sum = run(s, by_counts, 1);
    const auto add = [](std::vector<double>& to, const std::vector<double>& more) {
        std::transform(to.begin(), to.end(), more.begin(), to.begin(), std::plus<>());
    };
    for (std::uint64_t seed = 2; seed <= seeds; ++seed) {
        const state more = run(s, by_counts, seed);
        sum.amplification += more.amplification;
        sum.later += more.later;
        add(sum.valid, more.valid);
        add(sum.erases, more.erases);
    }
    const auto n = static_cast<double>(seeds);
    sum.amplification /= n;
    sum.later /= n;
    for (double& v : sum.valid) {
        v /= n;
    }
    for (double& v : sum.erases) {
        v /= n;
    }
    return sum;
}

void compare(const shape& s, std::uint64_t seeds)
{
    const state units = mean_of(s, false, seeds);
    const state counts = mean_of(s, true, seeds);
    const auto row = [](const char* what, double a, double b) {
        std::printf("  %-28s %8.4f %8.4f %+7.2f %%\n", what, a, b, 100 * (b / a - 1));
        CHECK(b == Approx(a).epsilon(0.01));
    };
    std::printf("over-provisioning %.2f, %llu seeds: units, counts\n", s.over_provisioning,
                static_cast<unsigned long long>(seeds));
    row("write amplification", units.amplification, counts.amplification);
    row("... of what follows", units.later, counts.later);
    for (std::size_t i = 0; i < units.valid.size(); ++i) {
        row(i == 0 ? "valid share, mean" : "... quantile", units.valid[i], counts.valid[i]);
    }
    row("erases, mean", units.erases[0], counts.erases[0]);
}

} // namespace

TEST_CASE("counts: the drive is as the firmware's own way leaves it")
{
    compare({256, 0.15, 2.0}, 1);
}

TEST_CASE("counts: ... over five seeds and three over-provisionings", "[.proof]")
{
    for (const double over_provisioning : {0.07, 0.15, 0.28}) {
        compare({1024, over_provisioning, 1.0}, 5);
    }
}

} // namespace ssdvp::test::precondition_counts_test
