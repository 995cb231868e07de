// SPDX-License-Identifier: Apache-2.0
//
// Firmware that does not get anywhere is told from firmware that waits: by what the drive did for
// the host. The run then ends with the place where firmware stands.
#pragma once

#include <string>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class watchdog {
public:
    /// `limit`: simulated time without progress; 0 = never.
    watchdog(ssd& drive, sim_time limit) : m_drive(drive), m_limit(limit) {}

    /// Between two slices of simulated time. True: no firmware runs, there is no point in going on.
    [[nodiscard]] bool look();
    /// No event is left that could wake firmware, and somebody waits: it ends at once.
    void nothing_left();

private:
    [[nodiscard]] bool host_waits() const;
    [[nodiscard]] std::string who_waits() const;
    /// Firmware panics as soon as time goes on, with its call stack. True: it does not run, which
    /// is a fault of its own.
    [[nodiscard]] cpu::native_core* suspect() const;
    bool stop(const std::string& why);

    ssd& m_drive;
    sim_time m_limit;
    std::uint64_t m_progress = 0;
    sim_time m_since;
    std::string m_why; // outlives the panic
};

} // namespace ssdvp::platform
