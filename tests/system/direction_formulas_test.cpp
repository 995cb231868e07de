// SPDX-License-Identifier: Apache-2.0
//
// Options whose effect on a whole drive has a closed formula: by how much, not only which way.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace direction_formulas_test {

using namespace ssdvp;

namespace {

using measure_fn = double (*)(const test::platform_run&);

/// 4 KiB requests at QD1.
double at_depth_one(const char* workload, std::vector<std::string> sets, measure_fn measure)
{
    sets.insert(sets.end(),
                {"precondition.fill=1", "workload.0.queue_depth=1", "workload.0.block_size=4KiB"});
    return test::measure_apart({"device/small", workload}, sets, measure);
}

double bytes_to_host_per_write(const test::platform_run& r)
{
    return static_cast<double>(r.measured().link->bytes_up) /
           static_cast<double>(r.writes().requests);
}
double mean_read_ps(const test::platform_run& r)
{
    return r.reads().latency.mean();
}
double mean_write_ps(const test::platform_run& r)
{
    return r.writes().latency.mean();
}
double requests_counted(const test::platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests());
}
double requests_in_all(const test::platform_run& r)
{
    return static_cast<double>(r.sim->requests().lifetime_requests());
}
double simulated_ps(const test::platform_run& r)
{
    return static_cast<double>(r.result.measured.lifetime.when.ps());
}
double measured_ps(const test::platform_run& r)
{
    return static_cast<double>(r.measured().when.ps());
}
/// With one read in ten to the cold LUN: the middle of the cold ones, when they are the faster.
double cold_read_ps(const test::platform_run& r)
{
    return static_cast<double>(r.reads().latency.percentile(50000).ps());
}
double completions_per_ps(const test::platform_run& r)
{
    return requests_counted(r) / measured_ps(r);
}

} // namespace

TEST_CASE("max_read_request_size: a write asks for its data in so many requests of 24 bytes")
{
    // Beside them per write: 24 to fetch the entry, 40 of completion entry, 24 of MSI-X.
    for (const std::uint32_t mrrs : {128u, 256u, 512u, 1024u, 2048u, 4096u}) {
        const double measured = at_depth_one(
            "workload/random-write",
            {"run.requests=500", "host.pcie.max_read_request_size=" + std::to_string(mrrs) + "B"},
            bytes_to_host_per_write);
        CAPTURE(mrrs);
        const auto requests = 4096 / mrrs;
        CHECK(measured == 24 + 40 + 24 + 24.0 * requests);
    }
}

TEST_CASE("mmio_read_cycles: a read of the drive takes one register read of the firmware")
{
    const auto mean = [](const char* cycles) {
        return at_depth_one("workload/random-read",
                            {"run.requests=500", "cpu.clock=1GHz", "cache.policy=none",
                             std::string("cpu.mmio_read_cycles=") + cycles},
                            mean_read_ps);
    };
    CHECK(mean("3000") - mean("0") == Approx(3000e3));
}

TEST_CASE("tDBSY: a program of two planes takes so much longer")
{
    // Sequential 128 KiB writes: each is a program of two 16 KiB pages on each of the 4 LUNs, and
    // the LUNs are the bottleneck.
    const auto per_write = [](const char* time) {
        return test::measure_apart(
            {"device/small", "workload/sequential-write"},
            {"run.requests=1200", "run.warmup=200", "cpu.instructions_per_call=20",
             "ftl.checkpoint_interval=1GiB", std::string("nand.tDBSY=") + time},
            [](const test::platform_run& r) { return measured_ps(r) / requests_counted(r); });
    };
    const double at_zero = per_write("0s");
    CHECK(per_write("100us") - at_zero == Approx(100e6).epsilon(1e-3));
    CHECK(per_write("200us") - at_zero == Approx(200e6).epsilon(1e-3));
}

TEST_CASE("tDBSY: erases of all planes hold the bus, and host reads behind them wait")
{
    const auto mean = [](const char* time) {
        return test::measure_apart({"device/small", "workload/zipf-70-30"},
                                   {"precondition.fill=1", "precondition.overwrite=0.5",
                                    "run.requests=10000", std::string("nand.tDBSY=") + time},
                                   mean_read_ps);
    };
    CHECK(mean("0s") < mean("200us"));
}

