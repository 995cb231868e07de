// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <sstream>

#include "platform/report/sinks/sink.h"
#include "tests/unit/report_sample.h"
#include "tests/unit/report_scratch.h"

// Counts allocations of the whole process, for the claim that recording makes none.
static std::size_t allocations = 0;

// Not inlined: the compiler would take the pair in view for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size)
{
    ++allocations;
    if (void* p = std::malloc(size)) {
        return p;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept
{
    ++allocations;
    return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept
{
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t /*size*/) noexcept
{
    std::free(p);
}

using namespace ssdvp;
using namespace ssdvp::literals;
using host::request_kind;
using report_test::finished;

TEST_CASE("latency.csv holds each request once, in the bucket of its latency", "[report]")
{
    const report_test::sample s;
    // Three good reads of 50, 60, 70 us and a failed one of 80 us; two writes of 10 us and 1 or 4
    // ps.
    const report_test::scratch folder;
    const host::workload_config workload;
    platform::make_latency_csv("", {"", folder.path(), workload, 4096})
        ->finish({s.requests, workload, nullptr});
    std::ifstream file(folder.path() / "latency.csv");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.rfind("kind,from_ns,to_ns,count\n", 0) == 0);
    std::uint64_t reads = 0;
    std::istringstream lines(text.substr(text.find('\n') + 1));
    for (std::string line; std::getline(lines, line);) {
        double from = 0.0;
        double to = 0.0;
        unsigned long count = 0;
        char kind[8] = {};
        REQUIRE(std::sscanf(line.c_str(), "%7[a-z],%lf,%lf,%lu", kind, &from, &to, &count) == 4);
        CHECK(from < to);
        if (std::string(kind) == "read") {
            reads += count;
            CHECK(from <= 80e3);
            CHECK(to > 50e3);
        }
    }
    CHECK(reads == 4);
}

TEST_CASE("requests are counted by kind, stream and over all", "[report][statistics]")
{
    const report_test::sample s;
    const platform::kind_statistics& reads = s.requests.kind(request_kind::read);
    CHECK(reads.requests == 4);
    CHECK(reads.errors == 1);
    CHECK(reads.bytes == 3 * 8 * 512); // the failed one brought none
    CHECK(reads.latency.count() == 4);
    CHECK(reads.latency.max() == 80_us);
    CHECK((reads.parts[static_cast<std::size_t>(latency_part::queue)] == uint128{65000000}));
    CHECK(s.requests.kind(request_kind::write).bytes == 2 * 16 * 512);
    CHECK(s.requests.kind(request_kind::flush).bytes == 0);
    CHECK(s.requests.kind(request_kind::trim).requests == 0);
    CHECK(s.requests.requests() == 7);

    const platform::kind_statistics all = s.requests.overall();
    CHECK(all.requests == 7);
    CHECK(all.errors == 1);
    CHECK(all.latency.count() == 7);
    CHECK(all.latency.min() == 2_us);

    REQUIRE(s.requests.streams().size() == 2);
    const auto of_stream = [&s](std::size_t stream, request_kind kind) {
        return s.requests.streams()[stream][static_cast<std::size_t>(kind)].requests;
    };
    CHECK(of_stream(0, request_kind::read) == 4);
    CHECK(of_stream(0, request_kind::write) == 0);
    CHECK(of_stream(1, request_kind::write) == 2);
}

TEST_CASE("warm-up is forgotten, the life-long counts are not", "[report][statistics]")
{
    platform::request_statistics r(1);
    r.on_complete(finished(request_kind::read, 0, 1_us, 5_us));
    r.begin_measurement();
    CHECK(r.requests() == 0);
    CHECK(r.kind(request_kind::read).latency.count() == 0);
    CHECK((r.kind(request_kind::read).parts[static_cast<std::size_t>(latency_part::array)] == 0));
    CHECK(r.streams()[0][0].requests == 0);
    CHECK(r.lifetime_requests() == 1);
    CHECK(r.lifetime_read_bytes() == 4096);
}

TEST_CASE("parts that are added are as one that heard all", "[report][statistics]")
{
    platform::request_statistics all(2);
    platform::request_statistics sum(2);
    platform::request_statistics part(2);
    for (std::uint64_t i = 0; i < 12; ++i) {
        host::request_result r = finished(i % 3 == 0 ? request_kind::write : request_kind::read, i,
                                          i * 1_us, i * 1_us + (i + 1) * 7_us);
        r.req.stream = static_cast<std::uint16_t>(i % 2);
        r.status = i == 5 ? 1 : 0;
        all.on_complete(r);
        part.on_complete(r);
        if (i % 4 == 3) {
            sum.add(part);
            part.begin_measurement();
        }
    }
    const auto check_same = [](const platform::request_statistics::by_kind& a,
                               const platform::request_statistics::by_kind& b) {
        for (std::size_t k = 0; k < a.size(); ++k) {
            CHECK(a[k].requests == b[k].requests);
            CHECK(a[k].bytes == b[k].bytes);
            CHECK(a[k].errors == b[k].errors);
            CHECK(a[k].latency.min() == b[k].latency.min());
            CHECK(a[k].latency.max() == b[k].latency.max());
            CHECK(a[k].latency.percentile(500000) == b[k].latency.percentile(500000));
            CHECK((a[k].latency.sum() == b[k].latency.sum()));
            CHECK((a[k].parts == b[k].parts));
        }
    };
    CHECK(sum.requests() == 12);
    check_same(sum.kinds(), all.kinds());
    for (std::size_t s = 0; s < 2; ++s) {
        check_same(sum.streams()[s], all.streams()[s]);
    }
    CHECK(sum.lifetime_requests() == 0);
}

TEST_CASE("a request whose parts do not sum to its latency is noticed", "[report][statistics]")
{
    platform::request_statistics r;
    r.on_complete(finished(request_kind::read, 0, 1_us, 5_us));
    CHECK(r.bad_splits() == 0);
    for (const std::uint64_t sequence : {3u, 4u}) {
        host::request_result bad = finished(request_kind::read, sequence, 1_us, 5_us);
        bad.parts[0] += sim_time(1); // one picosecond too many ...
        r.on_complete(bad);
        bad.parts[0] = sim_time();
        bad.completed += sim_time(1); // ... one too few: in the sums they cancel
        r.on_complete(bad);
    }
    CHECK(r.bad_splits() == 4);
    CHECK(r.first_bad_split() == 3);
}

TEST_CASE("recording a request allocates nothing", "[report][statistics]")
{
    platform::request_statistics r(3);
    const host::request_result result = finished(request_kind::write, 0, 1_us, 77_us);
    const std::size_t before = allocations;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        r.on_complete(result);
    }
    CHECK(allocations == before);
    CHECK(r.requests() == 1000);
    const platform::kind_statistics copy = r.overall();
    CHECK(allocations > before); // the counter does count
    CHECK(copy.requests == 1000);
}

TEST_CASE("a difference subtracts counters and keeps gauges", "[report][measurement]")
{
    report_test::sample s;
    s.begin.ftl->host_units_written = 3;
    s.begin.ftl->gc_runs = 1;
    s.begin.ftl->free_blocks = 100;
    s.begin.ftl->mapped = 100;
    s.begin.flash.reads = 2;
    s.begin.flash.by_purpose[FLASH_PURPOSE_GC].bytes_programmed = 384;
    s.begin.channels[0].luns[0] = {100_us, 1, 1, 0};
    s.measure();
    const platform::counters& d = s.m.measured;
    CHECK(d.when == 1_ms);
    CHECK(d.wall_s == 2.5);
    CHECK(d.kernel_activations == 140);
    CHECK(d.driver.requests_in == 8);
    CHECK(d.driver.requests_out == 7);
    CHECK(d.driver.requests_in_flight == 1); // a gauge
    CHECK(d.flash.reads == 4);
    CHECK(d.flash.by_purpose[FLASH_PURPOSE_GC].bytes_programmed == 16000);
    CHECK(d.flash.multi_plane == 2u);
    CHECK_FALSE(d.flash.copybacks.has_value());
    CHECK(d.channels[0].busy == 250_us);
    CHECK(d.channels[0].luns[0].busy == 400_us);
    CHECK(d.channels[0].luns[0].reads == 3);
    CHECK(d.ftl->host_units_written == 4);
    CHECK(d.ftl->gc_runs == 0);
    CHECK(d.ftl->free_blocks == 3);
    CHECK(d.ftl->mapped == 40);
    CHECK(d.ftl->erase_sum == 8);
    CHECK(d.cpu[0].instructions == 50000);
    CHECK(d.dram->bytes_written == 30000);
    CHECK(d.link->bytes_up == 20000);
    CHECK(d.nvme->commands == 8);
    CHECK(d.integrity->sectors_checked == 24);
}

TEST_CASE("write amplification leaves out preconditioning", "[report][measurement]")
{
    platform::flash_statistics f;
    f.bytes_programmed = 5000;
    f.by_purpose[FLASH_PURPOSE_PRECONDITION].bytes_programmed = 1000;
    CHECK(platform::write_amplification(f, 1000) == 4.0);
    CHECK_FALSE(platform::write_amplification(f, 0).has_value());
    CHECK(platform::fraction(1_us, 4_us) == 0.25);
    CHECK(platform::fraction(1_us, 0_us) == 0.0);
    CHECK(platform::peak_rss_bytes() > 1u << 20);
}
