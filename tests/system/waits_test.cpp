// SPDX-License-Identifier: Apache-2.0
//
// What a request waits for is told by the part that names it: each is made large by its cause, at
// cores that mark what they work on and at flat ones. That the parts sum to the latency every run
// checks by itself.
#include <catch2/catch.hpp>

#include "tests/support/platform_run.h"

namespace waits_test {

using namespace ssdvp;
using test::platform_run;
using texts = std::vector<std::string>;

namespace {

double share(const platform_run& r, latency_part p)
{
    uint128 part = 0;
    uint128 sum = 0;
    for (const platform::kind_statistics* k : {&r.reads(), &r.writes()}) {
        part += k->parts[static_cast<std::size_t>(p)];
        sum += k->latency.sum();
    }
    return static_cast<double>(part) / static_cast<double>(sum);
}
double core(const platform_run& r)
{
    return share(r, latency_part::wait_core);
}
double map(const platform_run& r)
{
    return share(r, latency_part::wait_map);
}
double buffer(const platform_run& r)
{
    return share(r, latency_part::wait_buffer);
}
double read(const platform_run& r)
{
    return share(r, latency_part::wait_read);
}

/// The shares of a run with `more` and of one with `less` of the cause, for both kinds of core.
struct cause {
    texts files;
    texts sets;
    texts more;
    texts less;
    test::measure_fn part;
    double most;  // share with `less`, at most
    double least; // with `more`, at least
};

void check(const cause& c)
{
    for (const texts& kind :
         {texts{"cpu.core=cortex-r82"}, texts{"cpu.core=flat", "cpu.instructions_per_call=2000"}}) {
        INFO(kind.front());
        texts more = c.sets;
        more.insert(more.end(), kind.begin(), kind.end());
        texts less = more;
        more.insert(more.end(), c.more.begin(), c.more.end());
        less.insert(less.end(), c.less.begin(), c.less.end());
        CHECK(test::measure_apart(c.files, more, c.part) > c.least);
        CHECK(test::measure_apart(c.files, less, c.part) <= c.most);
    }
}

const texts random_reads = {"device/small", "workload/random-read"};

} // namespace

TEST_CASE("waits: for a slow core")
{
    check({random_reads,
           {"precondition.fill=1", "run.requests=4000", "workload.0.queue_depth=32"},
           {"cpu.clock=20MHz"},
           {"cpu.clock=2GHz"},
           core,
           0.2,
           0.7});
}

TEST_CASE("waits: for pages of the map, with a cache of one per request")
{
    check({random_reads,
           {"precondition.fill=1", "run.requests=4000", "workload.0.queue_depth=4",
            "ftl.scheme=dftl", "cpu.clock=2GHz"},
           {"ftl.map_cache=128KiB"},
           {"ftl.map_cache=16MiB", "run.warmup=20000"},
           map,
           0.01,
           0.3});
}

TEST_CASE("waits: no map that is in memory as a whole is waited for")
{
    check({random_reads,
           {"precondition.fill=1", "run.requests=2000"},
           {"cpu.clock=100MHz"},
           {"cpu.clock=2GHz"},
           map,
           0.0,
           -1.0});
}

TEST_CASE("waits: for a slot of the write buffer")
{
    check({{"device/small", "workload/sequential-write"},
           {"run.requests=400", "workload.0.queue_depth=4"},
           {"cache.capacity=2MiB"},
           {"cache.capacity=64MiB"},
           buffer,
           0.0,
           0.5});
}

// At depth 1 no read is behind another in a LUN.
TEST_CASE("waits: for the read that completes a unit of the write buffer")
{
    check(
        {{"device/small", "workload/zipf-70-30"},
         {"precondition.fill=1", "run.requests=4000", "workload.0.queue_depth=1", "cpu.clock=2GHz"},
         {"workload.0.block_size=1KiB"},
         {"workload.0.block_size=4KiB"},
         read,
         0.0,
         0.0});
}

} // namespace waits_test
