// SPDX-License-Identifier: Apache-2.0
//
// Runs until the steady state that are stopped early report whole rounds. With one request at a
// time a run of a fixed length has the same ones, so all figures have to be the same.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "platform/report/text_summary.h"
#include "platform/report/validity.h"
#include "tests/support/platform_run.h"

namespace stopped_test {

using namespace ssdvp;

namespace {

constexpr std::uint64_t round_requests = 512;
constexpr std::uint64_t compared = 3; // rounds

const std::vector<std::string> files = {"device/small"};

std::vector<std::string> sets(double reads, std::vector<std::string> more)
{
    more.insert(
        more.begin(),
        {fmt::format("workload=[{{read_fraction: {}, block_size: 4KiB, queue_depth: 1}}]", reads),
         "nand.blocks_per_plane=32", "nand.pages_per_block=16", "ftl.over_provisioning=0.3",
         "cache.capacity=512KiB", "precondition.fill=1", "precondition.overwrite=1",
         "precondition.until=amount"});
    return more;
}

/// Rounds that are never steady, or always.
std::vector<std::string> rounds(double reads, const char* range)
{
    return sets(reads, {"run.until=steady", "run.requests=0",
                        fmt::format("run.steady.round={}", round_requests),
                        fmt::format("run.steady.rounds={}", compared),
                        fmt::format("run.steady.range={}", range)});
}

/// Of windows that begin anew with every third round, the older one: 3, 4, 5, 6, 4, 5, 6, 4, ...
std::uint64_t told_of(std::uint64_t complete)
{
    return complete <= 2 * compared ? complete : compared + 1 + (complete - 1) % compared;
}

std::string code(const test::platform_run& r)
{
    for (const auto& w : platform::validity_of(r.result.measured, r.sim->requests()).warnings) {
        if (w.code == std::string("stopped_early")) {
            return w.text;
        }
    }
    return {};
}

std::string text(const test::platform_run& r)
{
    return platform::text_summary(r.result.measured, r.sim->requests(), {}, {});
}

} // namespace

TEST_CASE("stopped: the last complete rounds, to the picosecond", "[steady]")
{
    const auto stopped = test::run_stopped(files, rounds(0.5, "0.0001"), 10 * round_requests + 99);
    const platform::measurement& m = stopped.result.measured;
    const std::uint64_t complete =
        (stopped.sim->requests().lifetime_requests() - 1) / round_requests; // 1 was under way
    REQUIRE(m.stopped);
    CHECK_FALSE(m.complete);
    CHECK(m.stopped->complete == told_of(complete));
    CHECK_FALSE(m.stopped->measured);
    CHECK_FALSE(m.stopped->unsteady.empty());
    CHECK(stopped.sim->requests().requests() == told_of(complete) * round_requests);
    CHECK(m.samples.back().when <= m.samples.front().when + m.measured.when);
    CHECK(m.samples.size() > 30);
    CHECK(code(stopped).find(fmt::format("the last {} complete rounds", told_of(complete))) !=
          std::string::npos);
    CHECK(text(stopped).find(fmt::format("stopped early: the last {} complete rounds; not steady",
                                         told_of(complete))) != std::string::npos);
    CHECK_FALSE(platform::validity_of(m, stopped.sim->requests()).steady.value_or(true));
}

namespace {

double reads_ps(const test::platform_run& r)
{
    return static_cast<double>(r.reads().latency.sum());
}
double writes_ps(const test::platform_run& r)
{
    return static_cast<double>(r.writes().latency.sum());
}
const std::vector<test::measure_fn> figures = {
    reads_ps,
    writes_ps,
    [](const test::platform_run& r) { return static_cast<double>(r.measured().when.ps()); },
    [](const test::platform_run& r) { return static_cast<double>(r.reads().requests); },
    [](const test::platform_run& r) { return static_cast<double>(r.writes().bytes); },
    [](const test::platform_run& r) { return static_cast<double>(r.reads().latency.max().ps()); },
    [](const test::platform_run& r) { return static_cast<double>(r.writes().latency.min().ps()); },
    [](const test::platform_run& r) { return static_cast<double>(r.measured().flash.reads); },
    [](const test::platform_run& r) { return static_cast<double>(r.measured().flash.programs); },
    [](const test::platform_run& r) { return static_cast<double>(r.measured().flash.erases); },
    [](const test::platform_run& r) {
        return static_cast<double>(r.measured().ftl->host_units_written);
    },
    [](const test::platform_run& r) { return static_cast<double>(r.measured().cpu[0].busy.ps()); },
    [](const test::platform_run& r) {
        return static_cast<double>(r.result.measured.latencies.size());
    },
    [](const test::platform_run& r) {
        return static_cast<double>(platform::count_of(r.result.measured.latencies.back()[0]));
    },
    [](const test::platform_run& r) {
        const auto& samples = r.result.measured.samples;
        return static_cast<double>(platform::difference(samples.back(), samples.front()).when.ps());
    },
    [](const test::platform_run& r) {
        const auto& samples = r.result.measured.samples;
        const auto d = platform::difference(samples.back(), samples.front());
        return static_cast<double>(d.of(host::request_kind::write).bytes);
    },
};

/// What is under way ends before the next round.
void check_told(std::uint64_t complete)
{
    const std::uint64_t told = told_of(complete);
    const std::vector<std::string> same =
        sets(0.5, {fmt::format("run.warmup={}", (complete - told) * round_requests),
                   fmt::format("run.requests={}", told * round_requests)});
    std::vector<double> expected; // by runs apart: those have to be first
    for (const test::measure_fn figure : figures) {
        expected.push_back(test::measure_apart(files, same, figure));
    }
    const auto stopped =
        test::run_stopped(files, rounds(0.5, "0.0001"), complete * round_requests + 99);
    REQUIRE(stopped.result.measured.stopped->complete == told);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        INFO("figure " << i);
        CHECK(figures[i](stopped) == expected[i]);
    }
}

} // namespace