TEST_CASE("warmup in requests: they take time and are not counted")
{
    const auto run = [](const char* warmup, measure_fn measure) {
        return at_depth_one(
            "workload/random-read",
            {"run.requests=1000", "cache.policy=none", std::string("run.warmup=") + warmup},
            measure);
    };
    // At QD1 without a buffer each read takes the same.
    const double one = run("0", mean_read_ps);
    for (const char* warmup : {"0", "1", "300"}) {
        CAPTURE(warmup);
        const double w = std::stod(warmup);
        CHECK(run(warmup, requests_counted) == 1000);
        CHECK(run(warmup, requests_in_all) == 1000 + w);
        CHECK(run(warmup, measured_ps) == Approx(1000 * one).epsilon(1e-3));
        CHECK(run(warmup, simulated_ps) - run("0", simulated_ps) == Approx(w * one).margin(1e5));
    }
}

TEST_CASE("warmup in time: the measured part is as long as without")
{
    const auto run = [](const char* warmup, measure_fn measure) {
        return at_depth_one("workload/random-read",
                            {"run.duration=20ms", std::string("run.warmup=") + warmup}, measure);
    };
    CHECK(run("10ms", measured_ps) == Approx(run("0s", measured_ps)).margin(100e6)); // a read
    CHECK(run("10ms", simulated_ps) == Approx(run("0s", simulated_ps) + 10e9).margin(100e6));
    CHECK(run("10ms", requests_counted) == Approx(run("0s", requests_counted)).margin(1));
}

TEST_CASE("warmup: what the empty write buffer took at once is not in the result")
{
    const auto run = [](const char* warmup) {
        return test::measure_apart(
            {"device/small", "workload/random-write"},
            {"precondition.fill=1", "run.requests=2000", std::string("run.warmup=") + warmup},
            mean_write_ps);
    };
    CHECK(run("0") < run("1000"));
}

TEST_CASE("map_unit: larger units need fewer map entries, and the drive fills all the same")
{
    const auto ram = [](const char* unit) {
        return test::measure_apart({"device/small", "workload/zipf-70-30"},
                                   {"precondition.fill=1", "nand.page_size=32KiB",
                                    "run.requests=2000", std::string("ftl.map_unit=") + unit},
                                   [](const test::platform_run& r) {
                                       return static_cast<double>(r.measured().ftl->ram_bytes);
                                   });
    };
    double before = ram("2KiB");
    for (const char* unit : {"4KiB", "8KiB", "16KiB", "32KiB"}) {
        const double bytes = ram(unit);
        CAPTURE(unit);
        CHECK(bytes < before);
        before = bytes;
    }
}

TEST_CASE("queue_entries: what a channel does not hold it cannot start")
{
    // 500 reads of two LUNs in flight, nine in ten of one of them. A channel that holds n sees a
    // new read when 500 - n before it have ended; a cold one then finds its LUN all but idle.
    const auto run = [](unsigned entries, measure_fn measure) {
        return test::measure_apart({"device/small", "workload/random-read"},
                                   {"flash.channels=1", "flash.luns_per_channel=2",
                                    "precondition.fill=1", "workload.0.range.size=64KiB",
                                    "workload.0.pattern=hot_cold", "workload.0.hot_fraction=0.5",
                                    "workload.0.hot_probability=0.9", "workload.0.queue_depth=500",
                                    "run.requests=10000", "run.warmup=1000",
                                    "flash.queue_entries=" + std::to_string(entries)},
                                   measure);
    };
    for (const unsigned entries : {200u, 256u, 300u, 400u}) {
        const double expected = (500 - entries) / run(entries, completions_per_ps);
        CAPTURE(entries);
        CHECK(run(entries, cold_read_ps) == Approx(expected).epsilon(0.05));
    }
    for (const unsigned entries : {500u, 1024u, 65536u}) {
        CAPTURE(entries);
        CHECK(run(entries, cold_read_ps) < 200e6); // one read takes 85 us
    }
}

} // namespace direction_formulas_test
