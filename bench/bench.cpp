// SPDX-License-Identifier: Apache-2.0
//
// Fixed cases. Each platform case reports requests per wall second, kernel activations per request,
// and the cost of a request in bare SC_METHOD activations measured in the same run. Google
// Benchmark gives the JSON; every measurement runs in a child process, because SystemC elaborates
// once.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <systemc>
#include <vector>

#include "bench/child.h"
#include "bench/kernel.h"
#include "platform/config/loader.h"
#include "platform/control/simulation.h"

namespace {

using namespace ssdvp;

double g_bare_seconds = 0.0; // of one SC_METHOD activation, measured first

void kernel_case(benchmark::State& state, double (*measure)(unsigned long), bool yardstick)
{
    constexpr unsigned long activations = 2000000;
    for (auto _ : state) {
        const bench::outcome o = bench::in_child([measure] {
            bench::outcome mine;
            mine.seconds = measure(activations);
            mine.ok = true;
            return mine;
        });
        if (!o.ok) {
            state.SkipWithError("the measurement failed");
            return;
        }
        state.SetIterationTime(o.seconds);
        if (yardstick) {
            g_bare_seconds = o.seconds;
        }
    }
}

bench::outcome run_platform(const platform::config_sources& sources)
{
    const platform::ssd_config config = platform::load(sources);
    const platform::loaded_firmware firmware("");
    platform::simulation sim(config, firmware, {});
    const platform::simulation_result r = sim.run();
    const platform::counters& c = r.measured.measured;
    bench::outcome o;
    o.seconds = c.wall_s;
    o.requests = static_cast<double>(sim.requests().requests());
    o.activations = static_cast<double>(c.kernel_activations);
    o.peak_rss_bytes = static_cast<double>(r.measured.peak_rss_bytes);
    o.preconditioned_pages = static_cast<double>(sim.preconditioned_pages());
    o.precondition_seconds = sim.precondition_seconds();
    o.ok = r.good() && r.measured.complete;
    for (const std::string& v : r.violations) {
        std::fprintf(stderr, "identity: %s\n", v.c_str());
    }
    for (const fault_log::fault& f : r.measured.faults) {
        std::fprintf(stderr, "fault: %s: %s\n", f.who.c_str(), f.what.c_str());
    }
    return o;
}

void platform_case(benchmark::State& state, const platform::config_sources& sources)
{
    for (auto _ : state) {
        const bench::outcome o = bench::in_child([&sources] { return run_platform(sources); });
        if (!o.ok) {
            state.SkipWithError("the run failed");
            return;
        }
        state.SetIterationTime(o.seconds);
        state.counters["requests_per_wall_s"] = o.requests / o.seconds;
        state.counters["activations_per_request"] = o.activations / o.requests;
        state.counters["bare_activations_per_request"] = o.seconds / o.requests / g_bare_seconds;
        state.counters["peak_rss_bytes"] = o.peak_rss_bytes;
        if (o.precondition_seconds > 0.0) {
            state.counters["precondition_pages_per_s"] =
                o.preconditioned_pages / o.precondition_seconds;
        }
    }
}

platform::config_sources sources(std::vector<std::string> files, std::vector<std::string> sets = {})
{
    platform::config_sources s;
    s.files = std::move(files);
    s.sets = std::move(sets);
    return s;
}

void add_platform(const char* name, const platform::config_sources& s)
{
    benchmark::RegisterBenchmark(name, platform_case, s)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    benchmark::RegisterBenchmark("kernel/bare_method", kernel_case, bench::bare_method_seconds,
                                 true)
        ->UseManualTime()
        ->Iterations(3);
    benchmark::RegisterBenchmark("kernel/bare_thread", kernel_case, bench::bare_thread_seconds,
                                 false)
        ->UseManualTime()
        ->Iterations(3);
    add_platform("platform/random_read_4k_qd32", sources({"experiment/qd32-random-read"}));
    add_platform("platform/zipf_70_30_4k_qd16", sources({"experiment/zipf-70-30"}));
    add_platform("platform/steady_random_write_4k", sources({"experiment/steady-random-write"}));
    add_platform(
        "platform/drive_1tb_fresh",
        sources({"experiment/drive-1tb"}, {"precondition.fill=0", "precondition.overwrite=0"}));
    add_platform("platform/drive_1tb_full",
                 sources({"experiment/drive-1tb"}, {"precondition.fill=1", "data=none"}));
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
