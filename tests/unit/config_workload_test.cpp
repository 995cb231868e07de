// SPDX-License-Identifier: Apache-2.0
//
// Streams and traces under `workload`.
#include <catch2/catch.hpp>

#include <functional>
#include <set>

#include <fmt/format.h>

#include "platform/config/derived.h"
#include "platform/config/option.h"
#include "tests/unit/config_support.h"

using namespace ssdvp;
using namespace ssdvp::platform;
using namespace ssdvp::platform::test;
using namespace ssdvp::literals;
using Catch::Contains;
using Catch::StartsWith;
using host::pattern_kind;

namespace {

using S = const host::stream_config&;
using T = const host::trace_config&;

struct stream_case {
    std::string key;
    std::string good;
    std::function<bool(S)> arrived;
    std::string bad;
    std::string with; // other keys of the stream
};

std::vector<stream_case> stream_cases()
{
    return {
        {"name", "n", [](S s) { return s.name == "n"; }, "''", ""},
        {"pattern", "hot_cold", [](S s) { return s.pattern == pattern_kind::hot_cold; }, "pareto",
         ""},
        {"block_size", "8KiB", [](S s) { return s.block_size == 8192; }, "1000B", ""},
        {"range.start", "1MiB", [](S s) { return s.range_start == 1048576; }, "100B", ""},
        {"range.size", "2MiB", [](S s) { return s.range_size == 2097152; }, "0B", ""},
        {"hot_fraction", "0.1", [](S s) { return s.hot_fraction == 0.1; }, "0",
         ", pattern: hot_cold"},
        {"hot_probability", "0.9", [](S s) { return s.hot_probability == 0.9; }, "1.1",
         ", pattern: hot_cold"},
        {"lru_law", "geometric", [](S s) { return s.lru_law == host::stack_law::geometric; },
         "flat", ", pattern: lru"},
        {"lru_exponent", "0.5", [](S s) { return s.lru_exponent == 0.5; }, "-1",
         ", pattern: hclru"},
        {"lru_mean_depth", "100", [](S s) { return s.lru_mean_depth == 100.0; }, "1",
         ", pattern: lru, lru_law: geometric"},
        {"zipf_theta", "1.2", [](S s) { return s.zipf_theta == 1.2; }, "0", ", pattern: zipf"},
        {"read_fraction", "0.7", [](S s) { return s.read_fraction == 0.7; }, "70", ""},
        {"trim_fraction", "0.1", [](S s) { return s.trim_fraction == 0.1; }, "2", ""},
        {"rate", "100k IOPS", [](S s) { return s.rate_iops == 1e5; }, "100000", ""},
        {"queue_depth", "64", [](S s) { return s.queue_depth == 64; }, "0", ""},
        {"poisson", "false", [](S s) { return !s.poisson; }, "no", ", rate: 10/s"},
        {"requests", "5", [](S s) { return s.requests == 5; }, "5us", ""},
        {"duration", "5ms", [](S s) { return s.duration == 5_ms; }, "5", ""},
        {"flush_every", "7", [](S s) { return s.flush_every == 7; }, "x", ", read_fraction: 0.5"},
        {"fua", "true", [](S s) { return s.fua; }, "1", ", read_fraction: 0.5"},
        {"read_fua", "true", [](S s) { return s.read_fua; }, "1", ", read_fraction: 0.5"},
    };
}

struct trace_case {
    std::string key;
    std::string good;
    std::function<bool(T)> arrived;
    std::string bad;
    std::string with;
};

std::vector<trace_case> trace_cases()
{
    using host::trace_fit;
    using host::trace_format;
    using host::trace_replay;
    return {
        {"format", "ssdsim", [](T t) { return t.format == trace_format::ssdsim; }, "iolog", ""},
        {"replay", "asap", [](T t) { return t.replay == trace_replay::asap; }, "slow", ""},
        {"scale", "0.5", [](T t) { return t.scale == 0.5; }, "0", ", replay: scaled"},
        {"fit", "error", [](T t) { return t.fit == trace_fit::error; }, "crop", ""},
        {"device", "3", [](T t) { return t.device == 3; }, "x", ""},
        {"queue_depth", "9", [](T t) { return t.queue_depth == 9; }, "0", ""},
        {"ranges", "one", [](T t) { return t.ranges == host::trace_ranges::one; }, "two", ""},
        {"repeat", "3", [](T t) { return t.repeat == 3; }, "0", ""},
    };
}

std::vector<trace_case> csv_cases()
{
    const std::string csv = ", format: csv";
    return {
        {"csv.time", "ts", [](T t) { return t.csv.time == "ts"; }, "''", csv},
        {"csv.time_unit", "100ns",
         [](T t) { return t.csv.time_unit == host::csv_time_unit::hundred_ns; }, "min", csv},
        {"csv.operation", "2", [](T t) { return t.csv.operation == "2"; }, "''", csv},
        {"csv.offset", "lba", [](T t) { return t.csv.offset == "lba"; }, "''", csv},
        {"csv.offset_unit", "512B", [](T t) { return t.csv.offset_unit == 512; }, "0B", csv},
        {"csv.size", "4", [](T t) { return t.csv.size == "4"; }, "''", csv},
        {"csv.size_unit", "4KiB", [](T t) { return t.csv.size_unit == 4096; }, "1", csv},
        {"csv.device", "vm", [](T t) { return t.csv.device == "vm"; }, "''", csv},
        {"csv.separator", "tab", [](T t) { return t.csv.separator == host::csv_separator::tab; },
         "colon", csv},
        {"csv.header", "true", [](T t) { return t.csv.header; }, "maybe", csv},
        {"csv.read", "0", [](T t) { return t.csv.read == "0"; }, "''", csv},
        {"csv.write", "w write", [](T t) { return t.csv.write == "w write"; }, "''", csv},
        {"csv.trim", "unmap", [](T t) { return t.csv.trim == "unmap"; }, "''", csv},
    };
}

} // namespace

