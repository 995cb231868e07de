// SPDX-License-Identifier: Apache-2.0
//
// The look-up engine in whole drives: its rate, what it saves the cores, and that its reads find
// the newest data beside writes, trims, collection and losses of power.
#include <catch2/catch.hpp>

#include "platform/config/loader.h"
#include "tests/support/direction.h"

namespace system_lookup_test {

using namespace ssdvp;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

const texts reading = {"device/small", "workload/random-read"};
const texts mixed = {"device/small", "workload/mixed"};

double iops(const platform_run& r)
{
    return static_cast<double>(r.sim->requests().requests()) * 1e12 /
           static_cast<double>(r.measured().when.ps());
}
double busy(const platform_run& r)
{
    return static_cast<double>(r.measured().cpu[0].busy.ps()) /
           static_cast<double>(r.measured().when.ps());
}
double mean_read(const platform_run& r)
{
    return r.reads().latency.mean();
}
double looked_up(const platform_run& r)
{
    return static_cast<double>(r.measured().nvme->looked_up.value_or(0));
}
double activations(const platform_run& r)
{
    return static_cast<double>(r.measured().kernel_activations) /
           static_cast<double>(r.sim->requests().requests());
}

/// Hot units are written and read again and again, a few of them trimmed, and victims of
/// collection erased behind reads of the engine.
texts busy_mix(const texts& more)
{
    texts sets = {"host.nvme.lookup=true",        "run.requests=12000",
                  "ftl.over_provisioning=0.3",    "precondition.fill=1",
                  "precondition.overwrite=1",     "workload.0.queue_depth=32",
                  "workload.0.read_fraction=0.6", "workload.0.trim_fraction=0.05",
                  "workload.0.range.size=16MiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

} // namespace

TEST_CASE("lookup: random reads come at one for each look-up, or as the flash has them")
{
    const texts common = {"host.nvme.lookup=true", "precondition.fill=1", "run.requests=5000",
                          "nand.tR=5us", "workload.0.queue_depth=64"};
    const auto at = [&](const char* time, test::measure_fn measure) {
        texts sets = common;
        sets.push_back(std::string("host.nvme.lookup_time=") + time);
        return test::measure_apart(reading, sets, measure);
    };
    CHECK(at("10us", iops) == Approx(1e6 / 10).epsilon(0.005));
    CHECK(at("8us", iops) == Approx(1e6 / 8).epsilon(0.005));
    CHECK(at("8us", looked_up) == 5000);
    CHECK(at("8us", activations) <= 20);
    CHECK(at("8us", busy) < 0.01); // the core sleeps
}

TEST_CASE("lookup: each option moves the result")
{
    const texts common = {"precondition.fill=1", "run.requests=3000"};
    const test::direction table[] = {
        {"host.nvme.lookup", "true", "false", mean_read, {}},
        {"host.nvme.lookup", "true", "false", busy, {}},
        {"host.nvme.lookup_time", "1ns", "5us", mean_read, {"host.nvme.lookup=true"}},
    };
    for (const test::direction& d : table) {
        test::check_direction(d, reading, common);
    }
}

// Every read is checked against the shadow copy by the run itself.
TEST_CASE("lookup: reads find what was written, beside trims, collection and erases")
{
    const platform_run r = test::run(mixed, busy_mix({}));
    REQUIRE(r.measured().nvme->looked_up.has_value());
    CHECK(*r.measured().nvme->looked_up > 500);
    CHECK(*r.measured().nvme->passed_on > 500); // of units in the buffer
    CHECK(r.measured().ftl->gc_units_moved > 1000);
    CHECK(r.measured().flash.erases > 20);
}

TEST_CASE("lookup: the same with three cores, without a buffer, and with losses of power")
{
    const auto served = [](const platform_run& r) {
        return static_cast<double>(r.sim->requests().requests());
    };
    const auto cuts = [](const platform_run& r) {
        return static_cast<double>(r.result.measured.measured.power->cuts);
    };
    for (const char* variant : {"cpu.cores=3", "cache.policy=none"}) {
        INFO(variant);
        CHECK(test::measure_apart(mixed, busy_mix({variant}), served) == 12000);
        CHECK(test::measure_apart(mixed, busy_mix({variant}), looked_up) > 500);
    }
    const texts lossy = busy_mix({"power.cut.every=300", "workload.0.flush_every=32"});
    CHECK(test::measure_apart(mixed, lossy, cuts) >= 5);
    CHECK(test::measure_apart(mixed, lossy, looked_up) > 500);
}

TEST_CASE("lookup: what makes more of a read than a look-up is refused beside it")
{
    const char* const others[] = {"ftl.scheme=dftl", "cache.policy=rw_lru", "ftl.stripe=block",
                                  "ftl.refresh.reads=1000", "host.nvme.zns.zone_size=16MiB"};
    for (const char* other : others) {
        platform::config_sources s;
        s.files = {"device/small"};
        s.sets = {"host.nvme.lookup=true", other};
        CHECK_THROWS_WITH(platform::load(s), Catch::Contains("host.nvme.lookup"));
    }
}

} // namespace system_lookup_test
