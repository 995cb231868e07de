// SPDX-License-Identifier: Apache-2.0
//
// Parts of sampled runs: where windows lie, what they sum to, the processes that run them, and what
// reaches the flash between them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/config/loader.h"
#include "platform/control/sample_plan.h"
#include "platform/control/window_processes.h"
#include "platform/control/window_result.h"
#include "platform/control/write_buffer.h"
#include "platform/report/counter_sums.h"
#include "tests/support/platform_run.h"

namespace sampling_test {

using namespace ssdvp;
using namespace ssdvp::platform;
using Catch::Contains;

ssd_config sampled(const std::vector<std::string>& more)
{
    config_sources s;
    s.files = {"device/small"};
    s.sets = {"workload=[{read_fraction: 0.7, queue_depth: 16}]", "precondition.fill=1",
              "run.requests=800000", "run.warmup=10000", "run.sampling.windows=16"};
    s.sets.insert(s.sets.end(), more.begin(), more.end());
    return resolve(s).config;
}

TEST_CASE("sampling: each stratum has a window, and phases are spread evenly")
{
    const sample_plan plan = plan_samples(sampled({"run.sampling.share=0.1"}));
    REQUIRE(plan.windows.size() == 16);
    CHECK(plan.measured == 5000);
    std::vector<double> phases;
    for (std::size_t k = 0; k < 16; ++k) {
        const sample_window& w = plan.windows[k];
        CHECK(w.earliest + plan.warmup >= 10000 + 50000 * k);
        CHECK(w.latest + plan.warmup + plan.measured <= 10000 + 50000 * (k + 1));
        CHECK(w.earliest < w.latest);
        phases.push_back(w.phase);
    }
    std::sort(phases.begin(), phases.end());
    double widest = phases.front() + 1.0 - phases.back();
    for (std::size_t k = 1; k < 16; ++k) {
        widest = std::max(widest, phases[k] - phases[k - 1]);
    }
    CHECK(widest < 2.0 / 16); // chance alone leaves gaps of more than 3 / 16
}

TEST_CASE("sampling: windows move with the seed, and reads alone have no phase")
{
    const sample_plan one = plan_samples(sampled({}));
    const sample_plan same = plan_samples(sampled({}));
    const sample_plan other = plan_samples(sampled({"run.seed=2"}));
    CHECK(one.windows[3].earliest == same.windows[3].earliest);
    CHECK(one.windows[3].earliest != other.windows[3].earliest);
    const sample_plan reads =
        plan_samples(sampled({"workload=[{read_fraction: 1, queue_depth: 4}]"}));
    CHECK(std::all_of(reads.windows.begin(), reads.windows.end(),
                      [](const sample_window& w) { return w.earliest == w.latest; }));
    CHECK(reads.warmup < one.warmup);
}

TEST_CASE("sampling: a phase is passed where it lies on the way, also over the end")
{
    CHECK(passes(0.3, 0.2, 0.4));
    CHECK(!passes(0.5, 0.2, 0.4));
    CHECK(passes(0.05, 0.9, 0.1));
    CHECK(passes(0.95, 0.9, 0.1));
    CHECK(!passes(0.5, 0.9, 0.1));
    CHECK(!passes(0.4, 0.4, 0.4)); // nowhere went
    const std::vector<sample_window> windows = {{0, 0, 0.5}, {1, 1, 0.1}, {2, 2, 0.9}, {3, 3, 0.3}};
    CHECK(by_phase(windows, 4) == std::vector<std::size_t>{1, 3, 0, 2});
    CHECK(by_phase(windows, 3) == std::vector<std::size_t>{1, 0, 2});
}

host::request_result request(std::uint64_t ns, host::request_kind kind)
{
    host::request_result r;
    r.req.kind = kind;
    r.req.sectors = 8;
    r.completed = sim_time(ns * 1000);
    r.parts[0] = r.completed;
    return r;
}

window_result window_of(std::uint64_t ns, std::uint64_t programs)
{
    window_result w(counters(), 0);
    w.counted.when = sim_time(1000 * ns);
    w.counted.flash.programs = programs;
    w.counted.ftl = telemetry{};
    w.counted.ftl->gc_runs = programs;
    w.counted.cpu.resize(1);
    w.counted.cpu[0].cycles = ns;
    w.requests.on_complete(request(ns, host::request_kind::read));
    w.requests.on_complete(request(2 * ns, host::request_kind::write));
    w.sample.when = w.counted.when;
    w.sample.kinds[0] = {1, 4096, static_cast<double>(ns)};
    w.latency[0] = {{7, 1}};
    w.simulated = sim_time(2000 * ns);
    return w;
}

TEST_CASE("sampling: windows add up, each a piece of the measured part")
{
    window_sum sum(0);
    sum.add(window_of(100, 3));
    sum.add(window_of(250, 5));
    measurement m;
    sum.put(m);
    CHECK(m.measured.when == sim_time(350000));
    CHECK(m.measured.flash.programs == 8);
    CHECK(m.measured.ftl->gc_runs == 8);
    CHECK(m.measured.cpu[0].cycles == 350);
    CHECK(m.simulated == sim_time(700000));
    REQUIRE(m.samples.size() == 3);
    CHECK(m.samples[1].when == sim_time(100000));
    CHECK(m.samples[2].when == sim_time(350000));
    CHECK(difference(m.samples[2], m.samples[1]).kinds[0].latency == 250.0);
    REQUIRE(m.latencies.size() == 2);
    CHECK(count_of(m.latencies[1][0]) == 1);
    CHECK(sum.requests().requests() == 4);
    CHECK(sum.requests().kind(host::request_kind::write).latency.sum() == 700000);
}

TEST_CASE("sampling: a window counts for more than another, and pieces stay what they were")
{
    window_sum sum(0);
    sum.add(window_of(100, 4), 0.5);
    sum.add(window_of(200, 4), 1.5);
    measurement m;
    sum.put(m);
    CHECK(m.measured.when == sim_time(350000));
    CHECK(m.measured.flash.programs == 8);
    CHECK(m.measured.cpu[0].cycles == 350);
    CHECK(m.samples[1].when == sim_time(100000));
    CHECK(m.samples[2].when == sim_time(300000));
    // Of halves one comes of the first; 1.5 of the second are two.
    CHECK(sum.requests().kind(host::request_kind::write).requests == 3);
    CHECK(sum.requests().kind(host::request_kind::write).latency.sum() ==
          200000 / 2 + 400000 * 3 / 2);
}

window_processes::bytes said(std::size_t count, unsigned char what)
{
    return window_processes::bytes(count, what);
}

std::vector<unsigned char> answers(std::size_t processes)
{
    window_processes all(processes);
    std::vector<unsigned char> heard;
    const auto never = [] { return false; };
    const auto take = [&] {
        while (const auto said = all.take()) {
            CHECK(said->size() == 300000); // more than a pipe holds
            heard.push_back(said->front());
        }
    };
    for (unsigned char k = 0; k < 5; ++k) {
        all.begin("window", [k] { return said(300000, k); });
        all.wait_for_room(never);
        take();
    }
    while (heard.size() != 5) {
        all.wait_for_next(never);
        take();
    }
    return heard;
}

TEST_CASE("sampling: answers come in order, with any number of processes, and none is left")
{
    const std::vector<unsigned char> expected = {0, 1, 2, 3, 4};
    CHECK(answers(1) == expected);
    CHECK(answers(3) == expected);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1); // no child
}