TEST_CASE("config workload: every key of a stream")
{
    const scratch dir;
    // They mean nothing alone: config_nvme_keys.cpp, config_directives.cpp.
    std::set<std::string> covered = {"priority", "stream_id"};
    for (const stream_case& k : stream_cases()) {
        INFO(k.key);
        covered.insert(k.key);
        const ssd_config c =
            load_text(fmt::format("workload: [{{{}: {}{}}}]\n", k.key, k.good, k.with));
        REQUIRE(c.workload.streams.size() == 1);
        CHECK(k.arrived(c.workload.streams[0]));
        config_sources again;
        again.files = {dir.write("resolved.yaml", resolved_yaml(c))};
        CHECK(k.arrived(load(again).workload.streams[0]));
        CHECK(resolved_yaml(load(again)) == resolved_yaml(c));
        CHECK_THAT(
            error_of_text(fmt::format("workload: [{{{}: {}{}}}]\n", k.key, k.bad, k.with)),
            StartsWith(fmt::format("c.yaml:1:{}: workload.0.{}: ", 15 + k.key.size(), k.key)));
    }
    CHECK(covered.size() == stream_table().size());
}

TEST_CASE("config workload: fio jobs, from a configuration and from the command line")
{
    const scratch dir;
    const std::string file =
        dir.write("job.fio", "[a]\nsize=1m\nnumjobs=3\nramp_time=2ms\ndirect=1\n");
    const ssd_config c = load_text(fmt::format("workload: {{fio: {}}}\n", file));
    REQUIRE(c.workload.fio.jobs.size() == 3);
    CHECK(c.workload.fio.file == file);
    CHECK(c.workload.fio.notes.size() == 1);
    CHECK(c.workload.streams.empty());
    CHECK(c.driver.stream_priorities.size() == 3);
    CHECK(c.run.warmup == 2_ms);
    CHECK(c.run.requests == 0); // all of the jobs
    config_sources again;
    again.files = {dir.write("resolved.yaml", resolved_yaml(c))};
    CHECK(resolved_yaml(load(again)) == resolved_yaml(c));
    again.sets = {"run.warmup=3ms"};
    CHECK_THROWS_WITH(load(again), Contains("run.warmup: the jobs have a ramp_time; remove"));
    again.sets = {"run.warmup=3"}; // requests
    CHECK_THROWS_WITH(load(again), Contains("run.warmup: the jobs have a ramp_time"));
    for (const char* none : {"run.warmup=0", "run.warmup=0s", "run.warmup=2ms"}) {
        again.sets = {none}; // the default, or what the jobs say
        CHECK(load(again).run.warmup == 2_ms);
    }
    config_sources line;
    line.fio = file;
    CHECK(load(line).workload.fio.jobs.size() == 3);
    line.trace = file;
    CHECK_THROWS_WITH(load(line), Contains("there is --trace too; give one of them"));
}

