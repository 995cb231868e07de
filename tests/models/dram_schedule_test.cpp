// SPDX-License-Identifier: Apache-2.0
//
// The bank model by hand: DDR3-1600 of 32 bits. A clock is 1.25 ns, a burst 32 bytes in 5 ns; tRCD,
// tCL, tRP 13.75 ns, tCWL 10 ns; 8 banks with rows of 4 KiB.
#include <catch2/catch.hpp>

#include "tests/models/dram_support.h"

namespace dram_schedule_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::dram;

namespace {

constexpr std::uint64_t next_row = 8 * 4096; // of the same bank

dram_config ddr3()
{
    return dram::test::standard_config(dram_standard::ddr3);
}

using dram::test::checked_schedule;

} // namespace

TEST_CASE("dram bank: a row that is closed, one that is open, and another one")
{
    checked_schedule s(ddr3());
    // ACT at 0, RD at 13.75 and 18.75, its data after 13.75 until 37.5.
    CHECK(s.read(0, 64) == 37500_ps);
    CHECK(s.read(64, 32, 1_us) == 1_us + 13750_ps + 5_ns);
    // PRE at 2 us, ACT at 2013.75, RD at 2027.5.
    CHECK(s.read(next_row, 32, 2_us) == 2_us + 3 * 13750_ps + 5_ns);
    const dram_stats stats = s.banks.stats(3_us);
    CHECK(stats.row_misses == 1);
    CHECK(stats.row_hits == 1);
    CHECK(stats.row_conflicts == 1);
    CHECK(stats.activates == 2);
    CHECK(stats.busy == 4 * 5_ns);
    CHECK(stats.bursts_read == 4);
    CHECK(stats.bytes_read == 128);
    CHECK(s.troubles(3_us) == "");
}

TEST_CASE("dram bank: a request waits for the next clock")
{
    checked_schedule s(ddr3());
    CHECK(s.read(0, 32, 1_ps) == 1250_ps + 2 * 13750_ps + 5_ns);
}

TEST_CASE("dram bank: the bus turns between reads and writes")
{
    checked_schedule s(ddr3());
    s.read(0, 32);
    CHECK(s.read(0, 32, 3_us) == 3_us + 18750_ps);
    // RD to WR: tCL + 5 + tRTW 2.5 - tCWL = 11.25; data 10 ns behind WR.
    CHECK(s.write(0, 32, 3_us) == 3_us + 11250_ps + 15_ns);
    // WR to RD: tCWL + 5 + tWTR 7.5 = 22.5.
    CHECK(s.read(0, 32, 3_us) == 3_us + 33750_ps + 18750_ps);
    CHECK(s.troubles(4_us) == "");
}

TEST_CASE("dram bank: a hit goes before an older miss if that does not wait for it")
{
    checked_schedule s(ddr3());
    s.read(0, 32);
    // PRE at 5 us.
    CHECK(s.read(next_row, 32, 5_us) == 5_us + 3 * 13750_ps + 5_ns);
    CHECK(s.read(32, 32, 4_us) == 4_us + 18750_ps);
    // RD at 4992.5 is the last one with tRTP 7.5 until that PRE ...
    CHECK(s.read(64, 32, 4992500_ps) == 4992500_ps + 18750_ps);
    // ... a clock later it is too late: ACT of the other row tRAS 35 ns before the PRE.
    const sim_time again = 5_us + 13750_ps + 35_ns + 2 * 13750_ps;
    CHECK(s.read(96, 32, 4993750_ps) == again + 18750_ps);
    CHECK(s.banks.stats(6_us).row_hits == 2);
    CHECK(s.banks.stats(6_us).row_conflicts == 2);
    CHECK(s.troubles(6_us) == "");
}

TEST_CASE("dram bank: a row that gives way to another one opens again in time")
{
    checked_schedule s(ddr3());
    s.read(0, 32);
    CHECK(s.read(0, 32, 6_us) == 6_us + 18750_ps);
    CHECK(s.read(next_row, 32, 5_us) == 5_us + 3 * 13750_ps + 5_ns);
    const dram_stats stats = s.banks.stats(7_us);
    CHECK(stats.row_hits == 0);
    CHECK(stats.row_conflicts == 2); // the other row, and the first one again
    CHECK(stats.activates == 3);
    CHECK(s.troubles(7_us) == "");
    // PRE, ACT, PRE, ACT, RD: tRP, tRAS, tRP and tRCD are 76.25 ns.
    for (const sim_time again : {5076250_ps, 5075_ns}) {
        checked_schedule tight(ddr3());
        tight.read(0, 32);
        tight.read(0, 32, again);
        const bool fits = again > 5075_ns; // else the younger one waits: tRTP, then as above
        CHECK(tight.read(next_row, 32, 5_us) ==
              (fits ? 5_us : again + 7500_ps) + 3 * 13750_ps + 5_ns);
        CHECK(tight.troubles(7_us) == "");
    }
}

