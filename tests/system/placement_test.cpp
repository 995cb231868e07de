// SPDX-License-Identifier: Apache-2.0
//
// Where a write lands, in whole drives: counts by LUN, closed formulas, and which placement is for
// what.
//
// The drive: 2 channels x 2 LUNs x 2 planes; a page of 16 KiB with 2208 spare bytes takes 27.874
// us on the bus of 667 MT/s, its command and address cycles less than 0.4 us.
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace placement_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

constexpr double page_us = (16384 + 2208) / 667.0;
constexpr double cycles_us = 0.4;
constexpr double tPROG_us = 700;

double mean_us(const test::platform_run& r)
{
    return (r.reads().requests != 0 ? r.reads() : r.writes()).latency.mean() / 1e6;
}
double mean_flush_us(const test::platform_run& r)
{
    return r.sim->requests().kind(host::request_kind::flush).latency.mean() / 1e6;
}
double bandwidth(const test::platform_run& r)
{
    return r.bytes_per_second();
}
double strayed(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->strayed_units);
}

texts with(texts sets, const texts& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// Pages 0 .. n-1, one program each, to the flash at once.
texts first_pages(unsigned n)
{
    return {"workload.0.block_size=16KiB",
            "workload.0.queue_depth=1",
            "cache.policy=none",
            "ftl.map_unit=16KiB",
            "ftl.checkpoint_interval=1GiB",
            "run.requests=" + std::to_string(n)};
}

template <unsigned channel, unsigned lun>
double programs(const test::platform_run& r)
{
    return static_cast<double>(r.measured().channels.at(channel).luns.at(lun).programs);
}

struct spread {
    double lun[2][2]; // by channel and LUN of it
};

spread measured_spread(const texts& sets)
{
    const texts files = {"device/small", "workload/sequential-write"};
    return {{{test::measure_apart(files, sets, programs<0, 0>),
              test::measure_apart(files, sets, programs<0, 1>)},
             {test::measure_apart(files, sets, programs<1, 0>),
              test::measure_apart(files, sets, programs<1, 1>)}}};
}

} // namespace

TEST_CASE("placement: pages 0 .. n-1 are programmed where the order says")
{
    // Channel, way and plane have two values each: a digit of the page number by its letter's rank.
    struct row {
        const char* order;
        unsigned channel_bit, lun_bit;
    };
    const row rows[] = {{"CWDP", 0, 1}, {"WDPC", 2, 0}, {"PCWD", 1, 2}};
    for (const row& r : rows) {
        for (const unsigned n : {5u, 13u}) {
            INFO(r.order << ", " << n << " pages");
            spread expected{};
            for (unsigned page = 0; page < n; ++page) {
                expected.lun[page >> r.channel_bit & 1][page >> r.lun_bit & 1] += 1;
            }
            const spread found =
                measured_spread(with(first_pages(n), {std::string("ftl.placement=") + r.order}));
            for (unsigned channel = 0; channel < 2; ++channel) {
                for (unsigned lun = 0; lun < 2; ++lun) {
                    CHECK(found.lun[channel][lun] == expected.lun[channel][lun]);
                }
            }
        }
    }
}

TEST_CASE("dies_per_chip: with W before D the dies of a chip come last")
{
    // Pages 0 and 1 lie on LUN 0 and 1 of channel 0; with two dies to the chip W has one value, and
    // they are the dies.
    const texts order = with(first_pages(2), {"ftl.placement=WCDP"});
    const spread apart = measured_spread(with(order, {"flash.dies_per_chip=1"}));
    CHECK(apart.lun[0][0] == 1);
    CHECK(apart.lun[0][1] == 1);
    const spread one_chip = measured_spread(with(order, {"flash.dies_per_chip=2"}));
    CHECK(one_chip.lun[0][0] == 1);
    CHECK(one_chip.lun[1][0] == 1);
    test::check_direction({"flash.dies_per_chip",
                           "2", // two channels
                           "1", // two LUNs of one channel
                           mean_us,
                           {"ftl.placement=WCDP"}},
                          {"device/small", "workload/sequential-read"},
                          {"precondition.fill=1", "workload.0.block_size=32KiB",
                           "workload.0.queue_depth=1", "run.requests=500"});
}

