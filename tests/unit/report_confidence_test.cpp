// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "platform/report/confidence.h"
#include "platform/report/format.h"
#include "platform/report/text_summary.h"
#include "platform/report/window_error.h"
#include "tests/unit/report_sample.h"

namespace report_confidence_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using platform::batch;

std::optional<platform::interval> ratio_interval(const std::vector<batch>& batches)
{
    const auto e = platform::ratio_estimate(batches);
    if (!e) {
        return std::nullopt;
    }
    return platform::interval{e->value, e->value - e->factor * e->error,
                              e->value + e->factor * e->error};
}

std::vector<batch> alternating(std::size_t n, std::size_t run, double low, double high)
{
    std::vector<batch> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back({i / run % 2 == 0 ? low : high, 1.0});
    }
    return all;
}

/// Sums of residuals that are -1 in the first half of n pieces and 1 in the second, weighted by a
/// cosine: cos((i + 1/2) x) over half a run is sin(n x / 2) / (2 sin(x / 2)), and 0 over all of it.
double of_halves(std::size_t cosines, double n)
{
    double squares = 0.0;
    for (std::size_t j = 1; j <= cosines; j += 2) { // those of even numbers see nothing
        const double weighted = 1.0 / std::sin(M_PI * static_cast<double>(j) / (2.0 * n));
        squares += 2.0 * weighted * weighted;
    }
    return squares / static_cast<double>(cosines);
}

TEST_CASE("confidence: eight pieces, four of 9 and then four of 11, by hand", "[report][trust]")
{
    // Four cosines, and t with as many degrees is 2.776445.
    const auto i = ratio_interval(alternating(8, 4, 9.0, 11.0));
    REQUIRE(i.has_value());
    const double half = 2.776445 * std::sqrt(of_halves(4, 8.0)) / 8.0;
    CHECK(i->mean == Approx(10.0));
    CHECK(i->low == Approx(10.0 - half).epsilon(1e-6));
    CHECK(i->high.value() == Approx(10.0 + half).epsilon(1e-6));
}

TEST_CASE("confidence: pieces of unequal length count by what they are divided by")
{
    std::vector<batch> all(10, {20.0, 2.0});
    all.push_back({5.0, 0.5}); // the same ratio
    const auto i = ratio_interval(all);
    REQUIRE(i.has_value());
    CHECK(i->low == Approx(10.0));
    CHECK(i->high.value() == Approx(10.0));
}

TEST_CASE("confidence: the slope of a line, and what steps say of it")
{
    std::vector<std::pair<double, double>> points;
    for (int i = 0; i < 16; ++i) {
        points.emplace_back(10.0 * i, 3.0 * i);
    }
    const auto line = platform::slope_estimate(points);
    CHECK(line->value == Approx(0.3));
    CHECK(line->error == Approx(0.0).margin(1e-9));
    CHECK(line->factor == Approx(2.306004)); // eight cosines
    for (int i = 0; i < 16; ++i) {
        points[i].second = i < 8 ? 0.0 : 1.0;
    }
    const auto step = platform::slope_estimate(points);
    CHECK(step->value == Approx(0.64 / 68.0)); // sums of products and of squares: 32 and 340
    CHECK(step->value / step->error == Approx(7.8).margin(0.05));
    points.resize(7);
    CHECK_FALSE(platform::slope_estimate(points).has_value());
}

TEST_CASE("confidence: a trend is that of a line, as a share of the whole")
{
    std::vector<batch> pieces;
    for (int i = 0; i < 16; ++i) {
        pieces.push_back({2.0 * (100.0 + i), 2.0});
    }
    // From half a piece before the first one to half a piece behind the last: 16 of 107.5.
    const auto line = platform::trend_estimate(pieces, 0.95);
    CHECK(line->value == Approx(16.0 / 107.5));
    CHECK(line->error == Approx(0.0).margin(1e-9));
    CHECK(line->factor == Approx(2.306004));
    CHECK(platform::trend_estimate(pieces, 0.998)->factor == Approx(4.500791));
    pieces.push_back({0.0, 0.0}); // of a piece that has nothing nobody knows anything
    CHECK(platform::trend_estimate(pieces, 0.95)->value == Approx(16.0 / 107.5));
    CHECK_FALSE(platform::trend_estimate({16, {0.0, 1.0}}, 0.95).has_value());
    pieces.resize(7);
    CHECK_FALSE(platform::trend_estimate(pieces, 0.95).has_value());
}