std::string error_of_window(const std::function<window_processes::bytes()>& work)
{
    window_processes all(1);
    all.begin("window 2 of 9", work);
    all.wait_for_next([] { return false; });
    try {
        (void)all.take();
    } catch (const process_error& e) {
        return e.what();
    }
    return "none";
}

TEST_CASE("sampling: a window that fails says which, and why")
{
    CHECK_THAT(error_of_window([]() -> window_processes::bytes {
                   throw std::runtime_error("the flash refused a program");
               }),
               Contains("window 2 of 9: the flash refused a program"));
    CHECK_THAT(error_of_window([]() -> window_processes::bytes {
                   ::raise(SIGKILL); // what Catch does not hear of
                   return {};
               }),
               Contains("window 2 of 9: its process was ended by signal 9"));
    CHECK_THAT(error_of_window([]() -> window_processes::bytes { std::_Exit(3); }),
               Contains("window 2 of 9: its process ended with code 3"));
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("sampling: those that still run when nobody waits are ended")
{
    const auto endless = []() -> window_processes::bytes {
        for (;;) {
            ::pause();
        }
    };
    {
        window_processes all(2);
        all.begin("window", endless);
    }
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    window_processes more(3);
    more.begin("window", [] { return said(1, 7); });
    more.begin("window", endless);
    more.wait_for_next([] { return false; });
    CHECK(more.take() == said(1, 7));
    more.end(); // what it would have told is not wanted
    CHECK(more.take() == std::nullopt);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("sampling: the least recently used unit leaves the buffer, if it was written")
{
    write_buffer b(2, true);
    CHECK(!b.write(1));
    CHECK(!b.read(2));
    CHECK(b.write(3) == 1u); // 1 is the oldest, and dirty
    CHECK(!b.read(4));       // 2 leaves, and is clean
    CHECK(!b.write(3));      // it is there
    CHECK(!b.write(5));      // 4 leaves
    CHECK(b.read(6) == 3u);
    write_buffer through(0);
    CHECK(through.write(9) == 9u);
    write_buffer writes(2);
    CHECK(!writes.write(1));
    CHECK(!writes.write(2));
    CHECK(!writes.read(7)); // does not stay
    CHECK(!writes.read(1)); // uses what is there
    CHECK(writes.write(3) == 2u);
}

TEST_CASE("sampling: what the buffer holds comes in the order of its use, and a flush empties it")
{
    write_buffer b(3);
    (void)b.write(1);
    (void)b.write(2);
    (void)b.write(1);
    const auto held = b.content();
    REQUIRE(held.size() == 2);
    CHECK((held[0].unit == 2 && held[1].unit == 1 && held[0].dirty));
    std::vector<std::uint64_t> out;
    b.flush([&](std::uint64_t unit) { out.push_back(unit); });
    CHECK(out == std::vector<std::uint64_t>{2, 1});
    CHECK(!b.content()[0].dirty);
}

} // namespace sampling_test
