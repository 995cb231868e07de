// SPDX-License-Identifier: Apache-2.0
//
// Firmware that does not get anywhere is told from firmware that waits: by what the drive did for
// the host. The run then ends with the place where firmware stands.
//
// What fails is no progress, however often it is tried. What can be done again and again without
// an end (a page is read, data are moved) is progress for a while: until the host, too, would have
// given up.
//
// Not all time without progress counts. A drive without power has none, and starts anew with it. A
// computation between two waits ends by itself, however long it takes (if it did not, simulated
// time would stand still, which cpu.hang_limit is for); one of them counts as a tenth of the limit
// at most, so that only a loop of them looks stuck.
#pragma once

#include <string>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

class watchdog {
public:
    /// `limit`: simulated time without progress; 0 = never.
    watchdog(ssd& drive, sim_time limit) : m_drive(drive), m_limit(limit) {}

    /// Between two slices of simulated time. True: no firmware runs, or the host's driver has given
    /// the drive up; there is no point in going on.
    [[nodiscard]] bool look();
    /// The run was asked to end, and its time is up. Tells before what each core does.
    [[nodiscard]] bool must_end();
    /// No event is left that could wake firmware, and somebody waits: it ends at once.
    void nothing_left();

private:
    [[nodiscard]] bool gets_on();
    [[nodiscard]] bool patient() const;
    [[nodiscard]] bool host_waits() const;
    [[nodiscard]] bool given_up() const;
    [[nodiscard]] std::string who_waits() const;
    /// Firmware panics as soon as time goes on, with its call stack. True: it does not run, which
    /// is a fault of its own.
    [[nodiscard]] cpu::native_core* suspect() const;
    bool stop(const std::string& why);
    void restart();
    /// Time since the last look that counts.
    [[nodiscard]] sim_time passed();

    ssd& m_drive;
    sim_time m_limit;
    drive_progress m_seen; // at the last progress
    sim_time m_lasting;    // of the last progress that does not pass
    sim_time m_since;      // of the last progress
    sim_time m_looked;     // at
    sim_time m_idle;       // time since then that counts
    sim_time m_busy_until; // end of the computation under way at the last look
    sim_time m_computed;   // of it, counted
    std::string m_why;     // outlives the panic
    bool m_told = false;   // what each core does
};

} // namespace ssdvp::platform
