// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "platform/report/bottleneck.h"
#include "platform/report/occupancy.h"
#include "tests/unit/report_sample.h"

namespace report_bottleneck_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using parts = std::vector<std::pair<latency_part, sim_time>>;

/// The sample, idle: every LUN and bus has worked for 100 us of 1 ms.
report_test::sample idle()
{
    report_test::sample s;
    for (auto& channel : s.m.measured.channels) {
        channel.busy = 100_us;
        for (auto& lun : channel.luns) {
            lun.busy = lun.held = 100_us;
        }
    }
    return s;
}

/// Requests, whose time is of these parts; the drive hears of them after `in_driver`.
void requests_of(report_test::sample& s, const parts& of, unsigned count = 100,
                 sim_time in_driver = {})
{
    s.requests = platform::request_statistics(2);
    s.requests.begin_measurement();
    for (unsigned i = 0; i < count; ++i) {
        sim_time sum;
        for (const auto& [part, time] : of) {
            sum += time;
        }
        auto r = report_test::finished(host::request_kind::read, i, 1_ms, sum);
        r.submitted += in_driver;
        r.parts.fill(sim_time());
        for (const auto& [part, time] : of) {
            r.parts[static_cast<std::size_t>(part)] = time;
        }
        s.requests.on_complete(r);
    }
}

platform::bottleneck of(const report_test::sample& s)
{
    return platform::bottleneck_of(s.m, s.requests);
}

TEST_CASE("bottleneck: a resource at its limit, and one of many that stands out", "[report][trust]")
{
    report_test::sample s = idle();
    const auto all_luns = [&s](sim_time busy) {
        for (auto& channel : s.m.measured.channels) {
            for (auto& lun : channel.luns) {
                lun.busy = busy;
            }
        }
    };
    all_luns(950_us);
    CHECK(of(s).resource == "luns");
    CHECK(of(s).by == "occupancy");
    CHECK(of(s).busy == Approx(0.95));
    CHECK(of(s).what_if.value == "luns");
    all_luns(949_us);
    CHECK(of(s).by != "occupancy");
    all_luns(860_us);
    s.m.measured.channels[0].luns[0].busy = 960_us; // hardly more than the others
    CHECK(of(s).resource == "luns");
    CHECK(of(s).busy == Approx(0.96));
    all_luns(700_us);
    s.m.measured.channels[0].luns[0].busy = 960_us;
    CHECK(of(s).resource == "lun 0/0");
    s.m.measured.cpu[0].busy = 970_us;
    CHECK(of(s).resource == "core 0");
    s.m.measured.link->busy_up = 990_us;
    CHECK(of(s).resource == "link_up");
    CHECK(of(s).on_host_side);
    CHECK(of(s).what_if.text() == "run.faster=link, 20 % faster");
}

TEST_CASE("bottleneck: a LUN is held until its page is out, but a busy bus comes first",
          "[report][trust]")
{
    report_test::sample s = idle();
    for (auto& channel : s.m.measured.channels) {
        for (auto& lun : channel.luns) {
            lun.busy = 720_us;
            lun.held = 990_us;
        }
    }
    CHECK(of(s).resource == "luns");
    CHECK(of(s).text.find("held for 99.0 %") != std::string::npos);
    for (auto& channel : s.m.measured.channels) {
        channel.busy = 960_us;
    }
    CHECK(of(s).resource == "channels");
}

