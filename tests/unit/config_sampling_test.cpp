// SPDX-License-Identifier: Apache-2.0
//
// Keys of sampled runs, and which runs can be measured in windows.
#include <catch2/catch.hpp>

#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

namespace config_sampling_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using C = const ssd_config&;

const std::vector<std::string> sampled = {"run.sampling.windows=8", "precondition.fill=1"};

std::vector<std::string> with(std::vector<std::string> more)
{
    more.insert(more.begin(), sampled.begin(), sampled.end());
    return more;
}

TEST_CASE("config sampling: windows lie in a load of known length that goes on")
{
    CHECK(refused(with({})).empty());
    CHECK(accepted({}).run.sampling.windows == 0);
    CHECK_THAT(refused(with({"run.sampling.windows=7"})),
               Contains("7 windows say nothing of their spread") && Contains("use 8 or more"));
    CHECK_THAT(refused(with({"run.until=steady"})), Contains("run.until: windows lie in a run of"));
    CHECK_THAT(refused(with({"run.duration=1s"})), Contains("run.duration: between windows"));
    CHECK_THAT(refused(with({"run.warmup=1s"})), Contains("run.warmup: between windows"));
    CHECK_THAT(refused(with({"workload.requests=10"})),
               Contains("workload: a stream has requests or a duration of its own"));
    CHECK_THAT(refused(with({"workload=[{rate: 1k/s}, {queue_depth: 2}]"})),
               Contains("workload.rate: how many requests of a closed loop"));
    CHECK(refused(with({"workload=[{rate: 1k/s}, {rate: 2k/s}]"})).empty());
    CHECK_THAT(refused(with({"run.requests=100"})),
               Contains("100 requests are too few for them (run.requests)"));
    CHECK(refused(with({"run.requests=160"})).empty());
}

TEST_CASE("config sampling: a trace is refused")
{
    const scratch dir;
    const std::string trace = dir.write("one.ssdsim", "0 0 0 8 1\n");
    config_sources s = with_sets(sampled);
    s.trace = trace;
    CHECK_THAT(error_of(s), Contains("workload: a trace or a fio job is not sampled"));
}

TEST_CASE("config sampling: what needs time is refused by name")
{
    const auto said = [](std::vector<std::string> more) { return refused(with(std::move(more))); };
    CHECK_THAT(said({"workload.trim_fraction=0.1"}), Contains("workload.trim_fraction: trims"));
    CHECK_THAT(said({"power.cut.at=1ms"}), Contains("power: a cut, a shutdown or a reset"));
    CHECK_THAT(said({"thermal.model=rc"}), Contains("thermal.model: heat needs time"));
    CHECK_THAT(said({"ftl.scheme=dftl"}), Contains("ftl.scheme: only a map that is in DRAM"));
    CHECK_THAT(said({"ftl.placement=channel_die"}),
               Contains("ftl.stripe, ftl.placement: collection"));
    CHECK_THAT(said({"cache.policy=fab"}), Contains("cache.policy: a buffer of whole blocks"));
    CHECK_THAT(said({"ftl.refresh.reads=1000"}), Contains("ftl.refresh: reads between windows"));
    CHECK_THAT(said({"nand.slc_mode.tR=20us", "nand.slc_mode.tPROG=200us",
                     "nand.slc_mode.tBERS=3ms", "ftl.slc_cache.static=4GiB"}),
               Contains("ftl.slc_cache: the SLC cache is not followed"));
}

TEST_CASE("config sampling: what the load writes to is filled")
{
    CHECK_THAT(refused(with({"workload.read_fraction=0.5", "precondition.fill=0.5"})),
               Contains("precondition.fill is less than 1") &&
                   Contains("use precondition.fill: 1"));
    CHECK(refused(with({"workload.read_fraction=1", "precondition.fill=0.5"})).empty());
}

} // namespace config_sampling_test

namespace ssdvp::platform::test {

std::vector<key_case> sampling_cases()
{
    using C = const ssd_config&;
    const std::vector<std::string> on = {"run.sampling.windows=8", "precondition.fill=1"};
    return {
        {"run.sampling.windows",
         "9",
         [](C c) { return c.run.sampling.windows == 9; },
         "-1",
         {"precondition.fill=1"}},
        {"run.sampling.within", "0.25", [](C c) { return c.run.sampling.within == 0.25; }, "0.6",
         on},
        {"run.sampling.share", "0.25", [](C c) { return c.run.sampling.share == 0.25; }, "0.6", on},
        {"run.sampling.idle", "true", [](C c) { return c.run.sampling.idle; }, "much", on},
        {"run.sampling.warmup", "123", [](C c) { return c.run.sampling.warmup == 123; }, "1ms", on},
    };
}

} // namespace ssdvp::platform::test