TEST_CASE("config workload: every key of a trace")
{
    const scratch dir;
    const std::string file = dir.write("x.ssdsim", "");
    std::set<std::string> covered = {"trace"};
    std::vector<trace_case> cases = trace_cases();
    for (trace_case& k : csv_cases()) {
        cases.push_back(std::move(k));
    }
    for (const trace_case& k : cases) {
        INFO(k.key);
        covered.insert(k.key);
        const auto text = [&](const std::string& value) {
            return fmt::format("workload: {{trace: {}, {}: {}{}}}\n", file, k.key, value, k.with);
        };
        const ssd_config c = load_text(text(k.good));
        CHECK(c.workload.trace.file == file);
        CHECK(c.workload.streams.empty());
        CHECK(k.arrived(c.workload.trace));
        config_sources again;
        again.files = {dir.write("resolved.yaml", resolved_yaml(c))};
        CHECK(resolved_yaml(load(again)) == resolved_yaml(c));
        CHECK_THAT(error_of_text(text(k.bad)), Contains(": workload." + k.key + ": "));
    }
    CHECK(covered.size() == trace_table().size());
    const ssd_config c = load_text(fmt::format("workload: {{trace: {}, device: all}}\n", file));
    CHECK(c.workload.trace.device == -1);
    CHECK(c.run.requests == 0); // all of the trace
}

TEST_CASE("config workload: the default is a 70/30 zipf stream at queue depth 16")
{
    const ssd_config c = load({});
    REQUIRE(c.workload.streams.size() == 1);
    S s = c.workload.streams[0];
    CHECK(s.pattern == pattern_kind::zipf);
    CHECK(s.read_fraction == 0.7);
    CHECK(s.block_size == 4096);
    CHECK(s.queue_depth == 16);
    CHECK(c.run.requests == 500000);
}

TEST_CASE("config workload: an LRU stack holds 2^30 blocks")
{
    const auto at = [](const char* size) {
        config_sources s =
            with_sets({"workload.0.pattern=lru", "workload.0.zipf_theta=default",
                       "workload.0.block_size=512B", std::string("workload.0.range.size=") + size});
        s.files = {"experiment/drive-1tb"};
        return error_of(s);
    };
    CHECK(at("512GiB").empty());
    CHECK(at("549755814400B") ==
          "--set workload.0.pattern=lru: workload.0.pattern: an LRU stack holds 1073741824 blocks "
          "at most, the range has 1073741825; use a range.size of at most 512GiB, or a larger "
          "block_size");
}