TEST_CASE("bottleneck: what takes most of a request's time", "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::array, 51_us}, {latency_part::bus, 49_us}});
    CHECK(of(s).resource == "luns");
    CHECK(of(s).by == "time");
    CHECK(of(s).share == Approx(0.51));
    requests_of(s, {{latency_part::array, 50_us}, {latency_part::bus, 50_us}});
    CHECK(of(s).resource == "chain");
    CHECK(of(s).what_if.key.empty());
    REQUIRE(of(s).chain.size() == 2);
    requests_of(s, {{latency_part::wait_core, 60_us}, {latency_part::array, 40_us}});
    CHECK(of(s).resource == "cores");
    requests_of(s, {{latency_part::wait_power, 60_us}, {latency_part::array, 40_us}});
    CHECK(of(s).resource == "power_states");
    CHECK(of(s).what_if.text() == "run.faster=power, 20 % faster");
    CHECK(of(s).text.find("the way out of power states: 60 %") == 0);
    requests_of(s, {{latency_part::completion, 60_us}, {latency_part::array, 40_us}});
    CHECK(of(s).resource == "host");
    requests_of(s, {{latency_part::link, 60_us}, {latency_part::array, 40_us}});
    CHECK(of(s).resource == "link");
    requests_of(s, {{latency_part::queue, 60_us}, {latency_part::array, 40_us}});
    CHECK(of(s).resource == "channels");
    s.m.drive.submit_ns = 55e3; // most of it passed in the driver
    CHECK(of(s).resource == "host");
}

TEST_CASE("bottleneck: a wait for an entry of the driver's queue is left out", "[report][trust]")
{
    report_test::sample s = idle();
    const parts of_each = {
        {latency_part::queue, 90_us}, {latency_part::array, 8_us}, {latency_part::bus, 2_us}};
    requests_of(s, of_each);
    CHECK(of(s).resource == "channels"); // all of it in the drive
    requests_of(s, of_each, 100, 88_us);
    CHECK(of(s).resource == "luns");
    CHECK(of(s).share == Approx(8.0 / 12.0));
    CHECK(of(s).text.find("a request's time, without waits for a free entry,") !=
          std::string::npos);
    CHECK(of(s).chain[0].second == Approx(0.9));
    s.m.drive.submit_ns = 80e3; // but the driver's own work is the host's
    CHECK(of(s).resource == "host");
    CHECK(of(s).share == Approx(80.0 / 92.0));
}

