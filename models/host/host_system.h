// SPDX-License-Identifier: Apache-2.0
//
// The host as a whole: memory, NVMe driver, workload, shadow copy. Two sockets to the link.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/host/config.h"
#include "models/host/driver/driver.h"
#include "models/host/memory/memory.h"
#include "models/host/request.h"
#include "models/host/shadow/shadow.h"
#include "models/host/verifier/verifier.h"
#include "models/host/workload/runner.h"
#include "models/host/workload/trace.h"

namespace ssdvp::host {

/// What the host shares with the rest of the platform; the pointers may be null.
struct environment {
    latency_ledger* ledger = nullptr; // of driver::ledger_commands(driver_config) commands
    fault_log* faults = nullptr;
    request_observer* observer = nullptr;
    std::uint64_t seed = 1;
};

class host_system : public block {
public:
    tlm::tlm_initiator_socket<> to_link; // registers of the drive
    tlm::tlm_target_socket<> from_link;  // memory and interrupt messages

    /// Reads and checks a trace file: throws trace_error before anything runs.
    host_system(const sc_core::sc_module_name& name, const driver_config& drive,
                const workload_config& workload, const environment& env);

    /// Resets and initialises the controller; `done(ok)`, with a fault recorded when not ok.
    void start(driver::callback done);
    /// A reset of the controller. Precondition: nothing in flight.
    void restart(driver::callback done) { m_driver.restart(std::move(done)); }
    [[nodiscard]] bool ready() const { return m_driver.ready(); }
    /// Sectors, after ready().
    [[nodiscard]] std::uint64_t capacity() const { return m_driver.info().capacity; }

    /// Makes the sources and starts them. Precondition: ready(). Throws std::invalid_argument or
    /// trace_error when the workload does not fit the drive. `done`: all ended, all completed.
    void start_workload(const run_limits& limits, std::function<void()> done);
    /// Issues nothing more; `done` of start_workload follows when all in flight have completed.
    void stop() { m_runner.stop(); }
    /// The drive lost power, now: see driver::power_lost() and runner::pause().
    void power_lost();
    /// Gives up what is in flight, for a reset under load: see driver::abandon() and
    /// runner::pause().
    void abandon();
    /// After start() of a drive whose power came back. `everything`: all sectors ever written, else
    /// those that may hold one of several versions.
    void verify(bool everything, std::function<void()> done);
    [[nodiscard]] std::uint64_t verified_sectors() const { return m_verifier.sectors(); }
    /// When the first read of the last verify() completed; 0 = none did.
    [[nodiscard]] sim_time first_verified() const { return m_verifier.first_done(); }
    /// Precondition: nothing in flight.
    void shutdown(driver::callback done) { m_driver.shutdown(std::move(done)); }

    /// For other clients than the workload: submit as often as needed, then ring once.
    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie)
    {
        return m_driver.submit(req, data, client, cookie);
    }
    void ring() { m_driver.ring(); }

    memory& ram() { return m_memory; }
    driver& drive() { return m_driver; }
    runner& workload() { return m_runner; }
    [[nodiscard]] const runner& workload() const { return m_runner; }
    shadow& check() { return m_shadow; }
    /// Kernel activations of all parts.
    [[nodiscard]] std::uint64_t total_activations() const
    {
        return m_driver.activations() + m_runner.activations();
    }

private:
    workload_config m_workload;
    environment m_env;
    std::optional<trace_summary> m_trace;
    memory m_memory;
    shadow m_shadow;
    driver m_driver;
    runner m_runner;
    verifier m_verifier;
};

} // namespace ssdvp::host
