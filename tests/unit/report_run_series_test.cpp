// SPDX-License-Identifier: Apache-2.0
//
// The measured part in pieces, from requests and readings made by hand.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "platform/report/counter_table.h"
#include "platform/report/series.h"

namespace report_run_series_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::literals;

namespace {

host::request_result done(sim_time at, sim_time latency, std::uint16_t status = 0)
{
    host::request_result r;
    r.req.kind = host::request_kind::read;
    r.req.sectors = 8;
    r.req.arrival = at - latency;
    r.completed = at;
    r.status = status;
    return r;
}

/// A drive of two channels of one LUN, one core and a link, so far busy for shares of the time.
counters reading(sim_time when)
{
    counters c;
    c.when = when;
    c.flash.by_purpose[FLASH_PURPOSE_GC].bytes_programmed = when.ns();
    c.flash.erases = when.ns() / 1000;
    c.channels.resize(2);
    for (channel_statistics& channel : c.channels) {
        channel.busy = sim_time(when.ps() / 4);
        channel.luns.resize(1);
    }
    c.channels[1].luns[0].busy = sim_time(when.ps() / 2);
    c.cpu.resize(1);
    c.cpu[0].busy = sim_time(when.ps() / 5);
    c.link.emplace();
    c.link->busy_up = sim_time(when.ps() / 10);
    c.ftl.emplace();
    c.ftl->gc_runs = when.ns() / 500;
    c.ftl->free_blocks = when.ns() / 100;
    return c;
}

/// ... with an SLC cache that empties and fills.
counters cached_reading(sim_time when)
{
    counters c = reading(when);
    c.slc_cache = true;
    c.ftl->slc.superblocks = 8;
    c.ftl->slc.free = when.ns() / 64000;
    c.ftl->slc.hits = when.ns() / 1000;
    c.ftl->slc.bypassed = when.ns() / 2000;
    c.ftl->slc.folded = when.ns() / 4000;
    c.ftl->slc.folds = when.ns() / 64000;
    return c;
}

std::vector<std::string> lines(const run_series& s)
{
    std::vector<std::string> all;
    std::istringstream text(s.csv());
    for (std::string line; std::getline(text, line);) {
        all.push_back(line);
    }
    return all;
}

/// The field of a line under that name.
std::string field(const run_series& s, std::size_t line, const std::string& name)
{
    const std::vector<std::string> all = lines(s);
    std::istringstream names(all[0]);
    std::istringstream values(all[line]);
    std::string n;
    std::string v;
    while (std::getline(names, n, ',')) {
        std::getline(values, v, ',');
        if (n == name) {
            return v;
        }
        v.clear();
    }
    FAIL("no column " << name);
    return {};
}

/// A request each microsecond, the series read whenever it asks for it.
void run(run_series& s, std::uint64_t from_us, std::uint64_t to_us)
{
    for (std::uint64_t n = from_us + 1; n <= to_us; ++n) {
        const sim_time t(n * 1000 * 1000);
        if (s.completed(done(t, 1_us))) {
            s.take(reading(t));
        }
    }
}

} // namespace

TEST_CASE("buckets: each value has one, each begins where the last one ends", "[common]")
{
    using cells = log_buckets<4>;
    for (std::size_t i = 0; i + 1 < cells::count; ++i) {
        const std::uint64_t from = cells::lowest(i);
        const std::uint64_t to = from + cells::width(i);
        REQUIRE(cells::index_of(from) == i);
        REQUIRE(cells::index_of(to - 1) == i);
        REQUIRE(cells::index_of(to) == i + 1);
    }
    CHECK(cells::index_of(UINT64_MAX) == cells::count - 1);
    CHECK(cells::lowest(32) == 32); // [32, 64) is the first power of two of wider buckets
    CHECK(cells::width(32) == 2);
    CHECK(cells::index_of(33) == 32);
    CHECK(cells::index_of(34) == 33);
}

TEST_CASE("run series: percentiles of a piece, and of two together", "[report]")
{
    piece_latencies a; // 60 twice, 100 three times: exact below 128
    a.occupied = {{60, 2}, {100, 3}};
    a.count = 5;
    a.sum = 420;
    a.max = 100;
    CHECK(a.percentile(0.4) == 60);   // rank 2
    CHECK(a.percentile(0.41) == 100); // rank 3
    CHECK(a.percentile(1.0) == 100);
    piece_latencies b;
    b.occupied = {{50, 1}, {60, 1}, {120, 2}};
    b.count = 4;
    b.sum = 350;
    b.max = 120;
    a.merge(b);
    REQUIRE(a.occupied.size() == 4);
    CHECK(a.count == 9);
    CHECK((a.sum == 770));
    CHECK(a.percentile(0.1) == 50);     // rank 1
    CHECK(a.percentile(4.0 / 9) == 60); // 50, 60, 60, 60
    CHECK(a.percentile(5.0 / 9) == 100);
    CHECK(a.percentile(8.0 / 9) == 120);
    CHECK(a.max == 120);
}

