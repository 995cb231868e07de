// SPDX-License-Identifier: Apache-2.0
//
// Preconditioning by counts of units that are given: the drive is as if each of them had gone
// through the firmware, to the last place.
#include <cmath>
#include <random>

#include "tests/firmware/drive_bench.h"
#include "tests/firmware/flash_reader.h"

namespace ssdvp::test::precondition_given_test {
namespace {

std::vector<std::uint64_t> tags_of(drive& d)
{
    std::vector<std::uint64_t> tags;
    for (std::uint64_t lba = 0; lba < d.sectors(); ++lba) {
        tags.push_back(d.copy.tag(lba));
        d.copy.set(lba, tags.back());
    }
    return tags;
}

/// All units in order, then three times as many, most of them of a tenth.
std::vector<std::uint64_t> hot_and_cold(std::uint64_t units)
{
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> all(4 * units);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
        const std::uint64_t n = random();
        all[i] = i < units ? i : n % 10 != 0 ? n / 10 % (units / 10) : n / 10 % units;
    }
    return all;
}

void unit_by_unit(drive& d, const std::vector<std::uint64_t>& units)
{
    const std::vector<std::uint64_t> tags = tags_of(d);
    const std::uint64_t sectors = d.nand.config.params.ftl.map_unit / sector;
    for (std::uint64_t i = 0; i < units.size(); i += ram_nand::batch) {
        const std::uint64_t end = std::min<std::uint64_t>(i + ram_nand::batch, units.size());
        std::vector<std::uint64_t> some(units.begin() + static_cast<std::ptrdiff_t>(i),
                                        units.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<std::uint64_t> data;
        for (const std::uint64_t u : some) {
            for (std::uint64_t s = 0; s < sectors; ++s) {
                data.push_back(tags[u * sectors + s]);
            }
        }
        REQUIRE(d.nand.precondition(some, data) == 0);
    }
}

ram_config config_of(std::uint32_t policy, bool faulty)
{
    ram_config c = tiny_drive();
    c.params.gc.policy = policy;
    for (std::uint32_t i = 0; i < 8 && faulty; ++i) {
        c.params.ftl.user_units = 15 * 128;
        c.factory_bad.insert({i % 2, (i / 4) % 2, i % 2, 12 + i});
    }
    return c;
}

} // namespace

TEST_CASE("given: superblocks are as units leave them, one by one")
{
    const ram_config c = config_of(GENERATE(0u, 1u), GENERATE(false, true));
    drive by_units(c);
    drive by_counts(c);
    const std::vector<std::uint64_t> units = hot_and_cold(c.params.ftl.user_units);
    unit_by_unit(by_units, units);
    REQUIRE(by_counts.nand.precondition_by_counts(units, tags_of(by_counts)));
    REQUIRE(by_units.nand.precondition_end() == 0);
    REQUIRE(by_counts.nand.precondition_end() == 0);
    const telemetry& a = by_units.nand.counters();
    const telemetry& b = by_counts.nand.counters();
    CHECK(a.gc_runs > 50);
    CHECK(b.gc_runs == a.gc_runs);
    CHECK(b.gc_units_moved == a.gc_units_moved);
    CHECK(b.host_units_written == a.host_units_written);
    CHECK(b.pad_units == a.pad_units);
    CHECK(b.mapped == a.mapped);
    const std::vector<superblock_figures> one = by_units.nand.superblocks();
    const std::vector<superblock_figures> other = by_counts.nand.superblocks();
    REQUIRE(one.size() == other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        INFO("superblock " << i);
        CHECK(other[i].valid == one[i].valid);
        CHECK(other[i].erases == one[i].erases);
        CHECK(other[i].full == one[i].full);
    }
}

TEST_CASE("given: paced, victims come one by one, and the host never lacks a superblock")
{
    const ram_config c = config_of(0, false);
    drive d(c);
    std::vector<std::uint64_t> units = hot_and_cold(c.params.ftl.user_units);
    std::mt19937_64 random(13);
    for (std::uint64_t i = c.params.ftl.user_units; i < units.size(); ++i) {
        units[i] = random() % c.params.ftl.user_units;
    }
    std::uint64_t given = 0;
    std::uint64_t before = 0;
    std::uint64_t one = 0;
    std::uint64_t several = 0;
    REQUIRE(d.nand.precondition_by_counts(units, tags_of(d), [&] {
        const std::uint64_t runs = d.nand.counters().gc_runs;
        const std::uint64_t more = runs - before;
        before = runs;
        if (++given > 2 * c.params.ftl.user_units) { // the first victims are of the fill
            one += more == 1 ? 1 : 0;
            several += more > 1 ? 1 : 0;
        }
    }));
    CHECK(one > 50);
    CHECK(several == 0);
}

TEST_CASE("given: data are where the map says, and the firmware goes on from there")
{
    drive d(config_of(GENERATE(0u, 1u), GENERATE(false, true)));
    REQUIRE(d.nand.precondition_by_counts(hot_and_cold(d.nand.config.params.ftl.user_units),
                                          tags_of(d)));
    REQUIRE(d.nand.precondition_end() == 0);
    d.create_queues();
    d.check_everything();
    std::mt19937_64 random(11);
    for (int i = 0; i < 4000; ++i) {
        while (!d.start_write(random() % (d.sectors() / 8) * 8, 8)) {
            REQUIRE(d.pump());
        }
    }
    d.drain();
    d.check_everything();
    d.check_rules();
}

TEST_CASE("given: power-up without the map finds each unit by its newest copy")
{
    drive d(config_of(GENERATE(0u, 1u), false));
    // Without precondition_end no record tells of anything: all is found by the spare words.
    REQUIRE(d.nand.precondition_by_counts(hot_and_cold(d.nand.config.params.ftl.user_units),
                                          tags_of(d)));
    power_cycle(d);
    d.check_everything();
    CHECK(d.nand.counters().mapped == d.nand.config.params.ftl.user_units);
}

} // namespace ssdvp::test::precondition_given_test
