// SPDX-License-Identifier: Apache-2.0
//
// Shallow writes with a limited retention in a whole drive (docs/shallow.md): examples worked out
// by hand as traces of sectors, where a page is a sector and a unit of time a millisecond; the cost
// of a write against its formula; and data under load.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <unistd.h>

#include "tests/support/platform_run.h"

namespace shallow_test {

using namespace ssdvp;

namespace {

using texts = std::vector<std::string>;

struct event {
    double ms;
    const char* what; // as in blkparse: WF a durable write, D a trim, R a read
    unsigned sector;
    unsigned sectors = 1;
};

/// A workload of one request after the other, which exists as long as this does.
class timed_trace {
public:
    explicit timed_trace(const std::vector<event>& events)
        : m_folder(std::filesystem::temp_directory_path() /
                   fmt::format("ssdvp-shallow-{}", ::getpid()))
    {
        std::filesystem::create_directories(m_folder);
        std::ofstream trace(m_folder / "events.blkparse");
        unsigned number = 0;
        for (const event& e : events) {
            trace << fmt::format("8,0 0 {} {:.9f} 1 Q {} {} + {} [test]\n", ++number, e.ms / 1000,
                                 e.what, e.sector, e.sectors);
        }
        std::ofstream(file()) << "extends: device/tiny\n"
                                 "workload: {trace: events.blkparse, replay: timed}\n";
    }
    ~timed_trace() { std::filesystem::remove_all(m_folder); }
    [[nodiscard]] std::string file() const { return (m_folder / "run.yaml").string(); }

private:
    std::filesystem::path m_folder;
};

texts tiny(const texts& more)
{
    texts sets = {"write.mode=shallow", "nand.shallow.tPROG=100us", "nand.shallow.retention=10ms"};
    const auto has = [&](const char* set) {
        return std::find(more.begin(), more.end(), set) != more.end();
    };
    if (!has("write.shallow.rewrite=false") && !has("write.shallow.policy=none")) {
        sets.emplace_back("write.shallow.margin=0.05"); // of what is rewritten
    }
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// Host programs, reads and programs of the rewriting: one digit each, and what must not be.
double packed(const test::platform_run& r)
{
    const auto& by_purpose = r.measured().flash.by_purpose;
    const platform::purpose_statistics& refresh = by_purpose[FLASH_PURPOSE_REFRESH];
    return static_cast<double>(by_purpose[FLASH_PURPOSE_HOST].programs * 100 + refresh.reads * 10 +
                               refresh.programs) +
           (r.measured().ftl->retention.late_units != 0 ? 1000 : 0) +
           (r.measured().integrity->mismatches != 0 ? 2000 : 0) +
           (r.reads().errors != 0 ? 4000 : 0);
}

double counts_of(const std::vector<event>& events, const texts& more = {})
{
    const timed_trace trace(events);
    return test::measure_apart({trace.file()}, tiny(more), packed);
}

double lun_busy_us(const test::platform_run& r)
{
    return static_cast<double>(r.measured().channels[0].luns[0].busy.ps()) / 1e6;
}

} // namespace

TEST_CASE("shallow oracles: (a) overwritten, (b) kept, (c) trimmed")
{
    const texts small = {"write.shallow.policy=small_requests", "write.shallow.small=512B"};
    const texts fast = {"nand.retention_speed=2", "write.shallow.margin=0.1"};
    // (a): W = 2 (and one more sector, for the second write is a deep one), nothing else.
    CHECK(counts_of({{0, "WF", 7}, {5, "WF", 7, 2}, {20, "R", 7}}, small) == 300);
    // ... or shallow, up to its own limit: 9.4 units after it nothing, 9.6 units after it R = W
    // = 1.
    CHECK(counts_of({{0, "WF", 7}, {5, "WF", 7}, {14.2, "R", 7}}) == 200);
    CHECK(counts_of({{0, "WF", 7}, {5, "WF", 7}, {14.8, "R", 7}}) == 211);
    // (b): at the limit, less the margin, R = 1 and W = 1; in all R = 1, W = 2.
    CHECK(counts_of({{0, "WF", 7}, {9.4, "R", 7}}) == 100);
    CHECK(counts_of({{0, "WF", 7}, {9.9, "R", 7}, {20, "R", 7}}) == 111);
    // (c): nothing.
    CHECK(counts_of({{0, "WF", 7}, {9, "D", 7}, {20, "R", 8}}) == 100);
    // Faster time: ten units pass in five.
    CHECK(counts_of({{0, "WF", 7}, {4.4, "R", 7}}, fast) == 100);
    CHECK(counts_of({{0, "WF", 7}, {4.95, "R", 7}}, fast) == 111);
}

TEST_CASE("shallow: without rewriting, a read before the limit is right, one after it an error")
{
    const texts never = {"write.shallow.rewrite=false"};
    // The program ends 100 us and some cycles after the write, the read senses 25 us and some
    // after its request.
    CHECK(counts_of({{0, "WF", 7}, {10.0, "R", 7}}, never) == 100);
    const timed_trace trace({{0, "WF", 7}, {10.2, "R", 7}});
    const double found = test::measure_apart({trace.file()}, tiny(never), [](const auto& r) {
        return static_cast<double>(r.reads().errors * 10 + r.measured().ftl->media_errors);
    });
    CHECK(found == 11);
}

TEST_CASE("shallow: the cost of a write, against the formula of the break-even")
{
    // Array time per write: t_s + p (t_R + t_d) where p of the data outlive the retention, t_d
    // where all writes are deep. What else the LUN does is the same in both runs.
    constexpr unsigned writes = 40;
    constexpr double t_d = 200, t_s = 100, t_R = 25; // configs/device/tiny
    const texts times = {"nand.shallow.retention=100ms", "ftl.over_provisioning=0.5"};
    for (const unsigned percent : {0u, 30u, 50u, 80u}) {
        std::vector<event> events;
        for (unsigned n = 0; n < writes; ++n) {
            events.push_back({n * 1.0, "WF", n});
        }
        const unsigned dead = writes * (100 - percent) / 100;
        for (unsigned n = 0; n < dead; ++n) {
            events.push_back({50 + n * 0.5, "D", n});
        }
        events.push_back({200, "F", 0, 0});
        events.push_back({201, "R", 100});
        const timed_trace trace(events);
        texts deep = times;
        deep.emplace_back("write.shallow.policy=none");
        const double gain = (test::measure_apart({trace.file()}, tiny(deep), lun_busy_us) -
                             test::measure_apart({trace.file()}, tiny(times), lun_busy_us)) /
                            writes;
        const double p = percent / 100.0;
        INFO("p = " << p << ": shallow writes gain " << gain << " us each");
        CHECK(gain == Approx(t_d - t_s - p * (t_R + t_d)).margin(1.0));
        CHECK((gain > 0) == (p < (t_d - t_s) / (t_d + t_R)));
    }
}

TEST_CASE("shallow: data under load, rewritten in time, with every map of units")
{
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    for (const char* scheme : {"page_map", "dftl", "vm_map", "log_set"}) {
        for (const char* policy : {"all", "predicted"}) {
            const texts sets = {"write.mode=shallow",
                                "nand.shallow.speed_up=2.33",
                                "nand.shallow.retention=200ms",
                                "write.shallow.margin=0.4", // a segment of vm_map takes 45 ms
                                std::string("ftl.scheme=") + scheme,
                                std::string("write.shallow.policy=") + policy,
                                "precondition.fill=0.8",
                                "workload.0.range.size=8MiB",
                                "workload.0.queue_depth=2",
                                "workload.0.read_fraction=0.4",
                                "workload.0.trim_fraction=0.02",
                                "run.requests=12000"};
            const double bad = test::measure_apart(files, sets, [](const auto& r) {
                const telemetry& t = *r.measured().ftl;
                return (t.retention.late_units != 0 ? 1.0 : 0.0) +
                       (t.retention.rewritten_units < 300 ? 2.0 : 0.0) +
                       (t.retention.shallow_died < 100 ? 4.0 : 0.0) +
                       (t.media_errors != 0 ? 8.0 : 0.0) +
                       (r.measured().integrity->mismatches != 0 ? 16.0 : 0.0) +
                       (r.reads().errors != 0 ? 32.0 : 0.0);
            });
            INFO(scheme << ", " << policy);
            CHECK(bad == 0.0);
        }
    }
}

TEST_CASE("shallow: what is kept in time is kept over losses of power")
{
    for (const char* scheme : {"page_map", "log_set"}) {
        const double bad = test::measure_apart(
            {"device/small", "workload/random-write"},
            {"write.mode=shallow", "nand.shallow.speed_up=2.33", "nand.shallow.retention=200ms",
             "write.shallow.margin=0.4", std::string("ftl.scheme=") + scheme,
             "precondition.fill=0.5", "workload.0.range.size=8MiB", "workload.0.queue_depth=2",
             "workload.0.read_fraction=0.4", "run.requests=12000",
             "power.cut.at=[60ms, 150ms, 290ms]"},
            [](const auto& r) {
                const telemetry& t = *r.measured().ftl;
                return (r.measured().power->cuts != 3 ? 1.0 : 0.0) +
                       (t.retention.rewritten_units < 500 ? 2.0 : 0.0) +
                       (t.retention.late_units + t.media_errors != 0 ? 4.0 : 0.0) +
                       (r.measured().integrity->mismatches != 0 ? 8.0 : 0.0);
            });
        INFO(scheme);
        CHECK(bad == 0.0);
    }
}

TEST_CASE("shallow: rewriting that cannot keep up is told, and what is lost is an error")
{
    // A saturated drive whose data all live: the margin would have to be half of the retention.
    const double found = test::measure_apart(
        {"device/small", "workload/random-write"},
        {"write.mode=shallow", "nand.shallow.speed_up=2.33", "nand.shallow.retention=20ms",
         "write.shallow.margin=0.02", "precondition.fill=0.8", "workload.0.range.size=64MiB",
         "workload.0.read_fraction=0.3", "run.requests=20000"},
        [](const auto& r) {
            const telemetry& t = *r.measured().ftl;
            return (t.retention.late_units == 0 ? 1.0 : 0.0) + (t.units_lost == 0 ? 2.0 : 0.0) +
                   (r.reads().errors == 0 ? 4.0 : 0.0) + (r.writes().errors != 0 ? 8.0 : 0.0) +
                   (r.measured().integrity->mismatches != 0 ? 16.0 : 0.0);
        });
    CHECK(found == 0.0);
}

TEST_CASE("shallow: policy none is a drive of deep writes")
{
    const std::vector<std::string> files = {"device/small", "workload/random-write"};
    const auto end_of = [&](const texts& more) {
        texts sets = {"precondition.fill=0.8", "workload.0.range.size=8MiB",
                      "workload.0.read_fraction=0.4", "run.requests=6000"};
        sets.insert(sets.end(), more.begin(), more.end());
        return test::measure_apart(
            files, sets, [](const auto& r) { return static_cast<double>(r.measured().when.ps()); });
    };
    CHECK(end_of({"write.mode=shallow", "nand.shallow.speed_up=2", "nand.shallow.retention=20ms",
                  "write.shallow.policy=none"}) == end_of({}));
}

} // namespace shallow_test
