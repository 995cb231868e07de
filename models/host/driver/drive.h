// SPDX-License-Identifier: Apache-2.0
//
// A drive as workload and verifier see it, whatever the interface: requests in, results out.
#pragma once

#include <cstdint>
#include <functional>

#include "models/common/fault_log.h"
#include "models/common/latency_ledger.h"
#include "models/host/driver/bring_up.h"
#include "models/host/driver/request_target.h"
#include "models/host/request.h"
#include "models/host/shadow/shadow.h"

namespace ssdvp::host {

/// Of the run, shared with the rest of the platform; any may be null.
struct driver_links {
    latency_ledger* ledger = nullptr; // of host_system::ledger_commands() commands
    fault_log* faults = nullptr;
    request_observer* observer = nullptr;
    shadow* check = nullptr;
};

/// What the drivers of all interfaces do.
class drive : public request_target {
public:
    using callback = std::function<void(bool ok)>;

    /// Resets and initialises the drive. On failure a fault says why.
    virtual void start(callback done) = 0;
    /// The same with a drive that serves. Precondition: idle().
    virtual void restart(callback done) = 0;
    /// Tells the drive that its power will go. Precondition: idle().
    virtual void shutdown(callback done) = 0;
    /// The drive lost power, now: requests without a completion are lost. The next thing to do is
    /// start().
    virtual void power_lost() = 0;
    /// Gives up whatever is in flight, as before a reset of a drive that is not idle: the drive may
    /// still act on it until the reset has reached it. The next thing to do is start().
    virtual void abandon() = 0;
    [[nodiscard]] virtual bool ready() const = 0;
    /// It waits for the drive to come up or to shut down.
    [[nodiscard]] virtual bool in_sequence() const = 0;
    [[nodiscard]] virtual const drive_info& info() const = 0;

    /// Takes a request, or returns false when too many wait already. `data`: null = the shadow copy
    /// gives and checks the data; else sectors * 512 bytes that stay valid until on_done and pass
    /// by the shadow copy. Precondition: ready(), sectors > 0 but for flush.
    bool submit(const request& req, unsigned char* data, request_client& client,
                std::uint64_t cookie) override = 0;
    /// From now on requests are the host's own business, which observers do not hear of and no
    /// statistics count. Precondition: idle().
    virtual void set_private(bool on) = 0;
    /// Tells the drive of what was submitted. Not needed in on_batch_end.
    void ring() override = 0;

    [[nodiscard]] virtual bool accepts() const = 0;
    [[nodiscard]] virtual std::uint64_t in_flight() const = 0; // requests
    [[nodiscard]] bool idle() const { return in_flight() == 0; }
    [[nodiscard]] virtual std::uint64_t completed() const = 0; // requests
    [[nodiscard]] virtual std::uint64_t lost() const = 0;      // to power cuts
    [[nodiscard]] virtual std::uint64_t commands() const = 0;
    [[nodiscard]] virtual std::uint64_t doorbells() const = 0;
};

} // namespace ssdvp::host