TEST_CASE("confidence: a steady run trends as seldom as its interval says")
{
    std::mt19937_64 random(5);
    int trends = 0;
    constexpr int runs = 2000;
    for (int n = 0; n < runs; ++n) {
        std::vector<batch> chance;
        for (int i = 0; i < 64; ++i) {
            chance.push_back({(random() & 1u) != 0 ? 8.0 : 12.0, 1.0});
        }
        const auto t = platform::trend_estimate(chance, 0.95);
        trends += std::abs(t->value) > t->factor * t->error ? 1 : 0;
    }
    CHECK(trends > runs * 4 / 100);
    CHECK(trends < runs * 9 / 100); // what the line takes away is missing in the slow cosines
}

TEST_CASE("confidence: what lasts is less certain, what is made up for at once more certain")
{
    // Each piece by chance: its variance is 4, that of the sum 128, of eight cosines.
    std::mt19937_64 random(3);
    std::vector<batch> chance;
    double sum = 0.0;
    constexpr int runs = 400;
    for (int n = 0; n < runs; ++n) {
        chance.clear();
        for (int i = 0; i < 32; ++i) {
            chance.push_back({(random() & 1u) != 0 ? 8.0 : 12.0, 1.0});
        }
        const double error = platform::ratio_estimate(chance)->error * 32.0;
        sum += error * error;
    }
    CHECK(sum / runs == Approx(128.0).epsilon(0.1));
    const auto square = [](std::size_t run) {
        const double error =
            platform::ratio_estimate(alternating(32, run, 8.0, 12.0))->error * 32.0;
        return error * error;
    };
    CHECK(square(16) > 3.0 * 128.0);
    CHECK(square(1) < 128.0 / 20.0);
    CHECK(platform::ratio_estimate(alternating(32, 1, 8.0, 12.0))->factor ==
          Approx(2.306004).epsilon(1e-6)); // t with eight degrees
}

TEST_CASE(
    "confidence: of windows by phase neighbours tell, and what the phase explains is no chance")
{
    // About 11.5 they are -1.5, -0.5, 0.5, 1.5, 1.5, 0.5, -0.5, -1.5. In a ring six differ by 1
    // from the one before, two by nothing: half of these squares are 3.
    const std::vector<batch> wave = {{10, 1}, {11, 1}, {12, 1}, {13, 1},
                                     {13, 1}, {12, 1}, {11, 1}, {10, 1}};
    const auto e = platform::ratio_estimate(wave, 0.95, platform::piece_order::by_phase);
    REQUIRE(e.has_value());
    CHECK(e->value == Approx(11.5));
    CHECK(e->error == Approx(std::sqrt(3.0) / 8.0));
    CHECK(e->factor < 2.570582);                             // t with 5 degrees; it has 5 1/3
    CHECK(e->factor > 2.446912);                             // t with 6
    CHECK(e->error < platform::ratio_estimate(wave)->error); // in time that would be a wave
}

TEST_CASE("confidence: windows by phase that differ by chance alone")
{
    // 16 of variance 1 each: the sum has a variance of 16, and 95 % of the intervals hold it.
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    double squares = 0.0;
    int held = 0;
    constexpr int runs = 4000;
    for (int n = 0; n < runs; ++n) {
        std::vector<batch> windows;
        double sum = 0.0;
        for (int i = 0; i < 16; ++i) {
            windows.push_back({100.0 + normal(random), 1.0});
            sum += windows.back().amount;
        }
        const auto e = platform::ratio_estimate(windows, 0.95, platform::piece_order::by_phase);
        squares += e->error * e->error * 256.0;
        held += std::abs(sum / 16.0 - 100.0) <= e->factor * e->error ? 1 : 0;
    }
    CHECK(squares / runs == Approx(16.0).epsilon(0.03));
    CHECK(held > 0.94 * runs);
    CHECK(held < 0.96 * runs);
}

