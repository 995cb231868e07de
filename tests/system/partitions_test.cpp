// SPDX-License-Identifier: Apache-2.0
//
// Drives whose FTL runs on several cores, each with a partition: they serve the same host with the
// same data, through losses of power too, and are as fast as their cores.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/direction.h"

namespace partitions_test {

using namespace ssdvp;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

const texts writing = {"device/small", "workload/random-write"};
const texts mixed = {"device/small", "workload/mixed"};

texts with(texts sets, const texts& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// A drive that waits for its firmware alone: fast flash on eight channels, and a slow core.
texts slow_core(const texts& more)
{
    return with({"cpu.core=cortex-r82", "cpu.clock=100MHz", "flash.channels=8", "nand.tPROG=50us",
                 "nand.blocks_per_plane=32", "nand.interface.rate=1200MT/s", "cache.capacity=4MiB",
                 "workload.0.queue_depth=128", "host.nvme.slots=256", "run.requests=16000"},
                more);
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
/// Seconds of a core for a request.
double busy(const platform_run& r, std::size_t core)
{
    return static_cast<double>(r.measured().cpu.at(core).busy.ps()) * 1e-12 / requests(r);
}
double host_work(const platform_run& r)
{
    return busy(r, 0);
}
double ftl_work(const platform_run& r)
{
    return busy(r, 1);
}

double measured(const texts& more, test::measure_fn measure)
{
    return test::measure_apart(writing, slow_core(more), measure);
}

} // namespace

TEST_CASE("partitions: as many times the writes as there are cores, until the host's core is full")
{
    const texts one = {"cpu.cores=2", "cpu.roles=host_apart"};
    const double ftl = 1.0 / measured(one, ftl_work);
    const double host = 1.0 / measured({"cpu.ftl_cores=2"}, host_work); // which spreads commands
    CHECK(measured(one, iops) == Approx(ftl).epsilon(0.02));
    for (const unsigned n : {2u, 4u}) {
        const double expected = std::min(n * ftl, host);
        INFO(n << " cores: " << n * ftl << " writes/s of these, " << host << " of the host's");
        CHECK(measured({"cpu.ftl_cores=" + std::to_string(n)}, iops) ==
              Approx(expected).epsilon(0.10)); // the host's core is busy for 4/5 of it
    }
    CHECK(host < 4 * ftl); // both limits were seen
}

TEST_CASE("partitions: what was acknowledged is there after losses of power")
{
    for (const char* scheme : {"page_map", "dftl"}) {
        INFO(scheme);
        const texts sets = {"run.requests=3000",
                            "flash.channels=4",
                            "ftl.over_provisioning=0.3",
                            "power.cut.every=80",
                            "workload.0.flush_every=16",
                            "cpu.ftl_cores=2",
                            std::string("ftl.scheme=") + scheme};
        CHECK(test::measure_apart(mixed, sets, [](const platform_run& r) {
                  return static_cast<double>(r.result.measured.lifetime.power->cuts);
              }) >= 3);
    }
}

TEST_CASE("partitions: preconditioning fills all of them, by units and by counts")
{
    for (const char* method : {"units", "counts"}) {
        INFO(method);
        const texts sets = {"run.requests=2000",
                            "flash.channels=4",
                            "ftl.over_provisioning=0.3",
                            "cpu.ftl_cores=4",
                            "precondition.fill=0.9",
                            "precondition.overwrite=0.5",
                            std::string("precondition.method=") + method};
        CHECK(test::measure_apart(mixed, sets, requests) == 2000);
    }
}

TEST_CASE("partitions: each fills up its own word lines of two passes, and folds into them")
{
    const texts sets = {"flash.channels=4",          "ftl.over_provisioning=0.3",
                        "workload.0.flush_every=16", "cpu.ftl_cores=2",
                        "nand.two_pass=true",        "nand.slc_mode.tR=25us",
                        "nand.slc_mode.tPROG=200us", "nand.slc_mode.tBERS=3ms"};
    const texts losses = {"power.cut.every=80", "run.requests=3000"};
    const texts cached = {"ftl.slc_cache.static=16MiB", "ftl.slc_cache.idle=50us"};
    const auto cuts = [](const platform_run& r) {
        return static_cast<double>(r.result.measured.lifetime.power->cuts);
    };
    const auto folded = [](const platform_run& r) {
        return static_cast<double>(r.measured().ftl->slc.folded);
    };
    CHECK(test::measure_apart(mixed, with(sets, losses), cuts) >= 3);
    CHECK(test::measure_apart(mixed, with(with(sets, losses), cached), cuts) >= 3);
    const texts full = {"precondition.fill=0.9", "run.requests=2000", "workload.0.rate=2k/s",
                        "workload.1.rate=100/s"}; // it folds between requests
    CHECK(test::measure_apart(mixed, with(with(sets, cached), full), folded) > 0);
}

TEST_CASE("partitions: the summary names the roles of their cores")
{
    const platform_run r =
        test::run(mixed, {"run.requests=1000", "flash.channels=4", "cpu.ftl_cores=2"});
    REQUIRE(r.measured().cpu.size() == 3);
    CHECK(r.measured().cpu[0].role == "host");
    CHECK(r.measured().cpu[1].role == "ftl+flash");
    CHECK(r.measured().cpu[2].role == "ftl+flash");
    CHECK(r.sim->requests().bad_splits() == 0);
}

} // namespace partitions_test
