// SPDX-License-Identifier: Apache-2.0
//
// Keys of runs until the steady state, and of what overwrites a drive before them.
#include <catch2/catch.hpp>

#include "platform/config/choices.h"
#include "platform/config/derived.h"
#include "platform/config/shaping.h"
#include "tests/unit/key_case.h"
#include "tests/unit/refusals.h"

namespace config_steady_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using Catch::Contains;
using C = const ssd_config&;

const std::vector<std::string> filled = {"precondition.fill=1", "precondition.overwrite=1"};

std::vector<std::string> with(std::vector<std::string> more)
{
    more.insert(more.begin(), filled.begin(), filled.end());
    return more;
}

std::vector<key_case> until_cases()
{
    return {
        {"run.failed_limit", "0.5", [](C c) { return c.run.failed_limit == 0.5; }, "2", {}},
        {"run.faster",
         "luns",
         [](C c) {
             return c.run.faster == faster_part::luns &&
                    as_if_faster(c).channel.die.timing.tPROG[0] < c.channel.die.timing.tPROG[0];
         },
         "lun",
         {}},
        {"run.faster_by",
         "2",
         [](C c) { return as_if_faster(c).cpu.clock.per_second() == 2 * c.cpu.clock.per_second(); },
         "5",
         {"run.faster=cores"}},
        {"run.reduced",
         "4",
         [](C c) {
             return c.run.reduced == 4 && c.whole->channel.die.geo.blocks_per_plane == 504 &&
                    c.channel.die.geo.blocks_per_plane < 504 / 3;
         },
         "17",
         {}},
        {"run.ideal",
         "firmware",
         [](C c) { return as_if_faster(c).cpu.core == "flat"; },
         "hardware",
         {}},
        {"run.until", "steady", [](C c) { return c.run.until == run_until::steady; }, "end", {}},
        {"run.steady.round",
         "3ms",
         [](C c) { return c.run.steady.round_time == 3_ms && c.run.steady.round_requests == 0; },
         "1m",
         {"run.until=steady"}},
        {"run.steady.rounds",
         "3",
         [](C c) { return c.run.steady.rounds == 3; },
         "2",
         {"run.until=steady"}},
        {"run.steady.range",
         "0.5",
         [](C c) { return c.run.steady.range == 0.5; },
         "0",
         {"run.until=steady"}},
        {"run.steady.slope",
         "0.5",
         [](C c) { return c.run.steady.slope == 0.5; },
         "2",
         {"run.until=steady"}},
        {"run.steady.limit",
         "7",
         [](C c) { return c.run.steady.limit == 7; },
         "1",
         {"run.until=steady"}},
        {"precondition.until", "steady",
         [](C c) { return c.precondition.until == precondition_until::steady; }, "done", filled},
        {"precondition.workload.source", "own",
         [](C c) { return c.precondition.source == overwrite_source::own; }, "self",
         with({"run.requests=10"})},
    };
}

std::vector<key_case> address_cases()
{
    const std::string w = "precondition.workload.";
    return {
        {w + "pattern", "zipf",
         [](C c) { return c.precondition.stream.pattern == host::pattern_kind::zipf; }, "random",
         filled},
        {w + "block_size", "64KiB", [](C c) { return c.precondition.stream.block_size == 65536; },
         "100B", filled},
        {w + "range.start", "1MiB",
         [](C c) { return c.precondition.stream.range_start == 1048576; }, "1B", filled},
        {w + "range.size", "1MiB", [](C c) { return c.precondition.stream.range_size == 1048576; },
         "some", filled},
        {w + "hot_fraction", "0.3", [](C c) { return c.precondition.stream.hot_fraction == 0.3; },
         "2", with({w + "pattern=hot_cold"})},
        {w + "hot_probability", "0.3",
         [](C c) { return c.precondition.stream.hot_probability == 0.3; }, "2",
         with({w + "pattern=hot_cold"})},
        {w + "zipf_theta", "0.5", [](C c) { return c.precondition.stream.zipf_theta == 0.5; }, "0",
         with({w + "pattern=zipf"})},
        {w + "lru_law", "geometric",
         [](C c) { return c.precondition.stream.lru_law == host::stack_law::geometric; }, "flat",
         with({w + "pattern=lru"})},
        {w + "lru_exponent", "2", [](C c) { return c.precondition.stream.lru_exponent == 2.0; },
         "-1", with({w + "pattern=lru"})},
        {w + "lru_mean_depth", "8", [](C c) { return c.precondition.stream.lru_mean_depth == 8.0; },
         "1", with({w + "pattern=lru", w + "lru_law=geometric"})},
    };
}