TEST_CASE("confidence: fewer than eight pieces say nothing")
{
    CHECK_FALSE(ratio_interval(alternating(7, 1, 9.0, 11.0)).has_value());
    CHECK_FALSE(ratio_interval({}).has_value());
    CHECK(platform::standard_error({{1.0, 1.0}}) == 0.0);
}

TEST_CASE("confidence: ranks of a quantile, as tables of order statistics have them")
{
    const platform::ranks median = platform::quantile_ranks(100, 0.5);
    CHECK(median.low == 40);
    CHECK(median.high == 61);
    CHECK(platform::samples_needed(0.5) == 6);
    CHECK(platform::samples_needed(0.9999) == 36887);
    CHECK(platform::quantile_ranks(36887, 0.9999).high == 36887);
    CHECK(platform::quantile_ranks(36886, 0.9999).high == 0); // its maximum is no bound
    CHECK(platform::quantile_ranks(1, 0.5).low == 1);
}

TEST_CASE("confidence: what a percentile is worth follows from its share in each piece")
{
    // 16 pieces of 100 requests, p90: eight of 80 at or below it, then eight of 100. Residuals are
    // 10; t with eight degrees is 2.306004.
    const double error = 2.306004 / 1.959964 * 10.0 * std::sqrt(of_halves(8, 16.0)) / 1600.0;
    const std::vector<batch> all = [] {
        std::vector<batch> halves(8, {80.0, 100.0});
        halves.resize(16, {100.0, 100.0});
        return halves;
    }();
    CHECK(platform::worth_of(all, 0.9).value() ==
          Approx(error * error * 1600.0 / 0.09).epsilon(1e-4));
    // As many in each piece: no less than a ninth.
    CHECK(platform::worth_of(std::vector<batch>(16, {90.0, 100.0}), 0.9).value() == 1.0 / 9.0);
    // 80 requests beyond it are ten in each of eight pieces: 79 are too few.
    CHECK(platform::worth_of(std::vector<batch>(64, {12.5, 12.6}), 0.9).has_value());
    CHECK_FALSE(platform::worth_of(std::vector<batch>(64, {12.3, 12.4}), 0.9).has_value());
    CHECK_FALSE(platform::worth_of(std::vector<batch>(7, {90.0, 100.0}), 0.9).has_value());
}

TEST_CASE("latency pieces: counted, taken, joined")
{
    platform::latency_counter c;
    c.record(host::request_kind::read, 5_us);
    c.record(host::request_kind::read, 5_us);
    c.record(host::request_kind::read, 7_us);
    c.record(host::request_kind::write, 1_us);
    const platform::latency_piece first = c.take();
    CHECK(platform::count_of(first[0]) == 3);
    const auto five = static_cast<std::uint32_t>(histogram::bucket_of(5_us));
    CHECK(platform::count_up_to(first[0], five) == 2);
    CHECK(platform::count_up_to(first[0], five - 1) == 0);
    const platform::latency_sums sums(first[0]);
    CHECK(sums.all() == 3);
    for (const std::uint32_t bucket : {0u, five - 1, five, five + 1, UINT32_MAX}) {
        CHECK(sums.up_to(bucket) == platform::count_up_to(first[0], bucket));
    }
    CHECK(platform::latency_sums({}).up_to(five) == 0);
    CHECK(platform::count_of(c.take()[0]) == 0); // nothing since
    c.record(host::request_kind::read, 7_us);
    c.record(host::request_kind::read, 9_us);
    const platform::latency_piece both = platform::joined(first, c.take());
    CHECK(platform::count_of(both[0]) == 5);
    CHECK(platform::count_up_to(both[0], five) == 2);
    CHECK(both[0].size() == 3);
    CHECK(both[0][1].second == 2);
    CHECK(platform::count_of(both[1]) == 1);
}

