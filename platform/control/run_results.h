// SPDX-License-Identifier: Apache-2.0
//
// What all commands share that run a drive: Ctrl-C, the folder for results, results and exit code.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/control/cli.h"
#include "platform/control/firmware_guard.h"
#include "platform/control/simulation.h"
#include "platform/report/sinks/sink_set.h"

namespace ssdvp::platform {

/// From now on the first SIGINT or SIGTERM is noted; the next one ends the program by
/// end_at_once().
void heed_interrupts();
/// One came.
[[nodiscard]] bool interrupted();
/// Files under the names that they have until they are whole, for end_at_once(). One at a time.
class unfinished_files {
public:
    explicit unfinished_files(const std::vector<std::filesystem::path>& partial);
    ~unfinished_files();
    unfinished_files(const unfinished_files&) = delete;
    unfinished_files& operator=(const unfinished_files&) = delete;

private:
    std::string m_names; // each with its 0
};
/// Removes them and exits with EXIT_INTERRUPTED, from within a signal handler: what has its name is
/// whole.
extern "C" void end_at_once(int signal);

/// What one output loses is no reason to lose the others: each loss is told on stderr, and the run
/// has failed.
class losses {
public:
    void attempt(const std::function<void()>& write);
    [[nodiscard]] int code(int otherwise) const;

private:
    bool m_any = false;
};

/// --out, else out/<configuration>-<time>.
[[nodiscard]] std::filesystem::path output_directory(const command_line& line,
                                                     const ssd_config& config);

/// The checkers that the command line asks for.
[[nodiscard]] ssd_options checks_of(const command_line& line);

/// Runs it, with errors of native firmware turned into panics, and to the end that is asked for.
[[nodiscard]] simulation_result guarded_run(simulation& sim, const ssd_config& config, run_end end);

/// Ends the reports, each with what it lost.
void finish_sinks(sink_set& sinks, sink_results results, losses& lost);

/// A drive whose run is over.
struct finished_drive {
    const std::filesystem::path& directory;
    const ssd_config& config;
    sink_set& sinks;
    simulation& sim;
    const simulation_result& result;
};

/// Writes the files, prints the summary, and returns the exit code.
int write_results(const command_line& line, const finished_drive& d);

} // namespace ssdvp::platform
