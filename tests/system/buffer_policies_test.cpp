// SPDX-License-Identifier: Apache-2.0
//
// Policies of the buffer in whole drives: sequences worked out by hand (docs/cache.md) as the dies
// and the buffer count them, what padding is for, and hit rates that a formula gives.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/direction.h"
#include "tests/system/buffer_bench.h"

namespace buffer_policies_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

/// Reads and programs of the flash for the host, reads of them that pad blocks, units dropped.
struct cost {
    unsigned reads, programs, pads, clean;
    bool operator==(const cost& o) const
    {
        return reads == o.reads && programs == o.programs && pads == o.pads && clean == o.clean;
    }
};

std::ostream& operator<<(std::ostream& out, const cost& c)
{
    return out << "R=" << c.reads << " W=" << c.programs << " pads=" << c.pads
               << " clean=" << c.clean;
}

constexpr double digits = 100.0;

double packed(const test::platform_run& r)
{
    const auto& host = r.measured().flash.by_purpose[FLASH_PURPOSE_HOST];
    const auto& t = *r.measured().ftl;
    if (t.cache_evictions_dirty != host.programs || t.cache_read_hits != 1 ||
        t.cache_read_misses + t.cache_padding_reads != host.reads) {
        return 0; // the dies did something else than the buffer says
    }
    return ((static_cast<double>(host.reads) * digits + static_cast<double>(host.programs)) *
                digits +
            static_cast<double>(t.cache_padding_reads)) *
               digits +
           static_cast<double>(t.cache_evictions_clean);
}

cost cost_of(const char* policy, unsigned units, const char* operations, const texts& more = {})
{
    const test::operations_file trace(operations);
    texts sets = {std::string("cache.policy=") + policy,
                  fmt::format("cache.capacity={}B", units * 512), "cache.dirty_limit=1",
                  "precondition.fill=1"};
    sets.insert(sets.end(), more.begin(), more.end());
    const auto all = static_cast<std::uint64_t>(test::measure_apart({trace.file()}, sets, packed));
    return {static_cast<unsigned>(all / 1000000), static_cast<unsigned>(all / 10000 % 100),
            static_cast<unsigned>(all / 100 % 100), static_cast<unsigned>(all % 100)};
}

constexpr const char* mixed = "Wa Rb Wc Rd Re Wa";
constexpr const char* two_dirty = "Wa Wb Rc Rd Re";
constexpr const char* blocks = "Wa We Wf Wi Wj";
constexpr const char* sequential = "Wi Wa Wb Wc Wd Wm";

} // namespace

TEST_CASE("buffer: the worked sequences of LRU and clean-first LRU in a whole drive")
{
    CHECK(cost_of("wo_lru", 4, mixed) == cost{3, 0, 0, 0});
    CHECK(cost_of("rw_lru", 4, mixed) == cost{3, 1, 0, 1}); // a written again, b made room for it
    CHECK(cost_of("rw_lru", 4, two_dirty) == cost{3, 1, 0, 0});
    CHECK(cost_of("rw_cflru", 4, mixed, {"cache.window=0.5"}) == cost{3, 0, 0, 1});
    CHECK(cost_of("rw_cflru", 4, two_dirty, {"cache.window=0.5"}) == cost{3, 1, 0, 0});
    CHECK(cost_of("rw_cflru", 4, two_dirty, {"cache.window=0.75"}) == cost{3, 0, 0, 1});
    CHECK(cost_of("rw_cflru", 4, two_dirty, {"cache.window=1"}) == cost{3, 0, 0, 1});
    CHECK(cost_of("rw_cflru", 4, mixed, {"cache.window=0"}) == cost{3, 1, 0, 1});
}

TEST_CASE("buffer: the worked sequences of fab and bplru in a whole drive")
{
    CHECK(cost_of("fab", 4, blocks) == cost{0, 2, 0, 0});
    CHECK(cost_of("bplru", 4, blocks) == cost{3, 4, 3, 0});
    CHECK(cost_of("bplru", 4, blocks, {"cache.padding=false"}) == cost{0, 1, 0, 0});
    CHECK(cost_of("bplru", 5, sequential) == cost{0, 4, 0, 0});
    CHECK(cost_of("bplru", 5, sequential, {"cache.compensation=false"}) == cost{3, 4, 3, 0});
}

namespace {

double merges_with_copies(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->merges_partial + r.measured().ftl->merges_full);
}
double merges_by_switch(const test::platform_run& r)
{
    return static_cast<double>(r.measured().ftl->merges_switch);
}

} // namespace

TEST_CASE("bplru: padded blocks are merged by a switch, in log blocks that take them in order")
{
    for (const char* scheme : {"bast", "fast"}) {
        for (const char* luns : {"1", "4"}) {
            CAPTURE(scheme, luns);
            const auto measured = [&](const char* set,
                                      double (*measure)(const test::platform_run&)) {
                return test::measure_apart(
                    {"device/tiny", "workload/random-write"},
                    {std::string("ftl.scheme=") + scheme, "nand.page_order=any",
                     std::string("flash.luns_per_channel=") + luns, "nand.blocks_per_plane=256",
                     "ftl.over_provisioning=0.7", "precondition.fill=1",
                     "workload.0.block_size=512B", "run.requests=600", "cache.policy=bplru", set},
                    measure);
            };
            CHECK(measured("cache.padding=true", merges_by_switch) > 100);
            CHECK(measured("cache.padding=true", merges_with_copies) == 0);
            CHECK(measured("cache.padding=false", merges_with_copies) > 100);
        }
    }
}

namespace {

double read_hits(const test::platform_run& r)
{
    const auto& f = *r.measured().ftl;
    return static_cast<double>(f.cache_read_hits) /
           static_cast<double>(f.cache_read_hits + f.cache_read_misses);
}

/// H(n), exact where it matters here: the sum.
double harmonic(std::uint64_t n)
{
    double sum = 0;
    for (std::uint64_t k = n; k != 0; --k) {
        sum += 1 / static_cast<double>(k);
    }
    return sum;
}

} // namespace

TEST_CASE("rw_lru: reads by the LRU stack model hit P(depth <= capacity)")
{
    // Depths by d^-1 over n blocks, a buffer of exactly c: H(c) / H(n). 60000 reads of which a
    // share p hits: standard deviation sqrt(p (1 - p) / 60000) = 0.0018; 1 % of p are 2.8 to 4 of
    // them.
    for (const std::uint64_t units : {256u, 1024u}) {
        const std::uint64_t n = 8192;
        const double law = harmonic(units) / harmonic(n);
        const double hits = test::measure_apart(
            {"device/small", "workload/random-read"},
            {"cache.policy=rw_lru", "cache.dirty_limit=1",
             fmt::format("cache.capacity={}KiB", units * 4), "precondition.fill=1",
             "workload.0.pattern=lru", "workload.0.range.size=32MiB", "workload.0.queue_depth=1",
             "run.warmup=20000", "run.requests=60000"},
            read_hits);
        CAPTURE(units, law);
        CHECK(hits == Approx(law).epsilon(0.01));
    }
}

} // namespace buffer_policies_test