TEST_CASE("config workload: keys without effect and wrong forms")
{
    CHECK(
        error_of_text("workload:\n  - pattern: uniform\n    zipf_theta: 1\n") ==
        "c.yaml:3:17: workload.0.zipf_theta: has no effect: it is used only when pattern is zipf; "
        "remove it, or set it to `default`");
    CHECK_THAT(
        error_of_text("workload: [{rate: 10/s, queue_depth: 4}]\n"),
        StartsWith("c.yaml:1:38: workload.0.queue_depth: has no effect: it is used only when "
                   "rate is not given"));
    CHECK_THAT(error_of_text("workload: [{poisson: true}]\n"), Contains("only when rate is given"));
    CHECK_THAT(error_of_text("workload: [{hot_fraction: 0.5}]\n"), Contains("pattern is hot_cold"));
    CHECK_THAT(error_of_text("workload: [{pattern: lru, hot_fraction: 0.5}]\n"),
               Contains("pattern is hot_cold or hclru"));
    CHECK_THAT(error_of_text("workload: [{pattern: lru, lru_mean_depth: 5}]\n"),
               Contains("lru_law is geometric"));
    CHECK_THAT(error_of_text("workload: [{pattern: lru, lru_law: geometric, lru_exponent: 2}]\n"),
               Contains("lru_law is power"));
    CHECK(error_of_text("workload:\n  - patern: uniform\n") ==
          "c.yaml:2:5: workload.0.patern: is not a key; did you mean 'workload.0.pattern'?");
    CHECK_THAT(error_of_text("workload: uniform\n"),
               StartsWith("c.yaml:1:11: workload: is neither"));
    CHECK_THAT(error_of_text("workload: {pattern: uniform}\n"), Contains("is neither a list"));
    CHECK_THAT(error_of_text("workload: []\n"), Contains("is an empty list"));
    CHECK_THAT(error_of_text("workload: [uniform]\n"),
               StartsWith("c.yaml:1:12: workload.0: is not a"));
    CHECK_THAT(error_of_text("workload: {fio: a.fio}\n"),
               StartsWith("c.yaml:1:17: workload.fio: no file 'a.fio'; give the path"));
    CHECK_THAT(error_of_text("workload: {trace: /nowhere/x.msr}\n"),
               StartsWith("c.yaml:1:19: workload.trace: no file '/nowhere/x.msr'"));
}

TEST_CASE("config workload: ranges lie inside the drive")
{
    const std::uint64_t drive = logical_bytes(load({}));
    const auto stream = [](std::uint64_t start, const std::string& size) {
        return fmt::format("workload:\n  - range: {{start: {}B, size: {}}}\n", start, size);
    };
    CHECK(error_of_text(stream(drive - 4096, "4KiB")).empty());
    CHECK_THAT(error_of_text(stream(drive - 4096, "4608B")),
               StartsWith("c.yaml:2:") && Contains("workload.0.range.size: ") &&
                   Contains("use at most 4KiB, or all"));
    CHECK_THAT(error_of_text(stream(drive, "all")), Contains("workload.0.range.start: "));
    CHECK_THAT(
        error_of_text("workload: [{block_size: 8KiB, range: {size: 4KiB}}]\n"),
        StartsWith("c.yaml:1:25: workload.0.block_size: 8KiB is larger than the range of 4KiB"));
}

TEST_CASE("config workload: it is said when depths do not fit the driver's queues")
{
    const scratch dir;
    const auto named = [&](int a, int b, const char* more = "") {
        config_sources s;
        s.files = {dir.write("c.yaml",
                             fmt::format("host.driver.queue_entries: 32\n"
                                         "workload: [{{queue_depth: {}}}, {{queue_depth: {}}}]\n{}",
                                         a, b, more))};
        return resolve(s).idle;
    };
    CHECK(named(16, 15).empty());
    REQUIRE(named(16, 16).size() == 1);
    CHECK_THAT(named(16, 16).front(),
               Contains("c.yaml:2:45: workload.1.queue_depth: 32 requests in flight do not fit the "
                        "31 places of host.driver.queue_pairs 1 and queue_entries 32: the others "
                        "wait in the driver"));
    CHECK(named(16, 16, "host.driver.queue_pairs: 2\n").empty());
}

