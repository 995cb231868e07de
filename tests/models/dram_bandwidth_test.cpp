// SPDX-License-Identifier: Apache-2.0
//
// What banks, rows and refreshes leave of the peak, against closed formulas.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/models/dram_support.h"

namespace dram_bandwidth_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::dram;

namespace {

using dram::test::checked_schedule;

constexpr std::uint64_t page = 4096;

double ratio(sim_time a, sim_time b)
{
    return static_cast<double>(a.ps()) / static_cast<double>(b.ps());
}

/// Time of `bytes` read in pages, all asked for at once.
sim_time stream(const dram_config& c, std::uint64_t bytes, bool write = false)
{
    checked_schedule s(c);
    sim_time end;
    for (std::uint64_t at = 0; at < bytes; at += page) {
        end = write ? s.write(at, page) : s.read(at, page);
    }
    CHECK(s.troubles(end + 1_us) == "");
    return end;
}

/// Mean distance of `count` accesses of a burst to each group, each to another row, that go around
/// `sets` sets; before the first refresh.
sim_time each_of(const dram_config& c, std::uint64_t count, std::uint64_t sets)
{
    checked_schedule s(c);
    const bank_timing& t = s.banks.timing();
    const std::uint64_t row = std::uint64_t{c.row_size} * t.ways;
    const std::uint64_t bytes = std::uint64_t{burst_of(c.standard, c.width)} * t.ways;
    sim_time first, last;
    for (std::uint64_t i = 0; i < count; ++i) {
        last = s.read(row * (i % sets + t.sets * (i / sets)), bytes);
        first = i == 0 ? last : first;
    }
    REQUIRE(last < t.refresh_period);
    CHECK(s.troubles(last + 1_us) == "");
    CHECK(s.banks.stats(last).row_hits == 0);
    return sim_time((last - first).ps() / (count - 1));
}

} // namespace

TEST_CASE("dram bandwidth: a stream has the peak, less tRFC in each tREFI")
{
    // Beside tRFC the rows must be closed and opened: tRTP or tWR, tRP, tRCD, 0.8 % at most.
    for (const dram_standard standard : dram::test::all_standards) {
        for (const bool write : {false, true}) {
            const dram_config c = dram::test::standard_config(standard);
            const bank_timing t(c);
            const std::uint64_t bytes = 2 << 20;
            const sim_time peak = bytes / burst_of(standard, c.width) * t.burst;
            const double left = 1.0 - ratio(t.figures.tRFC, t.figures.tREFI);
            const double got = ratio(peak, stream(c, bytes, write));
            INFO(table_of(standard).name << ": " << got << " of the peak, " << left);
            CHECK(got <= left);
            const sim_time lost = t.write_to_close + t.figures.tRP + t.open_for(0) + t.burst;
            CHECK(got >= left - ratio(lost, t.figures.tREFI) - 0.002);
        }
    }
}

TEST_CASE("dram bandwidth: what a refresh takes is tRFC / tREFI")
{
    for (const dram_standard standard : dram::test::all_standards) {
        dram_config c = dram::test::standard_config(standard);
        const double once = ratio(c.timing.tRFC, c.timing.tREFI);
        const sim_time base = stream(c, 2 << 20);
        c.timing.tRFC = 2 * c.timing.tRFC;
        const double slower = ratio(stream(c, 2 << 20), base);
        INFO(table_of(standard).name);
        CHECK(slower == Approx((1 - once) / (1 - 2 * once)).epsilon(0.005));
    }
}

TEST_CASE("dram bandwidth: closed pages lose a bank's cycle where a row has several pages")
{
    for (const dram_standard standard : dram::test::all_standards) {
        dram_config c = dram::test::standard_config(standard);
        c.policy = page_policy::closed;
        const bank_timing t(c);
        const std::uint64_t row = std::uint64_t{c.row_size} * t.ways;
        const std::uint64_t bytes = 1 << 20;
        // A page after the last one of its row: at once. After another one: RD, PRE, ACT, RD.
        const sim_time bus = page / burst_of(standard, c.width) * t.burst;
        const sim_time again = t.figures.tRTP + t.figures.tRP + t.open_for(0) - t.spacing;
        const sim_time per_row = row / page * bus + (row / page - 1) * again;
        const double left = 1.0 - ratio(t.figures.tRFC, t.figures.tREFI);
        const double expected = static_cast<double>((bytes / row * per_row).ps()) / left;
        INFO(table_of(standard).name);
        CHECK(static_cast<double>(stream(c, bytes).ps()) == Approx(expected).epsilon(0.015));
    }
}

