// SPDX-License-Identifier: Apache-2.0
//
// One run of one drive: bring-up, preconditioning, warm-up, the measured part, shutdown. Several
// run at once in lockstep.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/control/lockstep.h"
#include "platform/control/power_schedule.h"
#include "platform/report/measurement.h"
#include "platform/report/request_statistics.h"
#include "platform/report/sinks/sink.h"
#include "platform/serve/session.h"
#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class kept_states;
struct ssd_config;

struct simulation_hooks {
    std::function<bool()> interrupted = [] { return false; }; // Ctrl-C? asked between slices
    std::function<void(sim_time, std::uint64_t)> progress; // simulated time, requests done so far
    std::function<void(const char* phase, double share)> phase; // what is going on outside the run
    std::vector<report_sink*> sinks;                            // hear of the measured part
    session* instead = nullptr;                                 // of the workload
    kept_states* states = nullptr; // where a preconditioned drive comes from; null: it is made
    lockstep* together = nullptr;  // with other drives; null: it has the kernel for itself
    std::string name = "ssd";      // of the top module
    std::size_t processes = 1;     // that windows of run.sampling may take at a time
    std::vector<std::pair<std::string, std::string>> overrides; // for the report
};

struct simulation_result {
    measurement measured;
    std::vector<std::string> violations; // identities that do not hold
    power_schedule::unreached unreached; // times of power and resets after the end
    bool interrupted = false;
    std::string unsaved; // why the state was not kept at the end; empty: it was, or was not to be
    [[nodiscard]] bool good() const;
};

class simulation {
public:
    simulation(const ssd_config& config, const loaded_firmware& firmware,
               const simulation_hooks& hooks, const ssd_options& options = {});
    ~simulation();

    /// Runs everything. Once per process: SystemC elaborates once. Of several drives, all are made
    /// before the first one runs.
    simulation_result run();

    [[nodiscard]] const request_statistics& requests() const;
    [[nodiscard]] ssd& drive();
    [[nodiscard]] double precondition_seconds() const;
    [[nodiscard]] std::uint64_t preconditioned_pages() const;

private:
    class state;
    std::unique_ptr<state> m_state;
};

} // namespace ssdvp::platform
