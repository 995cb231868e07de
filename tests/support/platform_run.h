// SPDX-License-Identifier: Apache-2.0
//
// A whole run for tests: configuration by preset names and --set texts, checkers on every AT
// socket. One run per process, because SystemC elaborates once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/control/simulation.h"

namespace ssdvp::test {

struct platform_run {
    std::unique_ptr<platform::loaded_firmware> firmware;
    std::unique_ptr<platform::report_sink> told;
    std::unique_ptr<platform::simulation> sim;
    platform::simulation_result result;

    [[nodiscard]] const platform::kind_statistics& reads() const
    {
        return sim->requests().kind(host::request_kind::read);
    }
    [[nodiscard]] const platform::kind_statistics& writes() const
    {
        return sim->requests().kind(host::request_kind::write);
    }
    [[nodiscard]] const platform::counters& measured() const { return result.measured.measured; }
    /// Host bytes per second of the measured part, reads and writes.
    [[nodiscard]] double bytes_per_second() const
    {
        return static_cast<double>(reads().bytes + writes().bytes) * 1e12 /
               static_cast<double>(measured().when.ps());
    }
};

struct run_options {
    bool check_protocol = true;
    host::request_observer* log = nullptr;
    std::uint64_t stop_after = UINT64_MAX; // requests, of the warm-up too: as Ctrl-C would
};

/// Runs and fails the test on faults, violated identities, mismatches or an incomplete run.
platform_run run(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                 const run_options& options = {});

/// A run that is stopped early, with all that it says of itself in order.
platform_run run_stopped(const std::vector<std::string>& files,
                         const std::vector<std::string>& sets, std::uint64_t stop_after);

/// A run that has to fail.
platform_run run_failing(const std::vector<std::string>& files,
                         const std::vector<std::string>& sets, const run_options& options = {});

using measure_fn = double (*)(const platform_run&);

/// As run(), in a child process; returns what `measure` makes of it. For tests that compare runs:
/// one that was measured before is not made again.
double measure_apart(const std::vector<std::string>& files, const std::vector<std::string>& sets,
                     measure_fn measure);

} // namespace ssdvp::test