TEST_CASE("stopped: what is told is what a run of those requests tells", "[steady]")
{
    check_told(8);
}

TEST_CASE("stopped: it is so when a window of rounds has just ended", "[steady]")
{
    check_told(2 * compared);
}

TEST_CASE("stopped: the measured part is reported once it has a complete round", "[steady]")
{
    // Reads are steady after as many rounds as are compared.
    const auto at = [](double of_rounds) {
        return static_cast<std::uint64_t>(of_rounds * round_requests);
    };
    const auto r = test::run_stopped(files, rounds(1.0, "1"), at(compared + 1.5));
    REQUIRE(r.result.measured.stopped);
    CHECK(r.result.measured.stopped->measured);
    CHECK(r.result.measured.stopped->unsteady.empty());
    CHECK(r.result.measured.stopped->complete >= 1);
    CHECK(r.sim->requests().requests() + at(compared) == r.sim->requests().lifetime_requests());
    CHECK(text(r).find("the first ") != std::string::npos);
    CHECK(text(r).find("not steady") == std::string::npos);
}

TEST_CASE("stopped: before that the rounds that were steady are", "[steady]")
{
    // A pause of 2 ms ends the run before the next round is complete.
    const auto r = test::run_stopped(files, rounds(1.0, "1"), compared * round_requests + 1);
    REQUIRE(r.result.measured.stopped);
    CHECK_FALSE(r.result.measured.stopped->measured);
    CHECK(r.result.measured.stopped->unsteady.empty());
    CHECK(r.sim->requests().requests() == compared * round_requests);
    CHECK(code(r).find("which were steady") != std::string::npos);
}

TEST_CASE("stopped: without a complete round what completed is reported", "[steady]")
{
    const auto r = test::run_stopped(files, rounds(0.5, "0.0001"), round_requests / 4);
    REQUIRE(r.result.measured.stopped);
    CHECK(r.result.measured.stopped->complete == 0);
    CHECK(r.sim->requests().requests() + 1 == r.sim->requests().lifetime_requests());
    CHECK(code(r).find("before a round was complete") != std::string::npos);
    CHECK(text(r).find("this is what ran until then") != std::string::npos);
}

TEST_CASE("stopped: a run of a fixed length tells no rounds", "[steady]")
{
    const auto r = test::run_stopped(files, sets(0.5, {"run.requests=20000"}), 1000);
    CHECK_FALSE(r.result.measured.stopped);
    CHECK(code(r).empty());
}

} // namespace stopped_test