platform::run_sample sample_at(sim_time when, std::uint64_t requests, double latency)
{
    platform::run_sample s;
    s.when = when;
    s.kinds[0] = {requests, requests * 4096, latency};
    return s;
}

TEST_CASE("confidence: each kind has its rates, mean and percentiles", "[report][trust]")
{
    report_test::sample s;
    s.m.samples.push_back(sample_at(1_ms, 0, 0.0));
    for (std::uint64_t i = 1; i <= 10; ++i) { // of equal pieces: nothing is uncertain
        s.m.samples.push_back(sample_at(1_ms + i * 100_us, i, 65e6 * static_cast<double>(i)));
    }
    for (int i = 0; i < 10; ++i) { // those of each are at or below the median
        platform::latency_counter c;
        for (int k = 0; k < 16; ++k) {
            c.record(host::request_kind::read, 60_us);
        }
        s.m.latencies.push_back(c.take());
    }
    const auto all = platform::intervals_of(s.m, s.requests);
    const auto named = [&](const std::string& name) {
        for (const auto& i : all) {
            if (i.name == name) {
                return i.value;
            }
        }
        FAIL(name);
        return platform::interval{};
    };
    CHECK(named("host.read.iops").low == Approx(4000.0)); // 4 in 1 ms, as the summary says
    CHECK(named("host.read.latency_ns.mean").mean == Approx(65000.0));
    CHECK(named("host.read.latency_ns.p50").mean == Approx(60000.0).epsilon(0.002));
    CHECK_FALSE(named("host.read.latency_ns.p99").high.has_value());
    for (const auto& i : all) { // pieces say nothing of them
        CHECK(i.name.find("host.write.latency_ns.p") == std::string::npos);
    }
}

