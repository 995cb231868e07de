// SPDX-License-Identifier: Apache-2.0
//
// The host as a whole: memory, driver, workload, shadow copy. With NVMe two sockets to the PCIe
// link; with SATA an AHCI adapter whose port goes to the SATA link.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/block.h"
#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/host/ahci/hba.h"
#include "models/host/config.h"
#include "models/host/driver/ahci_driver.h"
#include "models/host/driver/driver.h"
#include "models/host/guest/guest_driver.h"
#include "models/host/memory/memory.h"
#include "models/host/request.h"
#include "models/host/shadow/shadow.h"
#include "models/host/verifier/verifier.h"
#include "models/host/workload/runner.h"
#include "models/host/workload/trace.h"

namespace ssdvp::host {

/// What the host shares with the rest of the platform; the pointers may be null.
struct environment {
    latency_ledger* ledger = nullptr; // of host_system::ledger_commands() commands
    fault_log* faults = nullptr;
    request_observer* observer = nullptr;
    std::uint64_t seed = 1;
    std::uint64_t sectors = 0; // of the drive as it is made, for a trace; 0 = not known
};

class host_system : public block {
public:
    // With interface_kind::nvme:
    std::optional<tlm::tlm_initiator_socket<>> to_link; // registers of the drive
    std::optional<tlm::tlm_target_socket<>> from_link;  // memory and interrupt messages

    /// Reads and checks a trace file: throws trace_error before anything runs.
    host_system(const sc_core::sc_module_name& name, const driver_config& drive,
                const workload_config& workload, const environment& env);
    ~host_system() override;

    /// Commands that the ledger must hold.
    static std::size_t ledger_commands(const driver_config& config);

    /// Resets and initialises the controller; `done(ok)`, with a fault recorded when not ok.
    void start(host::drive::callback done);
    /// A reset of the controller. Precondition: nothing in flight.
    void restart(host::drive::callback done) { m_drive->restart(std::move(done)); }
    [[nodiscard]] bool ready() const { return m_drive->ready(); }
    /// Sectors, after ready().
    [[nodiscard]] std::uint64_t capacity() const { return m_drive->info().capacity; }

    using sources = std::vector<std::unique_ptr<source>>;
    /// Of the workload. Precondition: ready(). Throws std::invalid_argument or trace_error when it
    /// does not fit the drive.
    [[nodiscard]] sources make_sources();
    /// Starts them. Precondition: ready(). `done`: all ended, all completed.
    void start_workload(sources from, const run_limits& limits, std::function<void()> done);
    void start_workload(const run_limits& limits, std::function<void()> done)
    {
        start_workload(make_sources(), limits, std::move(done));
    }
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
    void shutdown(host::drive::callback done) { m_drive->shutdown(std::move(done)); }

    /// For other clients than the workload: submit as often as needed, then ring once.
    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie)
    {
        return m_drive->submit(req, data, client, cookie);
    }
    void ring() { m_drive->ring(); }

    memory& ram() { return m_memory; }
    /// With interface_kind::sata: link, and attach() it to the link.
    [[nodiscard]] ahci::hba& adapter() { return *m_adapter; }
    [[nodiscard]] ahci_driver& sata_driver() { return *m_ahci; }
    /// With driver_config::guest.
    [[nodiscard]] guest_driver& guest() { return *m_guest; }
    host::drive& drive() { return *m_drive; }
    runner& workload() { return m_runner; }
    [[nodiscard]] const runner& workload() const { return m_runner; }
    shadow& check() { return m_shadow; }
    /// Of a workload that is a trace.
    [[nodiscard]] const std::optional<trace_summary>& replayed() const { return m_trace; }
    /// Kernel activations of all parts.
    [[nodiscard]] std::uint64_t total_activations() const
    {
        return m_runner.activations() + (m_nvme ? m_nvme->activations() : 0) +
               (m_ahci ? m_ahci->activations() : 0) + (m_adapter ? m_adapter->activations() : 0);
    }

private:
    host::drive* make_driver(const driver_config& config);
    template <typename Mmio>
    void connect(Mmio& mmio, tlm::tlm_target_socket<>& to);

    workload_config m_workload;
    environment m_env;
    std::optional<trace_summary> m_trace;
    memory m_memory;
    shadow m_shadow;
    std::unique_ptr<driver> m_nvme;
    std::unique_ptr<ahci::hba> m_adapter;
    std::unique_ptr<ahci_driver> m_ahci;
    std::unique_ptr<guest_driver> m_guest;
    std::optional<tlm_utils::simple_initiator_socket<host_system>> m_nobody; // a guest has memory
    host::drive* m_drive;                                                    // one of the three
    runner m_runner;
    verifier m_verifier;
};

} // namespace ssdvp::host
