// SPDX-License-Identifier: Apache-2.0
//
// Power cuts of whole drives: what was flushed is there afterwards, and every number adds up. That
// the shadow copy would see a loss is proved in tests/unit/shadow_power_test.cpp and
// tests/powercut.
#include <catch2/catch.hpp>
#include <functional>

#include "platform/report/summary_json.h"
#include "tests/support/platform_run.h"

namespace power_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using ssdvp::test::platform_run;

namespace {

using texts = std::vector<std::string>;

texts reads(texts more)
{
    texts sets = {"run.requests=20000", "ftl.over_provisioning=0.3"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

texts writes(texts more)
{
    texts sets = reads(std::move(more));
    sets.emplace_back("workload.0.flush_every=16");
    return sets;
}

const texts reading = {"device/small", "workload/random-read"};
const texts writing = {"device/small", "workload/random-write"};

platform::power_statistics power(const platform_run& r)
{
    REQUIRE(r.result.measured.measured.power);
    return *r.result.measured.measured.power;
}

std::string summary_of(const platform_run& r)
{
    return platform::deterministic_summary(r.result.measured, r.sim->requests(),
                                           r.result.violations);
}

/// A number of 52 bits that two different summaries share by chance only.
double fingerprint(const platform_run& r)
{
    std::uint64_t h = 14695981039346656037ull; // FNV-1a
    for (const char c : summary_of(r)) {
        h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    }
    return static_cast<double>(h >> 12);
}

double cuts_of(const platform_run& r)
{
    return static_cast<double>(r.result.measured.measured.power->cuts);
}
double simulated(const platform_run& r)
{
    return static_cast<double>(r.measured().when.ps());
}

} // namespace

TEST_CASE("cuts at given times: the drive comes back, requests in = completed + lost")
{
    const platform_run r = test::run(reading, reads({"power.cut.at=[200us, 30ms]"}));
    const platform::power_statistics p = power(r);
    CHECK(p.cuts == 2);
    CHECK(p.shutdowns == 0);
    CHECK(p.lost_requests != 0);
    const platform::driver_statistics& d = r.result.measured.lifetime.driver;
    CHECK(d.requests_lost == p.lost_requests);
    CHECK(d.requests_in == d.requests_out + d.requests_lost);
    CHECK(r.sim->requests().requests() == 20000 - p.lost_requests);
    CHECK(r.result.measured.power.ready.count == 2);
    CHECK(r.result.measured.power.first_read.count == 2);
    CHECK(r.result.measured.power.ready.max < r.result.measured.power.first_read.max);
    CHECK(r.measured().when > 30_ms);
    CHECK(summary_of(r).find("\"power\"") != std::string::npos);
}

TEST_CASE("random cuts, some of them during start-up, checkers on every bus")
{
    const platform_run r =
        test::run(reading, reads({"power.cut.random=60", "run.requests=150000"}));
    CHECK(power(r).cuts > 1);
    CHECK(r.result.measured.power.ready.count <= power(r).cuts);
    CHECK(power(r).torn_pages + power(r).torn_blocks == 0);
}

TEST_CASE("clean shutdowns lose no request")
{
    const platform_run r = test::run(reading, reads({"power.shutdown.at=[200us, 20ms]"}));
    CHECK(power(r).shutdowns == 2);
    CHECK(power(r).cuts == 0);
    CHECK(power(r).lost_requests == 0);
    CHECK(r.sim->requests().requests() == 20000);
    CHECK(r.result.measured.power.ready.count == 2);
}

TEST_CASE("a cut during a shutdown, and one during the start after it")
{
    const platform_run r =
        test::run(reading, reads({"power.shutdown.at=200us", "power.cut.at=[201us, 12ms]"}));
    CHECK(power(r).cuts == 2);
    CHECK(power(r).shutdowns == 0);
    CHECK(r.result.measured.power.ready.count == 1); // the first start was cut short
    CHECK(power(r).lost_requests != 0);
}

TEST_CASE("shutdowns whenever the drive had power for so long, and cuts in between")
{
    const platform_run r = test::run(
        reading, reads({"power.shutdown.every=6ms", "power.cut.at=8ms", "power.off_time=1ms"}));
    CHECK(power(r).shutdowns > 1);
    CHECK(power(r).cuts <= 1);
}

TEST_CASE("same seed, same bytes, another seed, other cuts")
{
    const texts random = reads({"power.cut.random=60"});
    const double first = test::measure_apart(reading, random, fingerprint);
    CHECK(test::measure_apart(reading, random, fingerprint) == first);
    const texts other = reads({"power.cut.random=60", "run.seed=2"});
    CHECK(test::measure_apart(reading, other, fingerprint) != first);
}

TEST_CASE("more cuts per second are more cuts, more time without power takes more time")
{
    CHECK(test::measure_apart(reading, reads({"power.cut.random=60"}), cuts_of) >
          test::measure_apart(reading, reads({"power.cut.random=5"}), cuts_of));
    const double usual = test::measure_apart(reading, reads({"power.cut.at=1ms"}), simulated);
    const double longer =
        test::measure_apart(reading, reads({"power.cut.at=1ms", "power.off_time=30ms"}), simulated);
    CHECK(longer - usual > 19.9e9);
    CHECK(longer - usual < 20.1e9);
}

TEST_CASE("what was flushed is there after a cut, what was not may be gone")
{
    const platform_run r =
        test::run(writing, writes({"power.cut.at=5ms", "power.verify=uncertain"}));
    CHECK(power(r).cuts == 1);
    CHECK(power(r).lost_requests != 0);
    CHECK(power(r).verified_sectors != 0);
}

TEST_CASE("verify all reads what was flushed too")
{
    const platform_run all = test::run(writing, writes({"power.cut.at=5ms", "power.verify=all"}));
    CHECK(power(all).verified_sectors > 1000);
}

TEST_CASE("verify none reads nothing")
{
    const platform_run r = test::run(writing, writes({"power.cut.at=5ms", "power.verify=none"}));
    CHECK(power(r).verified_sectors == 0);
}

TEST_CASE("cuts by count hit the operation that begins: its pages are torn")
{
    const platform_run r = test::run(writing, writes({"power.cut.every=9"}));
    CHECK(power(r).torn_pages != 0);
}

TEST_CASE("a drive that never gets to work between cuts fails the run with a clear message")
{
    const platform_run r =
        test::run_failing(reading, reads({"power.cut.random=100000", "power.off_time=1us"}));
    REQUIRE(r.result.measured.fault_count == 1);
    CHECK(r.result.measured.faults[0].what.find("cut less often") != std::string::npos);
}

namespace {

/// Everything at once: collection, trims, flushes, wear levelling, cuts inside flash operations.
texts hundred_cuts(texts more)
{
    texts sets = {"precondition.fill=0.9",     "workload.0.read_fraction=0.2",
                  "workload.0.flush_every=64", "workload.0.trim_fraction=0.02",
                  "run.requests=90000",        "power.cut.every=60",
                  "power.verify=uncertain",    "ftl.checkpoint_interval=4MiB"};
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// A map that is paged writes while the drive boots too: it needs longer between the cuts.
texts paged_cuts(const std::string& scheme)
{
    return hundred_cuts({"ftl.scheme=" + scheme, "ftl.over_provisioning=0.3", "run.seed=9",
                         "precondition.fill=0.8", "power.cut.every=150",
                         "run.requests=" + std::string(scheme == "vm_map" ? "50000" : "90000")});
}

texts block_cuts(const char* log)
{
    return hundred_cuts({"ftl.scheme=log_set", "ftl.stripe=block", "ftl.log_set.unit=block", log,
                         "ftl.map_unit=16KiB", "nand.pages_per_block=16", "run.requests=8000",
                         "ftl.over_provisioning=0.4", "power.cut.every=600", "data=full",
                         "run.seed=11"});
}

void survives(const platform_run& r, std::uint64_t cuts = 100)
{
    CHECK(power(r).cuts >= cuts);
    CHECK(power(r).torn_pages != 0);
    CHECK(r.result.measured.lifetime.integrity->mismatches == 0);
    CHECK(r.sim->requests().overall().errors == 0);
}

} // namespace

TEST_CASE("a hundred cuts of a drive at work, tags")
{
    survives(test::run(writing, hundred_cuts({})));
}

TEST_CASE("a hundred cuts of a drive at work, all bytes")
{
    survives(test::run(writing, hundred_cuts({"data=full", "run.seed=5"})));
}

TEST_CASE("a hundred cuts of a drive whose erases stop for reads")
{
    survives(test::run(writing, hundred_cuts({"flash.suspend.policy=safe_point_dynamic",
                                              "run.seed=7", "power.cut.every=120"})));
}

TEST_CASE("a hundred cuts of a drive without a write buffer")
{
    survives(
        test::run(writing, hundred_cuts({"cache.policy=none", "run.seed=9",
                                         "ftl.over_provisioning=0.3", "power.cut.every=250"})));
}

TEST_CASE("cut so often that no superblock is ever collected, a drive keeps its data, read only")
{
    const platform_run r = test::run(writing, hundred_cuts({"cache.policy=none", "run.seed=14"}));
    CHECK(power(r).cuts >= 100);
    CHECK(r.result.measured.lifetime.integrity->mismatches == 0);
    CHECK(r.sim->requests().kind(host::request_kind::write).errors != 0);
    CHECK(r.sim->requests().kind(host::request_kind::read).errors == 0);
}

TEST_CASE("cuts of a drive whose map is paged, entry by entry")
{
    survives(test::run(writing, paged_cuts("dftl")), 90);
}

TEST_CASE("cuts of a drive whose map is paged, segment by segment")
{
    survives(test::run(writing, paged_cuts("vm_map")), 30);
}

TEST_CASE("cuts of a drive whose map is paged, page by page")
{
    survives(test::run(writing, paged_cuts("log_set")), 80);
}

TEST_CASE("cuts of a drive that maps blocks")
{
    survives(test::run(writing, block_cuts("ftl.log_set.w_log=0")), 30);
}

TEST_CASE("cuts of a drive that maps blocks, with a log of pages")
{
    survives(test::run(writing, block_cuts("ftl.log_set.w_log=24")), 30);
}

TEST_CASE("a hundred cuts of a drive whose buffer keeps what was read")
{
    survives(test::run(writing, hundred_cuts({"cache.policy=rw_lru", "run.seed=11",
                                              "workload.0.read_fraction=0.3"})));
}

TEST_CASE("cuts of a drive that merges its log blocks before they are full")
{
    const platform_run r =
        test::run(writing, {"ftl.scheme=kast", "ftl.kast.associativity=1", "nand.page_order=any",
                            "nand.pages_per_block=9", "cache.policy=rw_lru",
                            "workload.0.read_fraction=0.5", "workload.0.queue_depth=1",
                            "power.cut.every=1500", "run.requests=2262", "run.seed=11"});
    survives(r, 1);
}

TEST_CASE("each power-up reads where the next one begins: before that cannot be read, it moves")
{
    // A read makes a block's errors grow by 5 %: after some 90 power-ups the pages of the record
    // in which power-up begins would have more than the code corrects.
    const platform_run r =
        test::run(writing, {"ftl.scheme=bast", "nand.page_order=any", "nand.errors.rber=0.0001",
                            "nand.errors.read_disturb=100000", "workload.0.read_fraction=0.5",
                            "workload.0.queue_depth=1", "power.cut.random=10", "run.requests=264",
                            "run.seed=784054"});
    CHECK(power(r).cuts > 95);
    CHECK(r.result.violations.empty());
    CHECK(r.result.measured.lifetime.integrity->mismatches == 0);
}

} // namespace power_test