TEST_CASE("config steady: ideal firmware takes no time, and has its whole map in DRAM")
{
    std::vector<std::string> sets = {"ftl.scheme=dftl", "ftl.map_memory=hmb", "ftl.map_share=0.1",
                                     "ftl.dftl.batch=false", "host.nvme.hmb.size=1MiB"};
    for (const bool whole : {false, true}) {
        sets.emplace_back(whole ? "run.ideal=firmware" : "run.ideal=costs");
        const ssd_config c = accepted(sets);
        const cpu::core_config free = as_if_faster(c).cpu;
        CHECK(c.cpu.core != "flat");
        CHECK(free.core == "flat");
        CHECK(free.instructions_per_call + free.mmio_read_cycles + free.mmio_write_cycles +
                  free.interrupt_cycles + free.dcache.size + free.tlb.entries ==
              0);
        CHECK(c.ftl.scheme == (whole ? ftl_scheme::page_map : ftl_scheme::dftl));
        CHECK(c.ftl.memory == (whole ? map_memory::dram : map_memory::hmb));
        CHECK((c.ftl.map_cache == 0) == whole);
        sets.pop_back();
    }
}

TEST_CASE("config steady: a load that ends by itself is refused")
{
    CHECK_THAT(refused({"run.until=steady", "workload.requests=10"}),
               Contains("run.until: a stream has requests or a duration of its own"));
    CHECK_THAT(refused({"run.until=steady", "run.steady.limit=4"}),
               Contains("run.steady.limit: it is less than run.steady.rounds"));
    CHECK(accepted({"run.until=steady"}).run.requests == 0);
    CHECK(accepted({}).run.requests == 500000);
}

TEST_CASE("config steady: a trace is refused, too")
{
    const scratch dir;
    const std::string trace = dir.write("one.ssdsim", "0 0 0 8 1\n");
    config_sources s = with_sets({"run.until=steady"});
    s.trace = trace;
    CHECK_THAT(error_of(s), Contains("run.until: a trace or a fio job ends by itself"));
}

TEST_CASE("config steady: overwrites go to what is filled")
{
    const std::string start = "precondition.workload.range.start";
    CHECK_THAT(refused({"precondition.fill=0.001", "precondition.overwrite=1", start + "=64GiB"}),
               Contains(start + ": nothing behind it is filled"));
    CHECK_THAT(refused(with({"precondition.workload.source=own", "workload.read_fraction=1"})),
               Contains("precondition.workload.source: the run has no stream that writes"));
    CHECK_THAT(refused(with({"precondition.workload.range.size=4KiB",
                             "precondition.workload.block_size=8KiB"})),
               Contains("precondition.workload.range.size: it is smaller than a block"));
}

TEST_CASE("config steady: counts know uniform overwrites alone")
{
    const auto by_counts = [](std::vector<std::string> more) {
        more.emplace_back("precondition.method=counts");
        return refused(with(std::move(more)));
    };
    CHECK(by_counts({}).empty());
    CHECK_THAT(by_counts({"precondition.workload.pattern=zipf"}),
               Contains("precondition.method: only uniform overwrites"));
    CHECK_THAT(by_counts({"precondition.until=steady"}),
               Contains("precondition.method: precondition.until: steady looks at"));
}