TEST_CASE(
    "confidence: waves of the drive's state that a run is too short to see widen its intervals")
{
    report_test::sample s;
    for (std::uint64_t i = 0; i <= 10; ++i) { // of equal pieces: nothing is uncertain
        platform::run_sample at;
        at.when = 1_ms + i * 100_us;
        at.kinds[1] = {i, i * 200'000, 65e6 * static_cast<double>(i)}; // half hits the buffer
        at.flash.moved = i * 100;
        at.flash.bytes_programmed = i * 100'000 + at.flash.moved * 4096;
        s.m.samples.push_back(at);
    }
    const auto width = [&s](const std::string& name) {
        for (const auto& i : platform::intervals_of(s.m, s.requests)) {
            if (i.name == name) {
                return i.value.high.value() / i.value.mean - 1.0;
            }
        }
        FAIL(name);
        return 0.0;
    };
    CHECK(width("host.write.iops") == Approx(0.0).margin(1e-9));
    for (int i = 0; i < 40; ++i) {
        s.m.drive.memory.levels.push_back(4.0 + (i % 4 < 2 ? 0.1 : -0.1) + 0.01 * (i % 7));
    }
    s.m.drive.memory.level_bytes = 500'000; // the run wrote twice as much
    s.m.drive.map_unit = 4096;
    const auto e = platform::window_error(s.m.drive.memory.levels, 2.0);
    REQUIRE(e->error > 0.01);
    CHECK(width("host.write.iops") == Approx(e->factor * e->error).epsilon(1e-6));
    CHECK(width("host.write.latency_ns.mean") == Approx(0.0).margin(1e-9)); // waits for nothing
    s.m.drive.memory.level_bytes = 100'000; // ten times: less of the waves is left
    CHECK(width("host.write.iops") < 0.8 * e->factor * e->error);
    s.m.drive.memory.level_bytes = 500'000;
    s.m.drive.load.rate = 1e5; // an open loop: the rate is what was asked for
    CHECK(width("host.write.iops") == Approx(0.0).margin(1e-9));
}

TEST_CASE("confidence: what pieces differ by as they programmed is the state's, and counts once",
          "[report][trust]")
{
    report_test::sample s;
    std::mt19937 random(1);
    platform::run_sample at;
    at.when = 1_ms;
    s.m.samples.push_back(at);
    for (std::uint64_t i = 0; i < 64; ++i) { // takes as long as it programs, with 1 % beside
        const std::uint64_t programs = 900 + random() % 200;
        at.when += 1_us * programs + 20_ns * (random() % programs);
        at.kinds[1].requests += 100;
        at.kinds[1].bytes += 409600;
        at.flash.bytes_programmed += programs * 4096;
        s.m.samples.push_back(at);
    }
    const auto width = [&s] {
        for (const auto& i : platform::intervals_of(s.m, s.requests)) {
            if (i.name == "host.write.iops") {
                return i.value.high.value() / i.value.mean - 1.0;
            }
        }
        FAIL("no interval");
        return 0.0;
    };
    const double alone = width();
    s.m.drive.memory.levels = {4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.000001};
    s.m.drive.memory.level_bytes = 1'000'000; // the state does not differ
    CHECK(width() < alone / 4.0);
    CHECK(width() > 0.0);
}

TEST_CASE("confidence: what is slower by another cause does not reach a percentile",
          "[report][trust]")
{
    // Of 1,000 reads of a piece 5 take 1 ms; besides 25 take 200 to 224 us in the first half of the
    // run, and 5 in the second. So p99 is among these, and about as many as those of 1 ms may be
    // above it or not. But there are 5 of 1 ms in each piece: a p99 above all others would be
    // surprising.
    report_test::sample s;
    platform::request_statistics requests;
    const auto read = [&](platform::latency_counter& piece, sim_time latency) {
        host::request_result r{};
        r.req.kind = host::request_kind::read;
        r.completed = r.req.arrival + latency;
        requests.on_complete(r);
        piece.record(host::request_kind::read, latency);
    };
    constexpr int pieces = 64;
    s.m.samples.push_back(sample_at(1_ms, 0, 0.0));
    s.m.latencies.clear();
    for (int i = 0; i < pieces; ++i) {
        platform::latency_counter piece;
        const int slow = i < pieces / 2 ? 25 : 5;
        for (int k = 0; k < 1000; ++k) {
            read(piece, k < 5          ? 1_ms
                        : k < 5 + slow ? 200_us + 1_us * static_cast<std::uint64_t>(k - 5)
                                       : 100_us);
        }
        s.m.latencies.push_back(piece.take());
        s.m.samples.push_back(sample_at(1_ms + (i + 1) * 100_us, 1000u * (i + 1), 0.0));
    }
    for (const auto& i : platform::intervals_of(s.m, requests)) {
        if (i.name == "host.read.latency_ns.p99") {
            CHECK(i.value.mean > 200000.0);
            CHECK(i.value.low >= 99000.0);
            CHECK(i.value.high.value() < 230000.0);
            return;
        }
    }
    FAIL("no p99");
}

/// 16 pieces of 1,000 reads: of the first half of them, and of the second, so many take 150 us, and
/// so many 200 us and more, each a time of its own. The others take 100 us.
struct halves {
    using slow = std::array<int, 2>;

    report_test::sample s;
    platform::request_statistics requests;

    halves(slow medium, slow long_ones)
    {
        s.m.samples.push_back(sample_at(1_ms, 0, 0.0));
        for (std::uint64_t i = 0; i < 16; ++i) {
            platform::latency_counter piece;
            const int longest = long_ones[i / 8];
            for (int k = 0; k < 1000; ++k) {
                const auto place = static_cast<std::uint64_t>(k);
                host::request_result r{};
                r.completed = k < longest                   ? 200_us + 8_us * place + 1_us * (i % 8)
                              : k < longest + medium[i / 8] ? 150_us
                                                            : 100_us;
                requests.on_complete(r);
                piece.record(host::request_kind::read, r.completed);
            }
            s.m.latencies.push_back(piece.take());
            s.m.samples.push_back(sample_at(1_ms + (i + 1) * 100_us, 1000 * (i + 1), 0.0));
        }
    }
    [[nodiscard]] platform::interval of(const std::string& percentile) const
    {
        for (const auto& i : platform::intervals_of(s.m, requests)) {
            if (i.name == "host.read.latency_ns." + percentile) {
                return i.value;
            }
        }
        FAIL(percentile);
        return {};
    }
};

TEST_CASE("confidence: too few beyond a percentile come in clumps as those before it do",
          "[report][trust]")
{
    const halves run({0, 0}, {25, 0});
    CHECK(run.of("p99").high.has_value());
    const platform::interval far = run.of("p99.9");
    CHECK(far.mean > 375000.0);
    CHECK(far.low < 340000.0); // of independent ones 25 are beyond it: 374 us
    CHECK(far.low > 250000.0);
    CHECK_FALSE(far.high.has_value());
    const std::string text = platform::text_summary(run.s.m, run.requests, {}, {});
    CHECK(text.find(">= " + platform::text_time(far.low * 1e3)) != std::string::npos);
    CHECK(text.find(">= " + platform::text_time(far.mean * 1e3)) == std::string::npos);
}

TEST_CASE("confidence: no percentile is surer than those below it", "[report][trust]")
{
    CHECK(halves({0, 0}, {20, 20}).of("p99").high.has_value());
    const halves run({0, 300}, {20, 20}); // as even there, by chance
    CHECK_FALSE(run.of("p99").high.has_value());
}

TEST_CASE("samples: a piece has each latency of its own once, ascending")
{
    platform::latency_counter counter;
    // On both sides of a word of 64 buckets, the first bucket and the last.
    const std::uint64_t times[] = {UINT64_MAX, 63, 64, 0, 1000000, 64, 127, 128};
    for (const std::uint64_t t : times) {
        counter.record(host::request_kind::write, sim_time(t));
    }
    const auto bucket = [](std::uint64_t t) {
        return static_cast<std::uint32_t>(histogram::bucket_of(sim_time(t)));
    };
    const platform::latency_piece piece = counter.take();
    const platform::latency_counts expected = {
        {bucket(0), 1},   {bucket(63), 1},      {bucket(64), 2},        {bucket(127), 1},
        {bucket(128), 1}, {bucket(1000000), 1}, {bucket(UINT64_MAX), 1}};
    CHECK(piece[static_cast<std::size_t>(host::request_kind::write)] == expected);
    CHECK(piece[static_cast<std::size_t>(host::request_kind::read)].empty());
    counter.record(host::request_kind::write, sim_time(64));
    const platform::latency_counts next = {{bucket(64), 1}};
    CHECK(counter.take()[static_cast<std::size_t>(host::request_kind::write)] == next);
}

TEST_CASE("samples: pieces of equal length, at most 64, however long the run")
{
    platform::request_statistics requests;
    std::uint64_t programmed = 0;
    platform::run_sampler sampler(platform::sampling(requests, [&] {
        return platform::flash_totals{++programmed, 0, 0};
    }));
    sampler.begin(1_ms);
    for (std::uint64_t n = 0; n < 10000; ++n) {
        const auto r = report_test::finished(host::request_kind::read, n, 1_ms + n * 1_us, 10_us);
        requests.on_complete(r);
        sampler.on_complete(r);
    }
    const auto& s = sampler.samples();
    REQUIRE(sampler.pieces().size() == s.size() - 1);
    for (const auto& p : sampler.pieces()) {
        CHECK(platform::count_of(p[0]) == 256);
    }
    REQUIRE(s.size() > platform::run_sampler::most / 2);
    REQUIRE(s.size() <= platform::run_sampler::most + 1);
    CHECK(s.front().requests() == 0);
    const std::uint64_t piece = s[1].requests();
    CHECK(piece == 256); // 16, doubled until 10,000 requests are 64 pieces at most
    for (std::size_t i = 1; i < s.size(); ++i) {
        const auto d = platform::difference(s[i], s[i - 1]);
        CHECK(d.requests() == piece);
        CHECK(d.when == piece * 1_us + (i == 1 ? 9_us : sim_time()));
    }
}

} // namespace report_confidence_test
