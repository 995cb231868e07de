// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "platform/report/rare_waits.h"

namespace report_rare_waits_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using platform::largest_mean;
using platform::rare_waits;

TEST_CASE("rare waits: a mean may be that of episodes that the run did not see", "[report][trust]")
{
    // Poisson's upper limits of 97.5 %: 3.68888 where none was seen, 5.57164 of one, 17.0848 of 9.
    CHECK(largest_mean({1000.0, 5000.0, 0.0, 0, 100.0}).value() == Approx(5.0 + 0.368888));
    CHECK(largest_mean({1000.0, 5200.0, 200.0, 1, 100.0}).value() ==
          Approx(5.0 + 5.57164 * (200.0 + 100.0) / 2.0 / 1000.0));
    // Ten times the requests without one: a tenth of it is possible.
    CHECK(largest_mean({10000.0, 50000.0, 0.0, 0, 100.0}).value() == Approx(5.0 + 0.0368888));
    CHECK(largest_mean({1000.0, 5000.0, 0.0, 7, 100.0}).has_value());
    CHECK_FALSE(largest_mean({1000.0, 5000.0, 0.0, 8, 100.0}).has_value());
    CHECK_FALSE(largest_mean(rare_waits()).has_value());
}

TEST_CASE("rare waits: percentiles that they may reach have no upper end", "[report][trust]")
{
    // None was seen; of 10,000 requests 3.68888 times 20 may have waited.
    CHECK(platform::largest_share({1e4, 5e4, 0.0, 0, 100.0, 0.0, 20.0}).value() ==
          Approx(0.00737776));
    // One of 30 was seen, and the next has 20: 5.57164 of 25 on average.
    CHECK(platform::largest_share({1e4, 5e4, 0.0, 1, 100.0, 30.0, 20.0}).value() ==
          Approx(0.0139291));
    CHECK_FALSE(platform::largest_share({1e4, 5e4, 0.0, 8, 100.0, 30.0, 20.0}).has_value());
}

namespace {

/// 4 LUNs of 2 planes with pages of 16 KiB: room for 32 writes of 4 KiB, of which 4,000 come in a
/// second. Each of 10 victims takes all LUNs for 40 ms; a program takes 700 us.
struct run {
    platform::measurement m;
    platform::kind_statistics writes;

    run()
    {
        m.drive.geometry = {2, 2, 2, 64, 64, 16384};
        m.drive.load.rate = 4000.0;
        platform::counters& c = m.measured;
        c.when = 1_s;
        c.ftl.emplace();
        c.ftl->gc_runs = 10;
        c.channels.resize(2);
        for (platform::channel_statistics& channel : c.channels) {
            channel.luns.resize(2);
            for (platform::lun_statistics& lun : channel.luns) {
                lun.arrays[1] = {400_ms, 700_ms};
            }
        }
        c.flash.programs = 4000;
        c.flash.by_purpose[FLASH_PURPOSE_GC].programs = 4000;
        writes.requests = 4000;
        writes.bytes = 4000 * 4096;
        m.latencies.resize(4);
    }
    void see(std::size_t piece, sim_time latency)
    {
        platform::latency_counter counter;
        counter.record(host::request_kind::write, latency);
        m.latencies[piece] = counter.take();
    }
};

} // namespace

TEST_CASE("rare waits: what comes while a victim takes the LUNs, and finds no room")
{
    run r;
    // 8 ms of 40 find room; in the other 32 there come 128, which wait for 16 ms on average.
    const auto w = platform::rare_waits_of(r.m, r.writes);
    REQUIRE(w.has_value());
    CHECK(w->episode == Approx(128 * 16e9)); // ps
    CHECK(w->requests == 4000.0);
    CHECK(w->held == Approx(128.0));
    CHECK(w->seen == 0);
    r.m.drive.load = {0.0, 16}; // a closed loop has no more of them
    CHECK(platform::rare_waits_of(r.m, r.writes)->episode == Approx(16 * 32e9));
    r.m.measured.ftl->gc_runs = 50; // 8 ms each: all find room
    CHECK(platform::rare_waits_of(r.m, r.writes)->episode == Approx(0.0).margin(1.0));
}

TEST_CASE("rare waits: a write slower than a program has waited for room")
{
    run r;
    r.see(0, 690_us);
    r.see(1, 720_us);
    r.see(3, 30_ms);
    r.writes.parts[static_cast<std::size_t>(latency_part::wait_gc)] = 20;
    r.writes.parts[static_cast<std::size_t>(latency_part::wait_buffer)] = 3;
    const auto w = platform::rare_waits_of(r.m, r.writes);
    REQUIRE(w.has_value());
    CHECK(w->seen == 2);
    CHECK(w->stalled == 2.0);
    CHECK(w->waited == 23.0);
}

TEST_CASE("rare waits: a drive that collects nothing has none")
{
    run r;
    r.m.measured.ftl->gc_runs = 0;
    CHECK_FALSE(platform::rare_waits_of(r.m, r.writes).has_value());
}

} // namespace report_rare_waits_test
