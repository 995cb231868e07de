// SPDX-License-Identifier: Apache-2.0
//
// Firmware over several cores, in whole drives: every layout of roles serves the same host with the
// same data, through losses of power too; a core that saturates is seen, and another one helps.
#include <catch2/catch.hpp>
#include <numeric>

#include "platform/config/derived.h"
#include "platform/config/loader.h"
#include "tests/support/direction.h"

namespace cores_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

const texts reading = {"device/small", "workload/random-read"};
const texts writing = {"device/small", "workload/random-write"};
const texts mixed = {"device/small", "workload/mixed"};

/// Every layout of more than one core.
const std::vector<texts> layouts = {{"cpu.cores=2", "cpu.roles=host_apart"},
                                    {"cpu.cores=2", "cpu.roles=flash_apart"},
                                    {"cpu.cores=2", "cpu.roles=ftl_apart"},
                                    {"cpu.cores=3", "cpu.roles=each_apart"}};

texts with(texts sets, const texts& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

double iops(const platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests()) * 1e12 /
           static_cast<double>(r.measured().when.ps());
}
double requests(const platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests());
}
double busy(const platform_run& r, std::size_t core)
{
    return static_cast<double>(r.measured().cpu[core].busy.ps()) /
           static_cast<double>(r.measured().when.ps());
}
double busy_first(const platform_run& r)
{
    return busy(r, 0);
}
double busy_least(const platform_run& r)
{
    double least = 1.0;
    for (std::size_t i = 0; i < r.measured().cpu.size(); ++i) {
        least = std::min(least, busy(r, i));
    }
    return least;
}
double misses(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].dcache->misses);
}
double walks(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].tlb->misses);
}
double mean_read(const platform_run& r)
{
    return r.reads().latency.mean();
}
double cuts(const platform_run& r)
{
    return static_cast<double>(r.result.measured.measured.power->cuts);
}
double activations(const platform_run& r)
{
    return static_cast<double>(r.measured().kernel_activations) / requests(r);
}
/// What reads spend in firmware and what they wait for it.
double core_parts(const platform_run& r)
{
    const auto part = [&](latency_part p) {
        return static_cast<double>(r.reads().parts[static_cast<std::size_t>(p)]);
    };
    return (part(latency_part::firmware) + part(latency_part::wait_core)) / requests(r);
}

/// A drive whose cores are the bottleneck: look-ups and doorbells cost much, calls nothing.
texts slow_core(const texts& more)
{
    return with({"run.requests=6000", "precondition.fill=1", "workload.0.queue_depth=64",
                 "cpu.clock=5MHz", "cpu.instructions_per_call=0", "cpu.mmio_read_cycles=0",
                 "cpu.mmio_write_cycles=150", "cpu.interrupt_cycles=0", "cpu.dcache.size=32KiB",
                 "cpu.dcache.hit_cycles=20"},
                more);
}

} // namespace

TEST_CASE("cores: every layout of roles serves reads and writes, all cores work at it")
{
    for (const texts& layout : layouts) {
        INFO(layout.back());
        const texts sets = with({"run.requests=8000"}, layout);
        CHECK(test::measure_apart(mixed, sets, requests) == 8000);
        CHECK(test::measure_apart(mixed, sets, busy_least) > 0.001);
    }
}

TEST_CASE("cores: every layout comes back after losses of power")
{
    for (const char* scheme : {"page_map", "dftl"}) {
        for (const texts& layout : layouts) {
            INFO(scheme << " " << layout.back());
            const texts sets =
                with({"run.requests=12000", "ftl.over_provisioning=0.3", "power.cut.every=400",
                      "workload.0.flush_every=16", std::string("ftl.scheme=") + scheme},
                     layout);
            CHECK(test::measure_apart(writing, sets, cuts) >= 3);
        }
    }
}

TEST_CASE("cores: shutdowns and preconditioning work with three")
{
    const texts sets = {"run.requests=6000",        "cpu.cores=3",
                        "power.shutdown.every=5ms", "ftl.over_provisioning=0.3",
                        "precondition.fill=0.9",    "precondition.overwrite=0.5",
                        "workload.0.flush_every=64"};
    const double served = test::measure_apart(writing, sets, requests);
    CHECK(served == 6000);
}

TEST_CASE("cores: a drive boots in the SRAM that its mailboxes were counted with")
{
    for (const texts& layout : layouts) {
        platform::config_sources s;
        s.files = reading;
        s.sets = layout;
        const std::uint64_t page = 4096;
        const std::uint64_t needed = platform::sram_bytes_needed(platform::load(s)) + page - 1;
        const auto sram = [&](std::uint64_t pages) {
            return "sram.capacity=" + std::to_string(pages * 4) + "KiB";
        };
        INFO(layout.back());
        const texts enough = with(layout, {"run.requests=100", sram(needed / page)});
        CHECK(test::measure_apart(reading, enough, requests) == 100);
        s.sets.push_back(sram(needed / page - 1));
        CHECK_THROWS_WITH(platform::load(s), Catch::Contains("sram.capacity"));
    }
}