TEST_CASE("run series: a piece per 128 requests, of what happened in it", "[report]")
{
    run_series s{sim_time()};
    s.begin(reading(0_us));
    run(s, 0, 128 + 128 + 10);
    REQUIRE(s.pieces().size() == 2);
    s.end(reading(266_us));
    REQUIRE(s.pieces().size() == 3);
    CHECK(field(s, 1, "begin_ns") == "0.000");
    CHECK(field(s, 1, "end_ns") == "128000.000");
    CHECK(field(s, 2, "begin_ns") == "128000.000");
    CHECK(field(s, 3, "end_ns") == "266000.000");
    CHECK(field(s, 3, "read_requests") == "10");
    CHECK(field(s, 1, "read_bytes") == "524288"); // 128 x 4096
    CHECK(field(s, 1, "read_mean_ns") == "1000.000");
    CHECK(field(s, 1, "read_max_ns") == "1000.000");
    CHECK(field(s, 1, "write_requests") == "0");
    CHECK(field(s, 1, "write_p50_ns").empty());
    CHECK(field(s, 1, "in_flight") == "1.000000"); // 128 x 1 us in 128 us
    CHECK(field(s, 2, "programmed_gc_bytes") == "128000");
    CHECK(field(s, 2, "erases") == "128");
    CHECK(field(s, 2, "gc_runs") == "256");
    CHECK(field(s, 2, "free_blocks") == "2560"); // a gauge: not the difference
    CHECK(field(s, 2, "channels_busy") == "0.250000");
    CHECK(field(s, 2, "luns_busy") == "0.250000"); // one at 0.5, one idle
    CHECK(field(s, 2, "lun_0_0_busy") == "0.000000");
    CHECK(field(s, 2, "lun_1_0_busy") == "0.500000");
    CHECK(field(s, 2, "core_0_busy") == "0.200000");
    CHECK(field(s, 2, "link_up_busy") == "0.100000");
    CHECK(field(s, 2, "dram_busy").empty());    // there is none
    CHECK(field(s, 2, "power_nand_w").empty()); // not counted
    const std::vector<std::string> all = lines(s);
    for (const std::string& line : all) {
        CHECK(std::count(line.begin(), line.end(), ',') ==
              std::count(all[0].begin(), all[0].end(), ','));
    }
}

TEST_CASE("run series: 1,000 pieces at most, with the same sums", "[report]")
{
    run_series s{sim_time()};
    s.begin(reading(0_us));
    run(s, 0, 128 * 1000);
    CHECK(s.pieces().size() == 1000);
    run(s, 128 * 1000, 128 * 1001);
    REQUIRE(s.pieces().size() == 501); // pairs, and the odd one
    CHECK(s.pieces()[0].end == 256_us);
    CHECK(s.pieces()[499].kinds[0].requests == 256);
    CHECK(s.pieces()[500].kinds[0].requests == 128);
    run(s, 128 * 1001, 128 * 1001 + 256);
    CHECK(s.pieces().back().kinds[0].requests == 256);
    std::uint64_t requests = 0;
    std::uint64_t erases = 0;
    sim_time luns;
    sim_time at;
    for (const series_piece& p : s.pieces()) {
        CHECK(p.begin == at);
        at = p.end;
        requests += p.kinds[0].requests;
        erases += p.erases;
        luns += p.luns[1];
    }
    CHECK(requests == 128 * 1001 + 256);
    CHECK(erases == 128 * 1001 + 256);
    CHECK(luns == sim_time(at.ps() / 2));
}

TEST_CASE("run series: a piece ends with the first request that makes it an interval long",
          "[report]")
{
    run_series s{100_us};
    s.begin(reading(0_us));
    CHECK_FALSE(s.completed(done(100_us - sim_time(1), 2_us)));
    CHECK(s.completed(done(100_us, 2_us)));
    s.take(reading(100_us));
    CHECK(s.completed(done(350_us, 2_us, 1))); // nothing for a while: one long piece
    s.take(reading(350_us));
    CHECK_FALSE(s.completed(done(449_us, 2_us)));
    s.end(reading(449_us));
    REQUIRE(s.pieces().size() == 3);
    CHECK(s.pieces()[1].end == 350_us);
    CHECK(field(s, 2, "read_errors") == "1");
    CHECK(field(s, 2, "read_bytes") == "0");
}

TEST_CASE("run series: an SLC cache has columns of its own, in a piece and in two together",
          "[report]")
{
    run_series s{128_us};
    s.begin(cached_reading(0_us));
    for (const sim_time at : {128_us, 256_us, 384_us}) {
        REQUIRE(s.completed(done(at, 2_us)));
        s.take(cached_reading(at));
    }
    CHECK(field(s, 2, "slc_superblocks") == "8"); // gauges, at the end
    CHECK(field(s, 2, "slc_free") == "4");
    CHECK(field(s, 2, "slc_hits") == "128");
    CHECK(field(s, 2, "slc_bypassed") == "64");
    CHECK(field(s, 2, "slc_folded") == "32");
    CHECK(field(s, 3, "slc_folds") == "2");
    series_piece both = s.pieces()[0];
    both.merge(s.pieces()[1]);
    CHECK(both.slc.free == 4);
    CHECK(both.slc.hits == 256);
    CHECK(both.slc.bypassed == 128);
    CHECK(both.slc.folded == 64);
    CHECK(both.slc.folds == 4);
    const std::string names = s.csv().substr(0, s.csv().find('\n'));
#define CHECK_NAME(field, kind, ...)                                                               \
    CHECK((names.find(",slc_" #field) != std::string::npos) ==                                     \
          (counter_kind::kind == counter_kind::COUNTER ||                                          \
           counter_kind::kind == counter_kind::GAUGE));
    COUNTERS_SLC(CHECK_NAME)
#undef CHECK_NAME
    run_series none{128_us};
    none.begin(reading(0_us));
    CHECK(none.csv().find("slc_") == std::string::npos);
}

TEST_CASE("run series: power of a piece, of what its parts draw", "[report]")
{
    energy_figures f;
    f.core = {100 * 1000, 10 * 1000};
    run_series s(sim_time(), f);
    s.begin(reading(0_us));
    run(s, 0, 128);
    CHECK(field(s, 1, "power_cores_w") == "0.028000"); // a fifth of the time 100 mW, else 10
    CHECK(field(s, 1, "power_link_w").empty());
}

} // namespace report_run_series_test