TEST_CASE("dram bandwidth: random rows of one bank cycle with it")
{
    for (const dram_standard standard : dram::test::all_standards) {
        for (const page_policy policy : {page_policy::open, page_policy::closed}) {
            dram_config c = dram::test::standard_config(standard);
            c.policy = policy;
            const bank_timing t(c);
            const sim_time used = t.open_for(0) + (t.ways - 1) * t.spacing + t.figures.tRTP;
            const sim_time cycle = later(t.least_open, used) + t.figures.tRP;
            INFO(table_of(standard).name);
            CHECK(each_of(c, 40, 1) == cycle);
        }
    }
}

TEST_CASE("dram bandwidth: random rows of all banks are bound by tFAW, tRRD, the bus or the banks")
{
    for (const dram_standard standard : dram::test::all_standards) {
        for (const page_policy policy : {page_policy::open, page_policy::closed}) {
            dram_config c = dram::test::standard_config(standard);
            c.policy = policy;
            const bank_timing t(c);
            const sim_time cycle = t.least_open + t.figures.tRP;
            const sim_time four = sim_time(t.figures.tFAW.ps() / t.window);
            const sim_time bus = t.ways * t.spacing;
            sim_time bound = later(later(four, t.between_sets), bus);
            bound = later(bound, sim_time(cycle.ps() / t.sets));
            INFO(table_of(standard).name << " every " << bound.ps() << " ps");
            CHECK(ratio(each_of(c, 120, t.sets), bound) == Approx(1.0).epsilon(0.02));
        }
    }
}

TEST_CASE("dram bandwidth: tFAW alone bounds random rows when it is long")
{
    dram_config c = dram::test::standard_config(dram_standard::ddr3);
    c.timing.tFAW = 200_ns;
    CHECK(ratio(each_of(c, 121, 8), 50_ns) == Approx(1.0).epsilon(0.001));
}

TEST_CASE("dram bandwidth: each turn of the bus costs what the rules say")
{
    for (const dram_standard standard : dram::test::all_standards) {
        const dram_config c = dram::test::standard_config(standard);
        checked_schedule s(c);
        const bank_timing& t = s.banks.timing();
        const std::uint64_t bytes = 8 * burst_of(standard, c.width);
        s.write(0, bytes);
        const sim_time begin = s.read(0, bytes);
        sim_time end;
        for (unsigned i = 0; i < 10; ++i) {
            s.write(0, bytes);
            end = s.read(0, bytes);
        }
        REQUIRE(end < t.refresh_period);
        INFO(table_of(standard).name);
        CHECK(end - begin == 10 * (2 * 7 * t.spacing + t.read_to_write + t.write_to_read));
        CHECK(s.troubles(end + 1_us) == "");
    }
}

TEST_CASE("dram contention: four masters share the bus evenly")
{
    for (const dram_standard standard : dram::test::all_standards) {
        const dram_config c = dram::test::standard_config(standard);
        checked_schedule s(c);
        std::array<sim_time, 4> done{}; // each asks for its next page when it has the one before
        std::array<unsigned, 4> pages{};
        const sim_time all = 100_us;
        for (;;) {
            const auto next = std::min_element(done.begin(), done.end());
            if (*next >= all) {
                break;
            }
            const auto master = static_cast<std::size_t>(next - done.begin());
            // Other rows and other banks than those of the others.
            const std::uint64_t row = std::uint64_t{c.row_size} * s.banks.timing().ways;
            const std::uint64_t base = master * ((64ull << 20) + 2 * row);
            const std::uint64_t address = base + pages[master]++ * page;
            *next = s.banks.transfer(*next, *next, address, page, false);
        }
        const bank_timing& t = s.banks.timing();
        const double used = ratio(s.banks.stats(all).busy, all);
        INFO(table_of(standard).name << " busy " << used);
        CHECK(used > 0.9 * (1.0 - ratio(t.figures.tRFC, t.figures.tREFI)));
        const auto [least, most] = std::minmax_element(pages.begin(), pages.end());
        CHECK(*most - *least <= 2);
        CHECK(s.troubles(all) == "");
    }
}

TEST_CASE("dram contention: nobody starves behind hits of others")
{
    // One master streams through an open row without a pause; the other one wants another row of
    // the same bank. It waits for what was asked before it, and no longer.
    const dram_config c = dram::test::standard_config(dram_standard::ddr3);
    checked_schedule s(c);
    sim_time hits;
    for (unsigned i = 0; i < 4; ++i) {
        hits = s.read(i * 512, 512); // 80 ns each
    }
    const sim_time miss = s.read(8 * page, 64);
    CHECK(miss == hits - 18750_ps + 7500_ps + 3 * 13750_ps + 10_ns);
    // Hits that come later wait in their turn.
    CHECK(s.read(2048, 512) > miss);
    CHECK(s.troubles(2_us) == "");
}

} // namespace dram_bandwidth_test