TEST_CASE("dram bank: a row opens again only if it can be closed for what comes behind")
{
    // The refresh closes it at 7786.25, tRAS behind an ACT at 7751.25, that is tRP, tRAS, tRP
    // behind 7688.75.
    for (const sim_time at : {7688750_ps, 7690_ns}) {
        checked_schedule s(ddr3());
        s.read(0, 32);
        s.read(0, 32, 7778750_ps);
        const bool fits = at < 7690_ns;
        CHECK(s.read(next_row, 32, at) == (fits ? at + 13750_ps : 8060_ns) + 2 * 13750_ps + 5_ns);
        CHECK(s.troubles(9_us) == "");
    }
    // A third row opens at 5021.25: ACT, tRAS and tRP before that are an ACT at 4972.5.
    for (const sim_time at : {4910_ns, 4911250_ps}) {
        checked_schedule s(ddr3());
        s.read(0, 32);
        s.read(0, 32, 5_us);
        CHECK(s.read(2 * next_row, 32, 5007500_ps) == 5007500_ps + 3 * 13750_ps + 5_ns);
        const sim_time other = s.read(next_row, 32, at);
        // ... or it waits for that one: ACT, tRAS, tRP, tRCD.
        const sim_time late = 5021250_ps + 35_ns + 2 * 13750_ps + 18750_ps;
        CHECK(other == (at < 4911_ns ? at + 3 * 13750_ps + 5_ns : late));
        CHECK(s.troubles(6_us) == "");
    }
}

TEST_CASE("dram bank: a younger request for the same row takes the older one's activation")
{
    checked_schedule s(ddr3());
    CHECK(s.read(0, 32, 5_us) == 5_us + 2 * 13750_ps + 5_ns);
    CHECK(s.read(32, 32, 4_us) == 4_us + 2 * 13750_ps + 5_ns);
    CHECK(s.banks.stats(6_us).activates == 1);
    CHECK(s.banks.stats(6_us).row_hits == 1);
    // The time of the ACT at 5 us is free for another bank; RD at 5018.75, behind that of the
    // first.
    CHECK(s.read(4096, 32, 4998750_ps) == 5018750_ps + 18750_ps);
    CHECK(s.troubles(6_us) == "");
}

TEST_CASE("dram bank: a refresh closes the rows, and what is too long for it goes on behind it")
{
    checked_schedule s(ddr3());
    // PREA at 7786.25, REF at 7800, ACT 260 ns later.
    CHECK(s.read(0, 32, 7790_ns) == 8060_ns + 2 * 13750_ps + 5_ns);
    CHECK(s.read(0, 32, 8500_ns) == 8500_ns + 18750_ps); // the row is open again
    CHECK(s.troubles(9_us) == "");

    // RD from 7413.75 to 7778.75, tRTP before the PREA: 74 bursts; 54 from 8073.75 on.
    checked_schedule cut(ddr3());
    CHECK(cut.read(0, 4096, 7400_ns) == 8073750_ps + 53 * 5_ns + 18750_ps);
    CHECK(cut.banks.stats(9_us).row_misses == 2);
    CHECK(cut.banks.stats(9_us).bursts_read == 128);
    CHECK(cut.banks.stats(9_us).refreshes == 1);
    CHECK(cut.troubles(9_us) == "");

    dram_config grouped = ddr3();
    grouped.refresh_group = 3; // at 23.4 us, three in a row
    checked_schedule three(grouped);
    CHECK(three.read(0, 32, 7790_ns) == 7790_ns + 2 * 13750_ps + 5_ns);
    CHECK(three.read(0, 32, 23400_ns) == 23400_ns + 3 * 260_ns + 2 * 13750_ps + 5_ns);
    CHECK(three.banks.stats(24_us).refreshes == 3);
    CHECK(three.troubles(30_us) == "");
}

