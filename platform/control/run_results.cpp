// SPDX-License-Identifier: Apache-2.0
#include "platform/control/run_results.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <iostream>

#include "platform/control/exit_code.h"
#include "platform/control/firmware_guard.h"
#include "platform/report/latency_csv.h"
#include "platform/report/output.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"

namespace ssdvp::platform {

namespace {

std::atomic<bool> ctrl_c{false}; // the one thing a signal handler may touch

/// The first one lets the run end by itself, with a summary; the next one ends the program.
extern "C" void on_interrupt(int signal)
{
    ctrl_c = true;
    std::signal(signal, SIG_DFL);
}

int verdict(const simulation_result& r)
{
    if (!r.good()) {
        return EXIT_RUN_FAILED;
    }
    if (r.interrupted) {
        return EXIT_INTERRUPTED;
    }
    return r.measured.complete ? EXIT_DONE : EXIT_RUN_FAILED;
}

} // namespace

void heed_interrupts()
{
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
}

bool interrupted()
{
    return ctrl_c.load();
}

std::filesystem::path output_directory(const command_line& line, const ssd_config& config)
{
    if (!line.out.empty()) {
        return line.out;
    }
    const std::time_t t = std::time(nullptr);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&t));
    return std::filesystem::path("out") / fmt::format("{}-{}", config.name, stamp);
}

simulation_result guarded_run(simulation& sim, const ssd_config& config)
{
    const firmware_guard guard({&sim.drive()}, config.watchdog.hang);
    return sim.run();
}

int write_results(const command_line& line, const std::filesystem::path& directory,
                  const ssd_config& config, const simulation& sim, const simulation_result& r)
{
    write_summary(directory, summary_text(r.measured, sim.requests(), r.violations));
    write_latencies(directory, sim.requests());
    write_file_atomically(directory / "config.resolved.yaml", resolved_yaml(config));
    std::cout << text_summary(r.measured, sim.requests(), r.violations, style_for(stdout));
    if (!line.quiet) {
        std::cout << "\nresults in " << directory.string() << "\n";
    }
    std::cout.flush();
    return verdict(r);
}

} // namespace ssdvp::platform