TEST_CASE("bottleneck: a write that waits for a slot waits for who empties the buffer",
          "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::wait_buffer, 90_us}, {latency_part::link, 10_us}});
    s.m.measured.channels[1].busy = 600_us;
    s.m.measured.channels[0].busy = 600_us;
    CHECK(of(s).resource == "channels");
    for (auto& channel : s.m.measured.channels) {
        for (auto& lun : channel.luns) {
            lun.held = 700_us;
        }
    }
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: who waits for collection waits for the busiest that does it",
          "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::wait_gc, 60_us}, {latency_part::completion, 40_us}});
    for (auto& channel : s.m.measured.channels) {
        channel.busy = 600_us;
        for (auto& lun : channel.luns) {
            lun.held = 700_us; // some of that waits for the bus
            lun.busy = 500_us;
        }
    }
    CHECK(of(s).resource == "channels");
    CHECK(of(s).share == Approx(0.6));
    for (auto& channel : s.m.measured.channels) {
        for (auto& lun : channel.luns) {
            lun.busy = 601_us;
        }
    }
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: places for commands count when more of them would come through",
          "[report][trust]")
{
    report_test::sample s = idle();
    s.m.drive.slots = 2;
    s.m.measured.nvme->slot_wait = 1_ms;
    requests_of(s, {{latency_part::front_end, 800_us},
                    {latency_part::array, 110_us},
                    {latency_part::bus, 90_us}});
    s.m.measured.nvme->slot_wait = 900_us; // not all the time
    CHECK(of(s).resource == "front_end");
    s.m.measured.nvme->slot_wait = 1_ms;
    CHECK(of(s).resource == "slots");
    CHECK(of(s).what_if.text() == "host.nvme.slots=3, 50 % more of them");
    for (auto& channel : s.m.measured.channels) { // no: the LUNs have little time left
        for (auto& lun : channel.luns) {
            lun.held = 900_us;
        }
    }
    CHECK(of(s).resource == "luns");
    CHECK(of(s).share == Approx(0.55));
    s.m.measured.nvme->slot_wait = 600_us;
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: tags, where the link's time is waiting for them", "[report][trust]")
{
    report_test::sample s = idle();
    s.m.drive.tags = 32;
    requests_of(s, {{latency_part::link, 90_us}, {latency_part::array, 10_us}});
    CHECK(of(s).resource == "link");
    s.m.measured.link->tags_out = 600_us;
    CHECK(of(s).resource == "tags");
    CHECK(of(s).what_if.value == "39");
}

TEST_CASE("bottleneck: heat and power hold others back", "[report][trust]")
{
    report_test::sample s = idle();
    s.m.measured.thermal.emplace();
    s.m.measured.thermal->time[1] = 199_us;
    CHECK(of(s).resource != "heat");
    s.m.measured.thermal->time[3] = 1_us;
    CHECK(of(s).resource == "heat");
    CHECK(of(s).by == "restraint");
    s.m.measured.cpu[0].busy = 990_us; // at a divided clock
    s.m.measured.cpu[0].slowed = 700_us;
    CHECK(of(s).resource == "heat");
    s.m.measured.thermal.reset();
    s.m.drive.state_watts = {2.0}; // of 2 mJ in 1 ms
    s.m.measured.states.emplace();
    s.m.measured.states->states.resize(1);
    s.m.measured.states->states[0].time = 1_ms;
    s.m.measured.states->states[0].energy = uint128{1900000000000} * 1000000000000;
    CHECK(of(s).resource == "power");
    s.m.measured.states->states[0].energy = uint128{1890000000000} * 1000000000000;
    CHECK(of(s).resource != "power");
}

TEST_CASE("bottleneck: a load that is served limits itself", "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::array, 10_us}}, 900); // a standard error of 3.3 %
    s.m.drive.load.rate = 900000.0 / 0.88 - 1.0;
    CHECK(of(s).resource == "load");
    CHECK(of(s).what_if.key.empty());
    s.m.drive.load.rate = 900000.0 / 0.88 + 1.0;
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: a load whose queue wanders is at the drive's limit", "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::array, 10_us}}, 900);
    s.m.drive.load.rate = 900000.0;
    const auto pieces = [&s](std::uint64_t stretch) { // of 64, up and down
        s.m.samples.assign(1, {});
        for (std::uint64_t i = 0; i < 64; ++i) {
            platform::run_sample at = s.m.samples.back();
            at.when += 15_us;
            at.kinds[0].requests += 14;
            at.kinds[0].latency +=
                14 * ((i / stretch % 2 == 0 ? 10e6 : 11e6) + static_cast<double>(i % 5));
            s.m.samples.push_back(at);
        }
    };
    pieces(4);
    CHECK(of(s).resource == "load");
    pieces(8);
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: a trace that keeps its times limits itself", "[report][trust]")
{
    report_test::sample s = idle();
    requests_of(s, {{latency_part::array, 40_us}}, 7); // 280 us of 1 ms: 0.28 in flight
    s.m.drive.load.depth = 1;
    CHECK(of(s).resource == "luns");
    s.m.drive.load.timed = true;
    CHECK(of(s).resource == "load");
    s.m.measured.when = 556_us; // 0.504 in flight
    CHECK(of(s).resource == "luns");
}

TEST_CASE("bottleneck: what LUNs worked for", "[report][trust]")
{
    report_test::sample s = idle();
    // 6 reads in 600 us, 5 programs in 1,000 us: of the host 4 and 2, of collection 2 and 1.
    s.m.measured.channels[0].luns[0].arrays[0].time = 600_us;
    s.m.measured.channels[0].luns[0].arrays[1].time = 1000_us;
    const auto shares = platform::array_shares(s.m.measured);
    CHECK(shares[FLASH_PURPOSE_HOST] == Approx(800.0 / 1600));
    CHECK(shares[FLASH_PURPOSE_GC] == Approx(400.0 / 1600));
    CHECK(shares[FLASH_PURPOSE_WEAR] == Approx(200.0 / 1600));
    requests_of(s, {{latency_part::array, 10_us}});
    CHECK(of(s).text.find("25 % of their work for gc") != std::string::npos);
}

} // namespace report_bottleneck_test