TEST_CASE("dram bank: with closed pages each run opens its row")
{
    dram_config c = ddr3();
    c.policy = page_policy::closed;
    checked_schedule s(c);
    CHECK(s.read(0, 32) == 32500_ps);
    CHECK(s.read(32, 32, 1_us) == 1_us + 32500_ps);
    // RD at 1013.75; PRE at 1035, tRAS behind the ACT; the next ACT at 1048.75 = tRC.
    CHECK(s.read(64, 32, 1_us) == 1_us + 48750_ps + 32500_ps);
    CHECK(s.banks.stats(2_us).row_misses == 3);
    CHECK(s.banks.stats(2_us).open == 3 * 35_ns);
    CHECK(s.troubles(2_us) == "");
}

TEST_CASE("dram bank: addresses fill rows, or go around the banks")
{
    const auto activates = [](address_mapping m, std::uint32_t interleave, std::uint64_t address,
                              std::uint64_t bytes) {
        dram_config c = ddr3();
        c.mapping = m;
        c.interleave = interleave;
        checked_schedule s(c);
        s.read(address, bytes);
        return s.banks.stats(3_us).activates;
    };
    CHECK(activates(address_mapping::row_bank_column, 512, 0, 4096) == 1);
    CHECK(activates(address_mapping::row_bank_column, 512, 2048, 4096) == 2);
    CHECK(activates(address_mapping::row_bank_column, 512, 4095, 2) == 2);
    CHECK(activates(address_mapping::bank_interleaved, 512, 0, 4096) == 8);
    CHECK(activates(address_mapping::bank_interleaved, 512, 0, 512) == 1);
    CHECK(activates(address_mapping::bank_interleaved, 1024, 0, 4096) == 4);
    CHECK(activates(address_mapping::bank_interleaved, 512, 0, 8192) == 8); // twice around
}

TEST_CASE("dram bank: groups take turns burst by burst, and pairs of banks keep tFAW")
{
    // DDR4-3200: clock 0.625 ns, tRRD 2.5, tRRD_L 4.9 -> 5, tFAW 21 -> 21.25 ns.
    const dram_config c = dram::test::standard_config(dram_standard::ddr4);
    bank_schedule banks(c);
    dram::test::recorder log;
    banks.attach(&log);
    for (std::uint64_t set = 0; set < 5; ++set) {
        banks.transfer(sim_time(), sim_time(), set * 8192, 64, false);
    }
    banks.tell(1_us);
    const auto acts = log.times(dram_command::ACT);
    REQUIRE(acts.size() == 10);
    const std::vector<sim_time> firsts = {acts[0], acts[2], acts[4], acts[6], acts[8]};
    CHECK(firsts == std::vector<sim_time>{0_ns, 5_ns, 21250_ps, 26250_ps, 42500_ps});
    CHECK(acts[1] == 2500_ps);
    std::vector<std::uint32_t> groups;
    for (const command& command : log.commands) {
        if (command.what == dram_command::RD) {
            groups.push_back(command.group);
        }
    }
    CHECK(groups == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
}

TEST_CASE("dram bank: power goes, and what was booked does not happen")
{
    checked_schedule s(ddr3());
    s.read(0, 4096); // RD from 13.75 on, each 5 ns
    s.write(next_row, 4096, 5_us);
    CHECK(s.banks.stats(100_ns).busy == 17 * 5_ns + 1250_ps);
    s.banks.cut(100_ns); // 18 commands were given: at 98.75 the last
    const dram_stats stats = s.banks.stats(100_ns);
    CHECK(stats.busy == 17 * 5_ns + 1250_ps);
    CHECK(stats.activates == 1);
    CHECK(stats.bytes_written == 4096);
    CHECK(stats.open == 100_ns);
    // Nobody waits for it; the refreshes of the time without power did not happen.
    CHECK(s.banks.transfer(20_us, 20_us, 0, 32, false) == 20_us + 32500_ps);
    CHECK(s.banks.stats(20_us).refreshes == 0);
    CHECK(s.banks.stats(24_us).refreshes == 1);
    CHECK(s.troubles(25_us) == "");
}

TEST_CASE("dram bank: the bus is busy as time goes on, not when it is booked")
{
    checked_schedule s(ddr3());
    s.read(0, 64);           // RD at 13.75 and 18.75
    s.read(128, 32, 100_ns); // at 100
    CHECK(s.banks.stats(13750_ps).busy == sim_time());
    CHECK(s.banks.stats(13751_ps).busy == 1_ps);
    CHECK(s.banks.stats(23749_ps).busy == 9999_ps);
    CHECK(s.banks.stats(23750_ps).busy == 10_ns);
    CHECK(s.banks.stats(100_ns).busy == 10_ns);
    CHECK(s.banks.stats(103_ns).busy == 13_ns);
    CHECK(s.banks.stats(1_us).busy == 15_ns);
}

} // namespace dram_schedule_test