TEST_CASE("cores: the summary names the roles, and parts sum to latencies")
{
    const platform_run r =
        test::run(reading, {"run.requests=4000", "cpu.cores=3", "precondition.fill=1"});
    REQUIRE(r.measured().cpu.size() == 3);
    CHECK(r.measured().cpu[0].role == "host");
    CHECK(r.measured().cpu[1].role == "ftl");
    CHECK(r.measured().cpu[2].role == "flash");
    const platform::kind_statistics& k = r.reads();
    const uint128 sum = std::accumulate(k.parts.begin(), k.parts.end(), uint128{0});
    CHECK(static_cast<double>(sum) / 4000 == Approx(k.latency.mean()).epsilon(1e-6));
    CHECK(r.sim->requests().bad_splits() == 0);
}

TEST_CASE("cores: one that saturates is seen, and its clock or another core lifts the drive")
{
    const auto measured = [](const texts& more, test::measure_fn measure) {
        return test::measure_apart(reading, slow_core(more), measure);
    };
    const texts apart = {"cpu.cores=2", "cpu.roles=flash_apart"};
    const texts three = {"cpu.cores=3"};
    const double one = measured({}, iops);
    CHECK(measured({}, busy_first) > 0.99);
    CHECK(measured({"cpu.clock=10MHz"}, iops) == Approx(2 * one).epsilon(0.1));
    CHECK(measured({"cpu.clock=1GHz"}, busy_first) < 0.2);
    CHECK(measured(apart, iops) > 1.2 * one);
    CHECK(measured(three, iops) > 1.2 * measured({"cpu.cores=2", "cpu.roles=host_apart"}, iops));
    // A closed loop: what the host waits for is the core, and what it gains is latency.
    CHECK(measured({}, core_parts) > 1.15 * measured(apart, core_parts));
}

TEST_CASE("cores: a read takes at most 14 kernel activations on one core, 20 on any number")
{
    const texts sets = {"run.requests=4000", "precondition.fill=1", "cache.policy=none"};
    CHECK(test::measure_apart(reading, sets, activations) <= 14);
    for (const texts& layout : layouts) { // no core finds two reads at a time
        INFO(layout.back());
        CHECK(test::measure_apart(reading, with(sets, layout), activations) <= 20);
    }
}

TEST_CASE("cores: each option of the data cache moves the result")
{
    const texts common = {"run.requests=4000", "precondition.fill=1"};
    const test::direction table[] = {
        {"cpu.dcache.size", "0B", "4KiB", mean_read, {}},
        {"cpu.dcache.size", "256KiB", "1KiB", misses, {}},
        {"cpu.dcache.size", "256KiB", "1KiB", mean_read, {}},
        {"cpu.dcache.ways", "8", "1", misses, {"cpu.dcache.size=8KiB"}},
        {"cpu.dcache.line", "64B", "16B", misses, {"cpu.dcache.size=1MiB"}},
        {"cpu.dcache.hit_cycles", "1", "40", mean_read, {"cpu.dcache.size=8KiB"}},
        {"dram.latency", "20ns", "400ns", busy_first, {"cpu.dcache.size=4KiB"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, reading, common);
    }
}

TEST_CASE("cores: each option of the TLB moves the result")
{
    const texts common = {"run.requests=4000", "precondition.fill=1"};
    const test::direction table[] = {
        {"cpu.tlb.entries", "0", "4", mean_read, {}},
        {"cpu.tlb.entries", "64", "4", walks, {}},
        {"cpu.tlb.page_size", "2MiB", "4KiB", walks, {"cpu.tlb.entries=8"}},
        {"cpu.tlb.walk_cycles", "20", "200", mean_read, {"cpu.tlb.entries=8"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, reading, common);
    }
}

TEST_CASE("cores: a narrow crossbar has a core's lines wait behind the data of others")
{
    const texts common = {"run.requests=4000", "precondition.fill=1"};
    const auto busy_time = [](const platform_run& r) {
        return static_cast<double>(r.measured().cpu[0].busy.ps()) / requests(r);
    };
    const test::direction table[] = {
        {"interconnect.width", "0", "32", mean_read, {}},
        {"interconnect.width", "256", "32", mean_read, {}},
        {"interconnect.width", "256", "32", busy_time, {"cpu.dcache.size=4KiB"}},
        {"interconnect.clock", "2GHz", "200MHz", mean_read, {"interconnect.width=64"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, reading, common);
    }
}

// One read at a time, so that nothing of the core's stalls hides: each miss costs the latency once.
TEST_CASE("cores: a DRAM of twice the latency costs each line that firmware's tables miss as much")
{
    const auto busy_time = [](const platform_run& r) {
        return static_cast<double>(r.measured().cpu[0].busy.ps());
    };
    for (const char* scheme : {"page_map", "dftl", "log_set"}) {
        INFO(scheme);
        texts sets = {"cpu.core=cortex-r82",
                      "run.requests=3000",
                      "precondition.fill=1",
                      "workload.0.queue_depth=1",
                      "cpu.dcache.size=8KiB",
                      "cpu.dcache.ways=4",
                      std::string("ftl.scheme=") + scheme};
        if (std::string(scheme) != "page_map") {
            sets.emplace_back("ftl.map_cache=64KiB");
        }
        const texts slow = with(sets, {"dram.latency=400ns"});
        const texts fast = with(sets, {"dram.latency=200ns"});
        const double lines = test::measure_apart(reading, fast, misses);
        CHECK(lines > 3000);
        CHECK(test::measure_apart(reading, slow, busy_time) -
                  test::measure_apart(reading, fast, busy_time) ==
              Approx(200e3 * lines).epsilon(0.02));
    }
}

} // namespace cores_test