TEST_CASE("config workload: names, limits")
{
    const ssd_config c = load_text("workload: [{pattern: uniform}, {name: b}]\n");
    CHECK(c.workload.streams[0].name == "stream0");
    CHECK(c.workload.streams[1].name == "b");
    CHECK_THAT(error_of_text("workload: [{name: a}, {name: a}]\n"),
               Contains("workload.1.name: 'a' is"));
    CHECK(load_text("workload: [{requests: 10}]\n").run.requests == 0);
    CHECK(load_text("workload: [{requests: 10}, {}]\n").run.requests == 500000);
    CHECK_THAT(error_of_text("run.requests: 0\n"), StartsWith("c.yaml:1:15: run.requests: the run "
                                                              "never ends"));
    CHECK(error_of_text("run: {requests: 0, duration: 1ms}\n").empty());
}

TEST_CASE("config workload: --set reaches fields of streams")
{
    const scratch dir;
    config_sources s;
    s.sets = {"workload.queue_depth=4"};
    CHECK(load(s).workload.streams[0].queue_depth == 4);
    CHECK(load(s).workload.streams[0].read_fraction == 0.7);
    s.files = {dir.write("two.yaml", "workload: [{name: a}, {name: b, queue_depth: 2}]\n")};
    CHECK(error_of(s) ==
          "--set workload.queue_depth=4: workload.queue_depth: could be meant for any "
          "of several streams; write workload.0.queue_depth, or the name of the stream "
          "for 0");
    s.sets = {"workload.b.queue_depth=9", "workload.0.range.size=1MiB"};
    CHECK(load(s).workload.streams[1].queue_depth == 9);
    CHECK(load(s).workload.streams[0].range_size == 1048576);
    s.sets = {"workload.c.queue_depth=9"};
    CHECK_THAT(error_of(s),
               Contains("workload.c: is not a stream of the workload; streams are: a, b"));
    s.sets = {"workload.0.depth=9"};
    CHECK_THAT(error_of(s), Contains("did you mean 'workload.0.queue_depth'?"));
    s.sets = {"workload=[{pattern: sequential}]"};
    CHECK(load(s).workload.streams.size() == 1);
}

TEST_CASE("config workload: --trace and its companions")
{
    const scratch dir;
    config_sources s;
    s.trace = dir.write("a,b.txt", "");
    CHECK(load(s).workload.trace.file == s.trace);
    s.trace += ",format=disksim";
    s.trace_replay = "scaled=0.25";
    s.trace_fit = "scale";
    s.trace_device = "2";
    s.sets = {"workload.queue_depth=3"};
    const host::trace_config t = load(s).workload.trace;
    CHECK(t.file == dir.path() + "/a,b.txt");
    CHECK(t.format == host::trace_format::disksim);
    CHECK(t.replay == host::trace_replay::scaled);
    CHECK(t.scale == 0.25);
    CHECK(t.fit == host::trace_fit::scale);
    CHECK(t.device == 2);
    CHECK(t.queue_depth == 3);
    s.trace_replay = "asap=2";
    CHECK_THAT(error_of(s), StartsWith("--trace-replay asap=2: workload.scale: has no effect"));
    s.trace_replay = "late";
    CHECK_THAT(error_of(s),
               StartsWith("--trace-replay late: workload.replay: 'late' is not one of"));
    s.trace_replay.clear();
    s.trace = dir.path() + "/none,format=msr";
    CHECK_THAT(error_of(s), StartsWith("--trace " + s.trace + ": workload.trace: no file"));
    s.trace.clear();
    s.sets.clear();
    CHECK(error_of(s) ==
          "--trace-fit scale: workload.fit: the workload is not a trace; give --trace "
          "FILE too");
}

TEST_CASE("config workload: a trace beside its configuration file is found")
{
    const scratch dir;
    dir.write("sub/x.msr.csv", "");
    config_sources s;
    s.files = {dir.write("sub/c.yaml", "workload: {trace: x.msr.csv}\n")};
    CHECK(load(s).workload.trace.file == dir.path() + "/sub/x.msr.csv");
}
