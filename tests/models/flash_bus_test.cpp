// SPDX-License-Identifier: Apache-2.0
//
// Cycle times: ONFI's Timing Modes and Parameters; whole reads and programs, worked out by hand, to
// the picosecond.
#include <stdexcept>

#include "tests/models/flash_bench.h"

namespace flash_bus_test {

using namespace ssdvp;
using namespace ssdvp::flash;
using namespace ssdvp::literals;

namespace {

cycle_timing timing(data_interface mode, std::uint64_t mega_transfers = 0)
{
    return cycle_timing({mode, rate(mega_transfers * 1000 * 1000)});
}

onfi::extension group(onfi::opcode first, onfi::opcode second, unsigned columns, unsigned rows)
{
    onfi::extension g;
    g.first = first;
    g.second = second;
    g.column_cycles = static_cast<std::uint8_t>(columns);
    g.row_cycles = static_cast<std::uint8_t>(rows);
    return g;
}

channel_config slc_2k()
{
    channel_config c = small_config();
    c.luns = 1;
    c.ecc_latency = sim_time();
    c.die.geo = {2, 8, 64, 2048, 64};
    c.die.stored_oob = 64;
    c.die.cell = cell_type::slc;
    c.die.timing = {{25_us}, {200_us}, 500_ns, 5_us};
    c.bus = {data_interface::sdr5, rate()};
    return c;
}

flash_desc page_and_spare(flash_op op, unsigned tag)
{
    flash_desc d = descriptor(op, tag);
    d.length = 2048;
    d.oob = bench::data_base + 0x80000;
    d.oob_length = 64;
    return d;
}

} // namespace

TEST_CASE("oracle 8.5: SDR 5 read of 2112 bytes takes 67.50 us")
{
    bench b(slc_2k());
    b.submit(page_and_spare(FLASH_OP_READ, 1));
    b.run();
    CHECK(b.posted.at(1) == sim_time(67500000));
}

TEST_CASE("oracle 8.5: SDR 5 program of 2112 bytes takes 242.55 us")
{
    channel_config config = slc_2k();
    config.status_poll = false;
    const cycle_timing sdr5 = timing(data_interface::sdr5).with_tADL(70_ns);
    bench b(config, &sdr5);
    b.submit(page_and_spare(FLASH_OP_PROGRAM, 1));
    b.run();
    CHECK(b.posted.at(1) == sim_time(242550000));
}

TEST_CASE("oracle 8.5: transfers at named rates")
{
    CHECK(timing(data_interface::nv_ddr2, 400).data(18592, false) == sim_time(46480000));
    // 667 MT/s is a cycle of 3 ns: 27.888 us, printed as 27.89.
    CHECK(timing(data_interface::nv_ddr3, 667).data(18592, false) == sim_time(27888000));
    CHECK(timing(data_interface::sdr4).data(4096, false) == sim_time(102400000));
}

TEST_CASE("oracle 8.5: a two-plane read shares tR, its transfers follow each other")
{
    bench b(slc_2k());
    flash_desc d = page_and_spare(FLASH_OP_READ, 1);
    d.plane_mask = 3;
    b.submit(d);
    b.run();
    // 2 command sequences, tWB + tDBSY between, tWB + tR, then per plane 06h c r E0h, tCCS, data.
    const sim_time commands = 14 * 20_ns + 100_ns + 500_ns + 100_ns + 25_us;
    const sim_time out = 2 * (7 * 20_ns + 500_ns + 2112 * 20_ns) + 100_ns; // tRHW between
    CHECK(b.posted.at(1) == commands + out);
    CHECK(b.channel.stats().multi_plane == 1);
}

TEST_CASE("table 8.1: data cycles of each mode")
{
    using di = data_interface;
    const std::array<std::pair<std::uint64_t, std::uint64_t>, 6> sdr = {
        {{100, 100}, {50, 45}, {35, 35}, {30, 30}, {25, 25}, {20, 20}}}; // tRC, tWC in ns
    for (std::size_t i = 0; i < sdr.size(); ++i) {
        const cycle_timing t = timing(static_cast<di>(i));
        CHECK(t.data(1, false).ns() == sdr[i].first);
        CHECK(t.data(1, true).ns() == sdr[i].second);
    }
    CHECK(timing(di::nv_ddr, 200).data(2, true) == 10_ns);
    CHECK(timing(di::nv_ddr, 133).data(2, true) == 15_ns);
    CHECK(timing(di::nv_ddr2, 533).data(2, true) == sim_time(3750));
    CHECK(timing(di::nv_ddr3, 800).data(2, true) == sim_time(2500));
    // Two bytes per cycle: an odd byte takes a whole one.
    CHECK(timing(di::nv_ddr3, 800).data(3, true) == 5_ns);
    // A rate without a name is exact, rounded up once at the end: 4096 / 1.2e9 s.
    CHECK(timing(di::nv_ddr3, 1200).data(4096, false) == sim_time(3413334));
    CHECK_THROWS_AS(timing(di::nv_ddr3, 0), std::invalid_argument);
}

TEST_CASE("table 8.3: each constant counts in the group it belongs to")
{
    const cycle_timing t = timing(data_interface::sdr0);
    CHECK(t.times().tWB == 200_ns);
    CHECK(t.times().tRHW == 200_ns);
    CHECK(timing(data_interface::sdr5).times().tWB == 100_ns);

    CHECK(t.group(group(onfi::READ_1, onfi::READ_2, 2, 3), 0) == 700_ns);
    CHECK(t.group(group(onfi::ERASE_1, onfi::ERASE_2, 0, 3), 0) == 500_ns);
    CHECK(t.group(group(onfi::ERASE_1, onfi::ERASE_2, 0, 4), 0) == 600_ns);
    onfi::extension program = group(onfi::PROGRAM_1, onfi::PROGRAM_2, 2, 3);
    program.data_in = true;
    CHECK(t.group(program, 10) == 600_ns + 400_ns + 1000_ns + 100_ns); // tADL
    onfi::extension out = group(onfi::NO_COMMAND, onfi::NO_COMMAND, 0, 0);
    out.data_out = true;
    CHECK(t.group(out, 10) == 40_ns + 1000_ns); // tRR
    onfi::extension status = group(onfi::STATUS, onfi::NO_COMMAND, 0, 0);
    status.data_out = true;
    CHECK(t.group(status, 1) == 100_ns + 120_ns + 100_ns); // tWHR
    onfi::extension column =
        group(onfi::CHANGE_READ_COLUMN_ENHANCED_1, onfi::CHANGE_READ_COLUMN_2, 2, 3);
    column.data_out = true;
    CHECK(t.group(column, 10) == 700_ns + 500_ns + 1000_ns); // tCCS
}

TEST_CASE("tRHW keeps the next command off the bus after data out")
{
    channel_config config = slc_2k();
    config.luns = 2;
    bench b(config);
    flash_desc d = page_and_spare(FLASH_OP_READ, 1);
    b.submit(d);
    d.tag = 2;
    b.submit(d); // same LUN: its command follows the first one's data at once
    b.run();
    CHECK(b.posted.at(2) - b.posted.at(1) == 67500_ns + 100_ns);
}

TEST_CASE("bus time is the time of the cycles")
{
    bench b(slc_2k());
    b.submit(page_and_spare(FLASH_OP_READ, 1));
    b.run();
    CHECK(b.channel.stats().busy == 7 * 20_ns + 20_ns + 2112 * 20_ns);
}

} // namespace flash_bus_test