TEST_CASE(
    "placement: reads of two pages in a row wait for one transfer with CWDP, for two with WDPC")
{
    const texts sets = {"precondition.fill=1", "workload.0.block_size=32KiB",
                        "workload.0.queue_depth=1", "run.requests=500"};
    const auto latency = [&](const char* order) {
        return test::measure_apart({"device/small", "workload/sequential-read"},
                                   with(sets, {std::string("ftl.placement=") + order}), mean_us);
    };
    const double cwdp = latency("CWDP"); // on two channels
    const double wdpc = latency("WDPC"); // on two LUNs of a channel
    CHECK(wdpc - cwdp < page_us);        // the first page goes to the host meanwhile
    CHECK(wdpc - cwdp > 0.8 * page_us);
}

TEST_CASE("placement: random writes that wait for the flash are faster to the shortest queue")
{
    const texts sets = {"precondition.fill=0.5",    "workload.0.block_size=16KiB",
                        "workload.0.queue_depth=8", "run.requests=3000",
                        "cache.policy=none",        "ftl.map_unit=16KiB"};
    for (const char* dynamic : {"shortest_queue", "channel_die"}) {
        INFO(dynamic);
        test::check_direction({"ftl.placement", "CWDP", dynamic, bandwidth, {}},
                              {"device/small", "workload/random-write"}, sets);
    }
    // ... and so are writes that an order would send to a part of the LUNs only.
    test::check_direction({"ftl.placement",
                           "PWDC",
                           "channel_die",
                           bandwidth,
                           {"workload.0.range.size=64MiB", "workload.0.pattern=hot_cold",
                            "workload.0.hot_fraction=0.001"}},
                          {"device/small", "workload/random-write"}, sets);
}

TEST_CASE("placement: reads in order are faster after a static order than after a dynamic choice")
{
    // What random writes left behind is read in order: by address pages of a request lie apart, by
    // queue they lie where there was room.
    const texts sets = {
        "precondition.fill=1",       "precondition.overwrite=1", "workload.0.block_size=64KiB",
        "workload.0.queue_depth=1",  "run.requests=600",         "ftl.map_unit=16KiB",
        "ftl.over_provisioning=0.3", "run.warmup=4000"}; // collection is through by then
    const auto latency = [&](const char* where) {
        return test::measure_apart({"device/small", "workload/sequential-read"},
                                   with(sets, {std::string("ftl.placement=") + where}), mean_us);
    };
    const double fixed = latency("CWDP");
    CHECK(fixed * 1.05 < latency("shortest_queue"));
    CHECK(fixed * 1.05 < latency("round_robin"));
}

TEST_CASE("placement_window: planes that may be further apart lose fewer units")
{
    test::check_direction({"ftl.placement_window", "4", "1", strayed, {}},
                          {"device/small", "workload/random-write"},
                          {"ftl.placement=CWDP", "run.requests=30000", "ftl.over_provisioning=0.4",
                           "nand.pages_per_block=32"});
}

TEST_CASE("multi_plane_threshold: a flush of two pages waits for one program or for two")
{
    // One LUN, and a flush behind each write. A page that is programmed alone takes its transfer
    // and tPROG. Of two the second waits for all of the first, or both are transferred, with tDBSY
    // between them, before the common program.
    const texts one = {"flash.channels=1",
                       "flash.luns_per_channel=1",
                       "workload.0.queue_depth=1",
                       "workload.0.flush_every=1",
                       "run.requests=60",
                       "nand.tPROG=700us",
                       "nand.tDBSY=500ns",
                       "cpu.instructions_per_call=0",
                       "ftl.checkpoint_interval=1GiB"};
    const auto latency = [&](const char* size, const char* threshold) {
        return test::measure_apart(
            {"device/small", "workload/sequential-write"},
            with(one, {std::string("workload.0.block_size=") + size,
                       std::string("ftl.multi_plane_threshold=") + threshold}),
            mean_flush_us);
    };
    const double tDBSY_us = 0.5;
    const double page = latency("16KiB", "0s");
    CHECK(latency("16KiB", "1ns") == page); // nothing to wait for
    const double together = latency("32KiB", "0s");
    const double in_turn = latency("32KiB", "1ns");
    CHECK(in_turn - together == Approx(tPROG_us - tDBSY_us).epsilon(0.02));
    CHECK(together - page == Approx(page_us + cycles_us + tDBSY_us).epsilon(0.1));
    // At the edge: page transfer + tDBSY = 28.3741 us.
    CHECK(latency("32KiB", "28374ns") == in_turn);
    CHECK(latency("32KiB", "28375ns") == together);
}

} // namespace placement_test
