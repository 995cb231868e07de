// SPDX-License-Identifier: Apache-2.0
#include "platform/control/run_results.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <iostream>
#include <spdlog/spdlog.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "platform/config/derived.h"
#include "platform/control/beside_ideal.h"
#include "platform/control/exit_code.h"
#include "platform/control/memory_plan.h"
#include "platform/control/messages.h"
#include "platform/control/what_if.h"
#include "platform/report/bottleneck.h"
#include "platform/report/output.h"
#include "platform/report/summary_json.h"
#include "platform/report/text_summary.h"
#include "platform/report/validity.h"

namespace ssdvp::platform {

namespace {

// What signal handlers may touch.
std::atomic<bool> ctrl_c{false};
std::atomic<const char*> unfinished{nullptr}; // names, each with its 0; an empty one ends them

/// The first one lets the run end by itself, with a summary.
extern "C" void on_interrupt(int signal)
{
    if (ctrl_c.exchange(true)) {
        end_at_once(signal);
    }
}

int verdict(const simulation_result& r, const request_statistics& requests)
{
    if (!r.good()) {
        return EXIT_RUN_FAILED;
    }
    if (r.interrupted) {
        return EXIT_INTERRUPTED;
    }
    if (!r.measured.complete) {
        return EXIT_RUN_FAILED;
    }
    return failed_share(requests) > r.measured.drive.load.failed_limit ? EXIT_FAILING : EXIT_DONE;
}

/// Times that came after the end did nothing, which nobody could know before.
void name_unreached(const ssd_config& c, const simulation_result& r)
{
    const auto name = [](const char* key, std::size_t left, std::size_t all) {
        if (left != 0) {
            spdlog::warn("{}: {} of {} times come after the end of the run and had no effect", key,
                         left, all);
        }
    };
    if (!r.measured.complete) {
        return;
    }
    name(is_sata(c) ? "host.sata.reset_at" : "host.nvme.reset_at", r.unreached.resets,
         c.reset_at.size());
    name("power.cut.at", r.unreached.cuts, c.power.cut_at.size());
    name("power.shutdown.at", r.unreached.shutdowns, c.power.shutdown_at.size());
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

unfinished_files::unfinished_files(const std::vector<std::filesystem::path>& partial)
{
    for (const std::filesystem::path& p : partial) {
        m_names += p.string() + '\0'; // none is empty
    }
    unfinished = m_names.c_str();
}

unfinished_files::~unfinished_files()
{
    unfinished = nullptr;
}

extern "C" void end_at_once(int /*signal*/)
{
    for (const char* name = unfinished; name != nullptr && *name != '\0';
         name += std::strlen(name) + 1) {
        ::unlink(name);
    }
    ::_exit(EXIT_INTERRUPTED);
}

void losses::attempt(const std::function<void()>& write)
{
    try {
        write();
    } catch (const write_error& e) {
        tell_error(e.what());
        m_any = true;
    }
}

int losses::code(int otherwise) const
{
    return m_any ? EXIT_RUN_FAILED : otherwise;
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

simulation_result guarded_run(simulation& sim, const ssd_config& config, run_end end)
{
    const firmware_guard guard({&sim.drive()}, config.watchdog.hang, std::move(end));
    run_begins();
    return sim.run();
}

ssd_options checks_of(const command_line& line)
{
    ssd_options checks;
    checks.check_onfi = line.check_onfi;
    checks.check_dram = line.check_dram;
    checks.stop_on_fault = line.stop_on_fault;
    return checks;
}

void finish_sinks(sink_set& sinks, sink_results results, losses& lost)
{
    results.when = std::time(nullptr);
    for (report_sink* s : sinks.all()) {
        lost.attempt([&] { s->finish(results); });
    }
    std::cerr << sinks.text();
}

int write_results(const command_line& line, const finished_drive& d)
{
    losses lost;
    const simulation_result& r = d.result;
    measurement told = r.measured; // and what a second run adds
    const request_statistics& requests = d.sim.requests();
    finish_sinks(d.sinks,
                 {requests, d.config.workload, &d.sim.drive().host().workload(),
                  [&d] { return d.sim.drive().wear(); }},
                 lost);
    lost.attempt([&] {
        write_file_atomically(d.directory / "config.resolved.yaml", resolved_yaml(d.config));
    });
    if (line.beside_ideal && r.measured.complete && requests.requests() != 0) {
        lost.attempt([&] { told.ideal = beside_ideal(line, d.directory); });
    }
    const better_part better = line.what_if && requests.requests() != 0
                                   ? bottleneck_of(r.measured, requests).what_if
                                   : better_part();
    if (!better.key.empty()) {
        lost.attempt([&] { told.what_if = what_if(line, d.directory, better); });
    }
    lost.attempt([&] { write_summary(d.directory, summary_text(told, requests, r.violations)); });
    lost.attempt([&] {
        if (!r.unsaved.empty()) {
            throw write_error(r.unsaved);
        }
    });
    std::cout << text_summary(told, requests, r.violations, style_for(stdout));
    if (line.what_if && better.key.empty()) {
        std::cout << "\n  what if     no part of the drive limits it: nothing is tried\n";
    }
    if (!line.quiet) {
        std::cout << "\nresults in " << d.directory.string() << "\n";
    }
    std::cout.flush();
    name_unreached(d.config, r);
    const int code = verdict(r, requests);
    // What others send may be meant to fail.
    return lost.code(code == EXIT_FAILING && line.what != command::run ? EXIT_DONE : code);
}

} // namespace ssdvp::platform
