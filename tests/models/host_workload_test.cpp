// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unistd.h>

#include "tests/models/host_standin.h"

namespace host_workload_test {

using namespace ssdvp;
using namespace ssdvp::test;
using host::request_kind;

namespace {

constexpr sim_time round_trip = 300_ns + 10_us + 700_ns;

host::stream_config stream(const char* name)
{
    host::stream_config s;
    s.name = name;
    return s;
}

/// A file that goes away with the test.
struct trace_file {
    std::string name;
    trace_file(const char* ending, const std::string& text)
        : name("host_workload_trace_" + std::to_string(getpid()) + "." + ending)
    {
        std::ofstream(name) << text;
    }
    ~trace_file() { std::remove(name.c_str()); }
};

} // namespace

TEST_CASE("closed loop keeps the queue depth: throughput is depth over latency")
{
    bench b;
    host::stream_config s = stream("a");
    s.queue_depth = 16;
    b.workload.streams = {s};
    b.device.coalesce = true;
    b.build();
    REQUIRE(b.start());
    const sim_time begin = now();
    REQUIRE(b.run({1600, {}}));
    CHECK(b.done.results.size() == 1600);
    CHECK(now() == begin + 100 * round_trip);
    // Reaping, checking and submitting again: one activation for each batch of 16.
    CHECK(b.host->workload().activations() == 0);
    for (const host::request_result& r : b.done.results) {
        REQUIRE(r.latency() == round_trip);
    }
    CHECK(b.faults.count() == 0);
}

TEST_CASE("a stream ends by its own requests or duration")
{
    bench b;
    host::stream_config by_count = stream("count");
    by_count.requests = 7;
    host::stream_config by_time = stream("time");
    by_time.duration = 5 * round_trip; // a request at its end does not count
    b.workload.streams = {by_count, by_time};
    b.build();
    REQUIRE(b.start());
    REQUIRE(b.run());
    unsigned per_stream[2] = {0, 0};
    for (const host::request_result& r : b.done.results) {
        ++per_stream[r.req.stream];
    }
    CHECK(per_stream[0] == 7);
    CHECK(per_stream[1] == 5);
}

TEST_CASE("open loop at a constant rate: arrivals exactly at k / rate")
{
    bench b;
    host::stream_config s = stream("open");
    s.rate_iops = 30000; // 33.33.. us
    s.poisson = false;
    b.workload.streams = {s};
    b.build();
    REQUIRE(b.start());
    const sim_time begin = now();
    REQUIRE(b.run({3001, {}}));
    REQUIRE(b.done.results.size() == 3001);
    CHECK(b.done.results[0].req.arrival == begin);
    CHECK(b.done.results[1].req.arrival == begin + 33333334_ps);
    CHECK(b.done.results[3000].req.arrival == begin + 100_ms); // no drift
}

TEST_CASE("open loop with Poisson arrivals: mean and spread of the gaps are 1 / rate")
{
    bench b;
    host::stream_config s = stream("open");
    s.rate_iops = 20000;
    b.workload.streams = {s};
    b.build();
    REQUIRE(b.start());
    const unsigned count = 20000;
    REQUIRE(b.run({count, {}}));
    REQUIRE(b.done.results.size() == count);
    double sum_us = 0;
    double squares = 0;
    sim_time last = b.done.results[0].req.arrival;
    for (std::size_t i = 1; i < count; ++i) {
        const sim_time at = b.done.results[i].req.arrival;
        const double gap = static_cast<double>((at - last).ps()) * 1e-6;
        sum_us += gap;
        squares += gap * gap;
        last = at;
    }
    const double mean = sum_us / (count - 1);
    const double deviation = std::sqrt(squares / (count - 1) - mean * mean);
    // Standard error of the mean: 50 us / sqrt(20000) = 0.35 us; three of them.
    CHECK(mean == Approx(50.0).margin(1.1));
    CHECK(deviation == Approx(50.0).epsilon(0.05));
}

TEST_CASE("an overloaded open loop counts latency from arrival and holds nothing back")
{
    bench b;
    b.drive.queue_entries = 2; // one request per round trip: 90909 per second at most
    host::stream_config s = stream("open");
    s.rate_iops = 1e6;
    s.poisson = false;
    b.workload.streams = {s};
    b.build();
    REQUIRE(b.start());
    REQUIRE(b.run({5000, {}}));
    REQUIRE(b.done.results.size() == 5000);
    // Request k arrives at k us and ends after k + 1 round trips.
    for (const std::size_t k : {0u, 1u, 1500u, 4999u}) {
        CHECK(b.done.results[k].latency() == (k + 1) * round_trip - k * 1_us);
        CHECK(sum(b.done.results[k].parts) == b.done.results[k].latency());
    }
}

TEST_CASE("read and trim fractions, flushes and FUA")
{
    bench b;
    host::stream_config s = stream("mixed");
    s.read_fraction = 0.7;
    s.trim_fraction = 0.1;
    s.flush_every = 5;
    s.fua = s.read_fua = true;
    s.queue_depth = 8;
    b.workload.streams = {s};
    b.build();
    REQUIRE(b.start());
    REQUIRE(b.run({20000, {}}));
    double kinds[host::request_kinds] = {};
    for (const host::request_result& r : b.done.results) {
        kinds[static_cast<std::size_t>(r.req.kind)] += 1;
        CHECK(r.req.fua == (r.req.kind == request_kind::write || r.req.kind == request_kind::read));
    }
    const double drawn = 20000 - kinds[3];
    CHECK(kinds[0] / drawn == Approx(0.63).margin(0.012));
    CHECK(kinds[1] / drawn == Approx(0.27).margin(0.012));
    CHECK(kinds[2] / drawn == Approx(0.10).margin(0.008));
    CHECK(std::fabs(kinds[3] - kinds[1] / 5) <= 1.0);
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.host->check().sectors_checked() > 0);
}