TEST_CASE("config steady: the state settles by itself where counts can follow the load")
{
    const auto until = [](std::vector<std::string> sets) {
        sets.emplace_back("precondition.fill=1");
        return overwriting_until(accepted(sets));
    };
    const std::string steady = "run.until=steady";
    CHECK(until({steady}) == precondition_until::settled);
    CHECK(until({steady, "workload.read_fraction=0.7"}) == precondition_until::settled);
    CHECK(until({steady, "workload.pattern=zipf"}) == precondition_until::settled);
    CHECK(until({}) == precondition_until::amount);
    CHECK(until({steady, "precondition.until=amount"}) == precondition_until::amount);
    CHECK(overwriting_until(accepted({steady})) == precondition_until::amount);
    CHECK(overwriting_until(accepted({steady, "precondition.fill=0.5"})) ==
          precondition_until::amount);
    for (const char* other : {"workload.read_fraction=1", "workload.trim_fraction=0.1",
                              "precondition.method=units", "ftl.scheme=dftl"}) {
        INFO(other);
        CHECK(until({steady, other}) == precondition_until::amount);
    }
    const ssd_config c = accepted({steady, "precondition.fill=1"});
    CHECK(preconditions_by_counts(c));
    CHECK(counts_obstacle(c) == nullptr);
}

TEST_CASE("config steady: a state that cannot settle is refused")
{
    const auto settled = [](std::vector<std::string> more) {
        more.emplace_back("precondition.until=settled");
        more.emplace_back("precondition.fill=1");
        return refused(more);
    };
    CHECK(settled({}).empty());
    CHECK(settled({"precondition.overwrite=1", "precondition.workload.pattern=zipf"}).empty());
    CHECK_THAT(settled({"workload.read_fraction=1"}),
               Contains("precondition.until: no stream of the load writes"));
    CHECK_THAT(settled({"workload.trim_fraction=0.5"}),
               Contains("precondition.until: the load trims"));
    CHECK_THAT(settled({"precondition.method=units"}),
               Contains("precondition.until: precondition.method is units"));
    CHECK_THAT(settled({"ftl.scheme=dftl"}),
               Contains("precondition.until: only ftl.scheme: page_map"));
    CHECK_THAT(refused({"precondition.fill=0.5", "precondition.until=settled"}),
               Contains("precondition.until: the load writes to what precondition.fill leaves"));
}

TEST_CASE("config steady: the run's streams shape a state that was made with them")
{
    const auto shapes = [](const std::vector<std::string>& sets, const std::string& key) {
        for (const key_text& k : shaping_keys(accepted(sets))) {
            if (k.key.rfind(key, 0) == 0) {
                return true;
            }
        }
        return false;
    };
    CHECK_FALSE(shapes(filled, "workload."));
    CHECK(shapes(with({"precondition.workload.source=own"}), "workload."));
    CHECK_FALSE(shapes(with({"run.until=steady"}), "run.steady."));
    CHECK(shapes(with({"run.until=steady"}), "workload."));
    CHECK(shapes(with({"precondition.until=steady"}), "run.steady.slope"));
    CHECK_FALSE(shapes(with({"precondition.until=steady"}), "run.steady.limit"));
    CHECK(shapes(filled, "precondition.workload.pattern"));
    CHECK(shapes(filled, "nand.page_size"));
    CHECK_FALSE(shapes(filled, "host.pcie."));
}

TEST_CASE("config steady: a stream weighs by its rate or depth, and the share that it writes")
{
    host::stream_config s;
    s.read_fraction = 0.5;
    s.trim_fraction = 0.2;
    s.queue_depth = 10;
    CHECK(write_share(s) == Approx(4.0));
    s.rate_iops = 100.0;
    CHECK(write_share(s) == Approx(40.0));
    s.read_fraction = 1.0;
    CHECK(write_share(s) == 0.0);
}

} // namespace config_steady_test

std::vector<ssdvp::platform::test::key_case> ssdvp::platform::test::steady_cases()
{
    std::vector<key_case> all = config_steady_test::until_cases();
    for (key_case& k : config_steady_test::address_cases()) {
        all.push_back(std::move(k));
    }
    return all;
}
