// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <set>

#include "platform/report/confidence.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"
#include "platform/report/validity.h"
#include "tests/unit/report_sample.h"

namespace report_validity_test {

using namespace ssdvp;
using namespace ssdvp::literals;
namespace json = boost::json;
using Catch::Contains;
using Catch::StartsWith;

std::set<std::string> codes(const report_test::sample& s)
{
    std::set<std::string> all;
    for (const auto& w : platform::validity_of(s.m, s.requests).warnings) {
        all.insert(w.code);
    }
    return all;
}

std::string text_of(const report_test::sample& s, const std::string& code)
{
    for (const auto& w : platform::validity_of(s.m, s.requests).warnings) {
        if (w.code == code) {
            return w.text;
        }
    }
    return {};
}

/// The sample with requests at `rates` of a piece each, pieces of 1,000.
report_test::sample with_rates(const std::vector<double>& rates)
{
    report_test::sample s;
    platform::run_sample at;
    at.when = 1_ms;
    s.m.samples = {at};
    for (const double rate : rates) {
        at.when += sim_time(static_cast<std::uint64_t>(1000.0 / rate * 1e12));
        at.kinds[0].requests += 1000;
        s.m.samples.push_back(at);
    }
    return s;
}

/// Requests at an even pace, of which each quarter of the run takes so long.
report_test::sample open_loop(const std::vector<double>& quarters_ms)
{
    report_test::sample s;
    s.m.drive.load.rate = 1e5;
    platform::run_sample at;
    at.when = 1_ms;
    s.m.samples = {at};
    for (const double ms : quarters_ms) {
        for (int piece = 0; piece < 4; ++piece) {
            at.when += 10_ms;
            at.kinds[0].requests += 500;
            at.kinds[0].latency += 500 * ms * 1e9;
            s.m.samples.push_back(at);
        }
    }
    return s;
}

TEST_CASE("validity: a queue that grows throughout is overload, a busy episode is not")
{
    // A line through four quarters of 40 ms, each 0.0853 ms slower than the last, rises by 0.2 %.
    CHECK(codes(open_loop({1.0, 1.09, 1.18, 1.27})).count("overloaded") == 1);
    CHECK(codes(open_loop({1.0, 1.08, 1.16, 1.24})).count("overloaded") == 0);
    CHECK(codes(open_loop({1.0, 1.7, 1.65, 1.8})).count("overloaded") == 1); // quarters: chance
    // Twice as long, and it rises by 0.4 % and more: within its interval.
    CHECK(codes(open_loop({1, 7, 1, 8, 1, 8, 1, 9})).count("overloaded") == 0);
    const auto in_trace = [](const std::vector<double>& quarters) {
        report_test::sample s = open_loop(quarters);
        s.m.drive.load.timed = true;
        return codes(s).count("overloaded");
    };
    CHECK(in_trace({1.0, 1.7, 1.65, 1.8}) == 1);
    CHECK(in_trace({1.0, 1.7, 1.9, 1.8}) == 0);
    CHECK(in_trace({1.0, 0.9, 1.4, 1.8}) == 0);
    report_test::sample s = open_loop({10, 20, 30, 40});
    const auto v = platform::validity_of(s.m, s.requests);
    CHECK_FALSE(v.steady.value());
    CHECK(v.warnings.front().code == std::string("overloaded"));
    CHECK(v.warnings.front().text ==
          "100 k requests per second are asked for and 50.0 k done: the queue grew throughout, "
          "from a mean latency of 10.0 ms to 40.0 ms, so that latencies tell how long the run was; "
          "ask for less, or use queue_depth");
    for (const auto& i : platform::intervals_of(s.m, s.requests)) {
        CHECK(i.name.find("latency") == std::string::npos);
    }
    s.m.drive.load.rate = 0.0; // a closed loop
    CHECK(codes(s).count("overloaded") == 0);
    s.m.drive.load.timed = true; // a trace
    CHECK(codes(s).count("overloaded") == 1);
}

TEST_CASE("validity: of a run stopped before its measured part no zeros are told")
{
    report_test::sample s;
    s.requests = platform::request_statistics();
    s.m.samples.clear();
    s.m.drive.geometry.channels = 2;
    s.m.complete = false;
    CHECK(codes(s) == std::set<std::string>{"stopped_early"});
    const std::string text = platform::text_summary(s.m, s.requests, {}, {});
    CHECK_THAT(text, Contains("stopped early: nothing was measured yet"));
    CHECK_THAT(text, Contains("nothing: the run was stopped before its measured part began"));
    CHECK_THAT(text, !Contains("Throughput"));
    CHECK_THAT(platform::summary_text(s.m, s.requests, {}), Contains("stopped_early"));
    s.m.complete = true;
    CHECK_THAT(platform::text_summary(s.m, s.requests, {}, {}), Contains("Throughput"));
}

TEST_CASE("validity: heat and sleep that hold a run back are told from their limit on")
{
    report_test::sample s;
    s.m.measured.when = 100_ms;
    auto& heat = s.m.measured.thermal.emplace();
    heat.time[1] = 1_ms;
    heat.taken = 1.0;
    heat.stored = 0.1;
    auto& states = s.m.measured.states.emplace();
    states.states.resize(2);
    states.states[1].asleep = 1_ms;
    for (const char* code : {"throttled", "warming", "asleep"}) {
        INFO(code);
        CHECK(codes(s).count(code) == 0);
    }
    heat.time[3] = 1_us;
    heat.stored = 0.1001;
    states.states[0].asleep = 1_us;
    CHECK(codes(s).count("throttled") == 1);
    CHECK(codes(s).count("warming") == 1);
    CHECK(codes(s).count("asleep") == 1);
}

TEST_CASE("validity: a cap of power is told where 95 % of it were drawn, or a debt was left")
{
    report_test::sample s;
    s.m.measured.when = 100_ms;
    auto& states = s.m.measured.states.emplace();
    states.states.resize(1);
    states.states[0].time = 100_ms;
    states.states[0].asleep = 50_ms;
    constexpr uint128 mJ = uint128{1'000'000'000'000} * 1'000'000'000'000;
    states.states[0].energy = uint128{949} * mJ / 10;
    CHECK(codes(s).count("power_capped") == 0); // without a cap
    s.m.drive.state_watts = {2.0};              // 0.1 J while it was awake
    CHECK(codes(s).count("power_capped") == 0);
    states.states[0].energy = 95 * mJ;
    CHECK(codes(s).count("power_capped") == 1);
    states.states[0].energy = 120 * mJ;
    CHECK_THAT(platform::validity_of(s.m, s.requests).warnings.at(1).text,
               Catch::Matchers::StartsWith("the drive drew 100.0 % of the power"));
}

TEST_CASE("validity: one failed request of a hundred is not told, of ninety-nine it is")
{
    for (const int more : {0, 1}) {
        report_test::sample s;
        s.requests = platform::request_statistics();
        for (std::uint64_t n = 0; n < 100U - static_cast<unsigned>(more); ++n) {
            auto r = report_test::finished(host::request_kind::read, n, 1_ms + n * 1_us, 10_us);
            r.status = n == 0 ? 1 : 0;
            s.requests.on_complete(r);
        }
        CHECK(codes(s).count("failing") == static_cast<std::size_t>(more));
    }
}

TEST_CASE("validity: a window of few superblocks is an episode", "[report][trust]")
{
    report_test::sample s;
    CHECK(codes(s).count("short_window") == 0); // no flash is known
    s.m.drive.geometry.superblock_blocks = 8;
    s.m.drive.geometry.superblock_bytes = 2048; // 16 KiB were written
    CHECK(codes(s).count("short_window") == 0);
    s.m.drive.geometry.superblock_bytes = 2049;
    CHECK(codes(s).count("short_window") == 1);
    CHECK(platform::validity_of(s.m, s.requests).gc_cycles == 1);
    CHECK(platform::validity_of(s.m, s.requests).superblocks_erased.value() == 1.0 / 8);
}

/// An even run of 20,000 requests beside collection.
report_test::sample collecting(std::uint64_t written, std::uint64_t moved)
{
    report_test::sample s = with_rates(std::vector<double>(20, 1e5));
    telemetry t{};
    t.host_units_written = written;
    t.gc_units_moved = moved;
    s.m.measured.ftl = t;
    return s;
}

TEST_CASE("validity: a drive that fills or empties beside collection is not steady")
{
    // 2 % of 10,000 units, and four times their square root: 200 + 400.
    report_test::sample s = collecting(10000, 5000);
    s.m.data_growth = 600;
    CHECK(codes(s).count("drifting") == 0);
    s.m.data_growth = 601;
    CHECK_THAT(text_of(s, "drifting"), StartsWith("the drive fills: of 100 units that the host "
                                                  "writes 6 had no data before"));
    s.m.data_growth = -601;
    CHECK_THAT(text_of(s, "drifting"), StartsWith("the drive empties: of 100 units"));
    CHECK_FALSE(platform::validity_of(s.m, s.requests).steady.value());
    s.m.measured.ftl->gc_units_moved = 499; // of less than 5 % nothing follows
    CHECK(codes(s).count("drifting") == 0);
}

TEST_CASE("validity: collection beside a load that writes nothing ends")
{
    report_test::sample s = collecting(0, 200); // 1 % of the requests
    CHECK(codes(s).count("drifting") == 0);
    s.m.measured.ftl->gc_units_moved = 201;
    CHECK_THAT(text_of(s, "drifting"), StartsWith("the host writes nothing, and collection"));
    s.m.measured.ftl->refresh_units_moved = 1; // the load's own, by its reads
    CHECK(codes(s).count("drifting") == 0);
}

TEST_CASE("validity: in an open loop a queue that wanders is not steady", "[report][trust]")
{
    report_test::sample s = with_rates(std::vector<double>(64, 1e5));
    s.m.drive.load.rate = 1e5;
    const auto set = [&s](std::size_t length) { // stretches of so many pieces, up and down
        for (std::size_t i = 1; i < s.m.samples.size(); ++i) {
            platform::run_sample& at = s.m.samples[i];
            const double n =
                static_cast<double>(platform::difference(at, s.m.samples[i - 1]).requests());
            const double mean =
                ((i - 1) / length % 2 == 0 ? 100e6 : 101e6) + static_cast<double>(i % 5);
            at.kinds[0].latency = s.m.samples[i - 1].kinds[0].latency + n * mean;
        }
    };
    set(7);
    CHECK(codes(s).count("drifting") == 0);
    set(8);
    CHECK_THAT(text_of(s, "drifting"), StartsWith("the queue wanders: of 64 pieces of the run 8"));
    s.m.drive.load.rate = 0.0; // a closed loop has no queue of its own
    CHECK(codes(s).count("drifting") == 0);
}

TEST_CASE("validity: wear levelling makes a state of its own, which takes four turns")
{
    report_test::sample s = collecting(10000, 5000);
    telemetry& t = s.m.measured.ftl.value();
    s.m.lifetime.ftl.emplace();
    s.m.lifetime.ftl->host_units_written = 42500; // 32,500 before it, and a quarter of it
    s.m.drive.memory.turn = 35000 * 4096 / 4;
    t.wear_units_moved = 499; // less than 5 %
    CHECK(codes(s).count("drifting") == 0);
    t.wear_units_moved = 500;
    CHECK(codes(s).count("drifting") == 0);
    s.m.drive.memory.turn += 1024;
    CHECK_THAT(text_of(s, "drifting"),
               StartsWith("wear levelling moves 5 units for 100 of the host's") &&
                   Contains("100 % had been written; use a larger run.warmup"));
    s.m.drive.memory.turn = 0; // no streams: nobody knows
    CHECK(codes(s).count("drifting") == 0);
}

TEST_CASE("validity: refresh after so many reads of a block has yet to come")
{
    report_test::sample s = collecting(0, 0);
    s.m.drive.geometry = {2, 2, 2, 100, 64, 16384}; // 800 blocks
    s.m.measured.flash.reads = 8'000'000;
    s.m.lifetime.flash.reads = 14'000'000;  // 6 million before it, and a quarter of it: 10,000 each
    CHECK(codes(s).count("drifting") == 0); // nothing is refreshed
    s.m.drive.refresh_reads = 10'000;
    CHECK(codes(s).count("drifting") == 0);
    s.m.drive.refresh_reads = 10'001;
    CHECK_THAT(text_of(s, "drifting"),
               StartsWith("blocks had been read 10.0 k times on average, and are refreshed after"));
    s.m.drive.refresh_reads = 32'001; // 64 pages: less than 0.2 % of the reads move one
    CHECK(codes(s).count("drifting") == 0);
}

TEST_CASE("validity: programs without erases live on free space", "[report][trust]")
{
    report_test::sample s = with_rates(std::vector<double>(20, 1e5));
    s.m.drive.geometry.pages_per_block = 64;
    platform::run_sample& end = s.m.samples.back();
    end.kinds[1].bytes = 4096;
    end.flash = {0, 640, 8};
    CHECK(codes(s).count("space_consumed") == 0);
    CHECK(platform::validity_of(s.m, s.requests).steady.value());
    end.flash.erases = 7;
    CHECK(codes(s).count("space_consumed") == 1);
    s.m.sampling.emplace(); // windows are short: all of the run is looked at
    CHECK(codes(s).count("space_consumed") == 0);
    s.m.sampling->erased = 0.79;
    CHECK(codes(s).count("space_consumed") == 1);
    s.m.sampling->erased = 0.81;
    CHECK(codes(s).count("space_consumed") == 0);
    s.m.sampling.reset();
    CHECK_FALSE(platform::validity_of(s.m, s.requests).steady.value());
}

/// Even rates, and write amplification that begins at 3 and ends so much higher, with waves beside
/// it.
report_test::sample with_amplification(double rise, double waves = 0.06)
{
    report_test::sample s = with_rates(std::vector<double>(32, 1e5));
    for (std::size_t i = 0; i < s.m.samples.size(); ++i) {
        platform::run_sample& at = s.m.samples[i];
        const double n = static_cast<double>(i);
        const double programmed = 3.0 * n + 0.5 * rise * n * n / 32.0 + (i % 2 == 1 ? waves : 0.0);
        at.kinds[static_cast<std::size_t>(host::request_kind::write)].bytes = i * 1'000'000;
        at.flash.bytes_programmed = static_cast<std::uint64_t>(programmed * 1e6);
        at.flash.programs = at.flash.erases = i * 100;
    }
    s.m.drive.geometry.pages_per_block = 1;
    return s;
}

TEST_CASE("validity: write amplification that goes one way is told, waves are not")
{
    // From 3 to 3 + rise: a rise of 0.092 is 3 % of what it is on average.
    CHECK(codes(with_amplification(0.0)).count("drifting") == 0);
    CHECK(codes(with_amplification(0.08)).count("drifting") == 0);
    CHECK(codes(with_amplification(0.0, 2.0)).count("drifting") == 0);
    const report_test::sample s = with_amplification(0.6);
    const auto v = platform::validity_of(s.m, s.requests);
    CHECK_FALSE(v.steady.value());
    CHECK(text_of(s, "drifting") ==
          "still changing within the measured part: write amplification rises by 18 % from the "
          "beginning to the end");
    CHECK_THAT(text_of(with_amplification(12.0), "drifting"), // from 3 to 15, which is 9 on average
               Contains("write amplification rises by 1.3 times its mean from the beginning"));
}

TEST_CASE("validity: a measured part that begins too early is told by how much")
{
    // Of 64 pieces the first ones are 1.2 times as fast: within what slices may differ by.
    const auto begun = [](std::size_t fast) {
        std::vector<double> rates;
        for (std::size_t i = 0; i < 64; ++i) {
            rates.push_back((i < fast ? 1.2e5 : 1e5) * (i % 2 == 0 ? 1.001 : 1.0));
        }
        return with_rates(rates);
    };
    CHECK(codes(begun(0)).count("drifting") == 0);
    CHECK(codes(begun(3)).count("drifting") == 0); // IOPS of all are 0.8 % too high
    // 64 / (8 / 1.2 + 56) is 1.021.
    CHECK(text_of(begun(8), "drifting") ==
          "still changing within the measured part: its first 12 % "
          "are another state: with them IOPS are 2 % higher");
}

TEST_CASE("validity: a beginning unlike the rest is told though the rest is uneven")
{
    // Time per request of pieces of a run, in us. At first collection makes room; IOPS of all are
    // 20 % lower than those of the rest, whose interval of 99.8 % is wider.
    const auto begun = [](std::vector<double> times) {
        const std::vector<double> rest = {
            5.6,  16.8, 5.5, 9.4, 15.4, 8.4,  13.7, 5.4, 7.0, 5.4,  12.8, 5.3,  9.3, 19.6,
            5.6,  13.1, 5.6, 5.6, 7.7,  5.4,  6.4,  7.4, 5.9, 7.0,  17.4, 17.9, 5.5, 6.3,
            16.8, 5.6,  6.2, 5.1, 24.8, 10.6, 8.8,  7.5, 5.8, 16.9, 5.0,  7.5,  5.2, 6.3,
            14.5, 5.7,  5.8, 6.0, 5.2,  10.4, 23.3, 6.1, 6.6, 5.7,  18.2, 5.6,  23.0};
        times.insert(times.end(), rest.begin(), rest.end());
        std::transform(times.begin(), times.end(), times.begin(), [](double t) { return 1e6 / t; });
        return with_rates(times);
    };
    CHECK_THAT(text_of(begun({36.4, 45.1, 37.5, 37.8, 17.8}), "drifting"),
               Contains("its first 8 % are another state: with them IOPS are 18 % lower"));
    CHECK(codes(begun({24.8, 5.5, 17.8, 7.0, 13.1})).count("drifting") == 0); // like the rest
}

TEST_CASE("validity: a state that is older than the load is told until the load has made its own")
{
    report_test::sample s = with_rates(std::vector<double>(20, 1e5));
    s.m.drive.map_unit = 4096;
    s.m.drive.memory = {400 * 4096, 100 * 4096, {}, 0};
    const auto ran = [&s](std::uint64_t before, std::uint64_t measured, std::uint64_t moved) {
        s.m.measured.ftl->host_units_written = measured;
        s.m.measured.ftl->gc_units_moved = moved;
        s.m.lifetime.ftl->host_units_written = before + measured;
        return codes(s).count("drifting") == 1;
    };
    CHECK(ran(100, 100, 100)); // 200 units before, and a quarter of the 100
    CHECK(ran(100, 796, 100));
    CHECK_FALSE(ran(100, 800, 100)); // three quarters of the measured part are its own
    CHECK_FALSE(ran(300, 100, 100));
    CHECK(ran(100, 100, 5));
    CHECK_FALSE(ran(100, 100, 4)); // collection hardly moves any
    CHECK(ran(100, 200, 200));
    CHECK_THAT(text_of(s, "drifting"),
               Contains("of the 1.56 MiB that it takes to make the drive's state its own, 50 % had "
                        "been written when the measured part began, and 100 % when it ended"));
    s.m.state = platform::state_origin{"file", ""}; // kept behind preconditioning
    CHECK(ran(100, 200, 200));
    s.m.state = platform::state_origin{"file", "", true}; // behind a run, of anything
    CHECK_FALSE(ran(100, 200, 200));
}

TEST_CASE("validity: rates that drift are told, chance is not", "[report][trust]")
{
    CHECK(codes(with_rates(std::vector<double>(20, 1e5))).count("drifting") == 0);
    std::vector<double> falling;
    std::vector<double> rough;
    for (int i = 0; i < 20; ++i) {
        falling.push_back(1e5 - 2e3 * i);
        rough.push_back(i % 2 == 0 ? 5e4 : 2e5);
    }
    CHECK(codes(with_rates(falling)).count("drifting") == 1);
    CHECK(codes(with_rates(rough)).count("drifting") == 0);
    const auto brief = with_rates({1e5, 1e5});
    CHECK_FALSE(platform::validity_of(brief.m, brief.requests).steady.has_value());
}

TEST_CASE("validity: a buffer that fills, sectors nobody wrote, an end before the steady state")
{
    report_test::sample s;
    s.m.measured.ftl->cache_write_hits = 40;
    s.m.measured.ftl->cache_write_misses = 60;
    s.m.measured.ftl->read_sectors = 100;
    s.m.measured.ftl->unwritten_sectors = 1;
    s.m.buffer_growth = 5;
    CHECK(codes(s).count("buffer_filling") == 0);
    CHECK(codes(s).count("unwritten_reads") == 0);
    s.m.buffer_growth = 6;
    s.m.measured.ftl->unwritten_sectors = 2;
    s.m.never_steady = "IOPS: rises";
    s.m.drive.precondition.emplace();
    s.m.drive.precondition->steady = false;
    CHECK(codes(s).count("buffer_filling") == 1);
    CHECK(codes(s).count("unwritten_reads") == 1);
    CHECK(codes(s).count("not_steady") == 1);
    CHECK(codes(s).count("precondition_not_steady") == 1);
}

TEST_CASE("validity: a run until the steady state that was stopped says what is told of it")
{
    const auto text_of = [](const platform::stopped_rounds& stopped) {
        report_test::sample s;
        s.m.never_steady = "IOPS: rises";
        s.m.stopped = stopped;
        const platform::validity v = platform::validity_of(s.m, s.requests);
        CHECK(v.rounds.value() == stopped.complete);
        CHECK(codes(s).count("not_steady") == 0);
        REQUIRE(codes(s).count("stopped_early") == 1);
        CHECK((stopped.unsteady.empty() || !v.steady.value_or(true)));
        s.m.complete = false;
        std::string text = platform::what_is_told(s.m) + "\n";
        for (const auto& w : v.warnings) {
            text += w.code == std::string("stopped_early") ? w.text : "";
        }
        return text;
    };
    CHECK_THAT(text_of({7, false, "IOPS: rises"}),
               StartsWith("the last 7 complete rounds; not steady\n") &&
                   Contains("these are the last 7 complete rounds before that, not steady (IOPS: "
                            "rises); let it run longer"));
    CHECK_THAT(text_of({5, false, ""}), StartsWith("the last 5 complete rounds\n") &&
                                            Contains("5 complete rounds before that, which were "
                                                     "steady; let it run longer"));
    CHECK_THAT(text_of({2, true, ""}),
               StartsWith("the first 2 complete rounds\n") &&
                   Contains("stopped after 2 complete rounds of its measured part, which this is"));
    CHECK_THAT(text_of({0, false, "there were 0 rounds, not 5"}),
               StartsWith("this is what ran until then\n") &&
                   Contains("stopped before a round was complete"));
}

TEST_CASE("validity: shallow data that were written again too late", "[report][trust]")
{
    report_test::sample s;
    s.m.measured.ftl->retention.rewritten_units = 1031;
    CHECK(codes(s).count("rewritten_late") == 0);
    s.m.measured.ftl->retention.late_units = 207;
    const auto all = platform::validity_of(s.m, s.requests).warnings;
    REQUIRE(all.back().code == std::string("rewritten_late"));
    CHECK(all.back().text.rfind("207 of 1,031 units", 0) == 0);
}

TEST_CASE("validity: a trace that was folded, with the counts", "[report][trust]")
{
    report_test::sample s;
    CHECK_FALSE(json::parse(platform::deterministic_summary(s.m, s.requests, {}))
                    .as_object()
                    .contains("trace"));
    s.m.trace = {12, 2, 3, 0};
    CHECK(codes(s).count("folded_trace") == 0);
    CHECK(platform::trace_text(*s.m.trace) ==
          "12 requests, replayed 2 times, 3 with a time before the last one's, raised to it");
    s.m.trace->folded = 5;
    s.m.trace->repeat = 1;
    s.m.trace->raised = 0;
    CHECK(codes(s).count("folded_trace") == 1);
    CHECK(platform::trace_text(*s.m.trace) == "12 requests, 5 beyond the drive's end, folded");
    const json::value v = json::parse(platform::deterministic_summary(s.m, s.requests, {}));
    CHECK(v.at("trace").at("folded") == 5);
    CHECK(v.at("trace").at("requests") == 12);
}

TEST_CASE("validity: the host side is the limit", "[report][trust]")
{
    report_test::sample s;
    CHECK(codes(s).count("host_bound") == 0);
    s.m.measured.channels[0].luns[1].busy = 100_us;
    s.m.measured.link->busy_up = 990_us;
    CHECK(codes(s).count("host_bound") == 1);
}

TEST_CASE("trust is in the summary and on top of the text", "[report][trust]")
{
    report_test::sample s = with_rates(std::vector<double>(20, 1e5));
    s.m.overrides = {{"run.requests", "20000"}};
    s.m.drive.geometry.channels = 2;
    s.m.drive.geometry.luns_per_channel = 2;
    s.m.drive.precondition.emplace();
    s.m.drive.precondition->method = "units";
    s.m.drive.precondition->filled_bytes = 4096;
    const json::object o = json::parse(platform::summary_text(s.m, s.requests, {})).as_object();
    CHECK(o.at("overrides").at("run.requests") == "20000");
    CHECK(o.at("geometry").at("luns") == 4);
    CHECK(o.at("precondition").at("filled_bytes") == 4096);
    CHECK(o.at("validity").at("steady") == true);
    CHECK(o.at("validity").at("warnings").as_array().size() ==
          platform::validity_of(s.m, s.requests).warnings.size());
    CHECK(o.at("confidence").at("host.read.iops").as_object().contains("high"));
    CHECK(o.at("bottleneck").at("chain").at("array").to_number<double>() > 0.7);
    const std::string text = platform::text_summary(s.m, s.requests, {}, {});
    CHECK(text.find("\n  limit ") < text.find("\nThroughput"));
    CHECK(text.find("\n  warning ") < text.find("\nThroughput"));
    CHECK(text.find("\n  steady      over the measured part\n") != std::string::npos);
}

} // namespace report_validity_test