TEST_CASE("overlapping requests of several streams stay consistent with the shadow copy")
{
    bench b;
    b.drive.queue_pairs = 4;
    b.device.mdts = 2;
    for (unsigned i = 0; i < 3; ++i) {
        host::stream_config s = stream("s");
        s.range_size = 256 * 1024;
        s.block_size = 4096u << i;
        s.read_fraction = 0.5;
        s.trim_fraction = i == 2 ? 0.2 : 0.0;
        s.queue_depth = 20;
        b.workload.streams.push_back(s);
    }
    b.build();
    REQUIRE(b.start());
    // Latencies that reorder commands.
    for (unsigned i = 0; i < 40000; ++i) {
        b.drv->latencies[NVME_IO_WRITE].push_back(sim_time(5000000 + i * 7919 % 20000000));
    }
    REQUIRE(b.run({10000, {}}));
    CHECK(b.done.results.size() == 10000);
    CHECK(b.host->check().mismatches() == 0);
    CHECK(b.host->check().sectors_checked() > 40000);
    CHECK(b.faults.count() == 0);
}

TEST_CASE("stop drains what is in flight")
{
    bench b;
    host::stream_config s = stream("a");
    s.queue_depth = 4;
    host::stream_config open = stream("open");
    open.rate_iops = 1000;
    b.workload.streams = {s, open};
    b.build();
    REQUIRE(b.start());
    bool ended = false;
    b.host->start_workload({}, [&] { ended = true; });
    sc_core::sc_start(sc_core::sc_time(1005, sc_core::SC_US));
    CHECK_FALSE(ended);
    const std::uint64_t issued = b.host->workload().issued();
    b.host->stop();
    sc_core::sc_start();
    CHECK(ended);
    CHECK(b.host->workload().issued() == issued);
    CHECK(b.done.results.size() == issued);
    CHECK(b.host->drive().idle());
}

TEST_CASE("a run's duration ends an open loop between arrivals")
{
    bench b;
    host::stream_config open = stream("open");
    open.rate_iops = 1000;
    open.poisson = false;
    b.workload.streams = {open};
    b.build();
    REQUIRE(b.start());
    REQUIRE(b.run({0, 10_ms})); // arrivals at 0, 1, .. 9 ms; the one at 10 ms is too late
    CHECK(b.done.results.size() == 10);
}

TEST_CASE("streams that do not fit the drive are refused")
{
    bench b;
    b.workload.streams = {stream("big")};
    b.workload.streams[0].range_size = 1ull << 40;
    b.build();
    REQUIRE(b.start());
    CHECK_THROWS_WITH(b.host->start_workload({}, nullptr), Catch::Contains("stream big: range"));
}

TEST_CASE("timed replay keeps the arrivals, whatever the queue depth")
{
    trace_file file("ssdsim",
                    "5000000 0 0 8 0\n5001000 0 0 8 1\n5001500 0 64 8 0\n5900000 0 8 8 1\n");
    bench b;
    b.workload.trace.file = file.name;
    b.workload.trace.queue_depth = 1;
    b.build();
    REQUIRE(b.start());
    const sim_time begin = now();
    REQUIRE(b.run());
    REQUIRE(b.done.results.size() == 4);
    CHECK(b.done.results[0].req.arrival == begin);
    CHECK(b.done.results[1].req.arrival == begin + 1_us);
    CHECK(b.done.results[2].req.arrival == begin + 1500_ns);
    CHECK(b.done.results[3].req.arrival == begin + 900_us);
    CHECK(b.done.results[1].latency() == 2 * round_trip - 1_us);
    CHECK(b.done.results[2].latency() == 3 * round_trip - 1500_ns);
    CHECK(b.done.results[3].latency() == round_trip);
    CHECK(b.host->check().mismatches() == 0);
}

TEST_CASE("replay as soon as possible is bounded by the queue depth alone")
{
    trace_file file("ssdsim",
                    "0 0 0 8 0\n1000000000 0 8 8 0\n2000000000 0 16 8 0\n9000000000 0 24 8 0\n");
    bench b;
    b.workload.trace.file = file.name;
    b.workload.trace.replay = host::trace_replay::asap;
    b.workload.trace.queue_depth = 2;
    b.build();
    REQUIRE(b.start());
    const sim_time begin = now();
    REQUIRE(b.run());
    CHECK(b.done.results.size() == 4);
    CHECK(now() == begin + 2 * round_trip);
}

TEST_CASE("scaled replay multiplies the times")
{
    trace_file file("disksim", "1.5 0 0 8 0\n3.5 0 8 8 1\n");
    bench b;
    b.workload.trace.file = file.name;
    b.workload.trace.replay = host::trace_replay::scaled;
    b.workload.trace.scale = 0.25;
    b.build();
    REQUIRE(b.start());
    const sim_time begin = now();
    REQUIRE(b.run());
    REQUIRE(b.done.results.size() == 2);
    CHECK(b.done.results[1].req.arrival == begin + 500_us);
}

} // namespace host_workload_test
