// SPDX-License-Identifier: Apache-2.0
#include "tests/support/platform_run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <map>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/config/loader.h"

namespace ssdvp::test {

namespace {

/// Firmware costs the same per call of the port, so that no line of it moves what a test expects;
/// but where a test names a core.
std::vector<std::string> with_core(std::vector<std::string> sets)
{
    const bool named = std::any_of(sets.begin(), sets.end(), [](const std::string& s) {
        return s.compare(0, 9, "cpu.core=") == 0;
    });
    if (!named) {
        sets.insert(sets.begin(), "cpu.core=flat");
    }
    return sets;
}

/// Hands on the requests of the measured part.
class told final : public platform::report_sink {
public:
    explicit told(host::request_observer& to) : m_to(to) {}
    [[nodiscard]] std::vector<std::filesystem::path> files() const override { return {}; }
    [[nodiscard]] host::request_observer* requests() override { return &m_to; }
    void finish(const platform::sink_results&) override {}

private:
    host::request_observer& m_to;
};

platform_run simulate(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                      const run_options& options)
{
    platform::config_sources sources;
    sources.files = files;
    sources.sets = with_core(sets);
    platform::simulation_hooks hooks;
    platform::ssd_options checks;
    checks.check_protocol = options.check_protocol;
    checks.check_onfi = options.check_protocol;
    checks.check_dram = options.check_protocol;
    platform_run r;
    if (options.log != nullptr) {
        r.told = std::make_unique<told>(*options.log);
        hooks.sinks.push_back(r.told.get());
    }
    const platform::ssd_config config = platform::load(sources);
    r.firmware =
        std::make_unique<platform::loaded_firmware>("", platform::image_use_for(config.cpu, false));
    const platform::simulation* running = nullptr;
    hooks.interrupted = [&running, &options] {
        return running != nullptr && running->requests().lifetime_requests() >= options.stop_after;
    };
    r.sim = std::make_unique<platform::simulation>(config, *r.firmware, hooks, checks);
    running = r.sim.get();
    r.result = r.sim->run();
    return r;
}

std::string troubles(const platform_run& r)
{
    std::string text;
    for (const std::string& v : r.result.violations) {
        text += "identity: " + v + "\n";
    }
    for (const fault_log::fault& f : r.result.measured.faults) {
        text += f.who + ": " + f.what + "\n";
    }
    return text + (r.result.measured.complete ? "" : "incomplete\n");
}

constexpr std::size_t kept_runs = 16; // each has the memory of a drive

/// A run in a child process, which is there to be measured until this process ends: rows of a table
/// often share a run.
class kept_run {
public:
    kept_run(const std::vector<std::string>& files, const std::vector<std::string>& sets)
    {
        int ends[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        if (::fork() == 0) {
            ::close(ends[0]);
            serve(ends[1], files, sets);
        }
        ::close(ends[1]);
        m_end = ends[0];
    }
    kept_run(const kept_run&) = delete;
    kept_run& operator=(const kept_run&) = delete;
    ~kept_run() { ::close(m_end); } // the child ends, too

    /// NaN: the run failed, and has said why. The child is a fork: it knows `what` by its address.
    [[nodiscard]] double measure(measure_fn what)
    {
        double value = NAN;
        REQUIRE(::write(m_end, &what, sizeof what) == sizeof what);
        REQUIRE(::read(m_end, &value, sizeof value) == sizeof value);
        return value;
    }

private:
    [[noreturn]] static void serve(int end, const std::vector<std::string>& files,
                                   const std::vector<std::string>& sets)
    {
        try {
            const platform_run r = simulate(files, sets, {});
            const std::string text = troubles(r);
            std::fputs(text.c_str(), stderr);
            measure_fn what = nullptr;
            while (::read(end, &what, sizeof what) == sizeof what) {
                const double value = text.empty() ? what(r) : NAN;
                if (::write(end, &value, sizeof value) != sizeof value) {
                    ::_exit(1);
                }
            }
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s\n", error.what());
            ::_exit(1);
        }
        ::_exit(0);
    }

    int m_end = -1;
};

} // namespace

platform_run run(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                 const run_options& options)
{
    platform_run r = simulate(files, sets, options);
    INFO(troubles(r));
    REQUIRE(r.result.good());
    REQUIRE(r.result.measured.complete);
    REQUIRE((r.sim->drive().channel(flash::channel_index(0)).onfi_check() != nullptr) ==
            options.check_protocol);
    return r;
}

platform_run run_stopped(const std::vector<std::string>& files,
                         const std::vector<std::string>& sets, std::uint64_t stop_after)
{
    run_options options;
    options.stop_after = stop_after;
    platform_run r = simulate(files, sets, options);
    INFO(troubles(r));
    REQUIRE(r.result.good());
    REQUIRE(r.result.interrupted);
    return r;
}

platform_run run_failing(const std::vector<std::string>& files,
                         const std::vector<std::string>& sets, const run_options& options)
{
    platform_run r = simulate(files, sets, options);
    INFO(troubles(r));
    REQUIRE_FALSE(r.result.good());
    return r;
}

double measure_apart(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                     measure_fn measure)
{
    static std::map<std::string, kept_run> runs; // by what the configuration comes to
    platform::config_sources sources;
    sources.files = files;
    sources.sets = with_core(sets);
    const platform::ssd_config config = platform::load(sources);
    const host::workload_config& w = config.workload;
    if (!w.trace.file.empty() || !w.fio.file.empty()) { // which may be other ones at the next call
        runs.clear();
    }
    const std::string key = platform::resolved_yaml(config);
    if (runs.size() == kept_runs) {
        runs.clear();
    }
    const double value = runs.try_emplace(key, files, sets).first->second.measure(measure);
    REQUIRE_FALSE(std::isnan(value));
    return value;
}

} // namespace ssdvp::test
