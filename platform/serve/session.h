// SPDX-License-Identifier: Apache-2.0
//
// What takes the place of a workload: somebody outside the simulation uses the drive, from the
// moment it is up until it is shut down. An NBD server is one; a virtual machine's bus may be
// another.
#pragma once

#include <cstdint>
#include <functional>

#include "platform/ssd/ssd.h"

namespace ssdvp::platform {

/// Simulates for so long. False: the drive can go on no more, and a fault says why.
using advance_function = std::function<bool(sim_time)>;

struct session_counts {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    std::uint64_t lost = 0;
    std::uint64_t sectors_checked = 0; // of what the session reads, against what it wrote
    std::uint64_t mismatches = 0;      // of those; the first are faults of the drive
};

class session {
public:
    virtual ~session() = default;
    /// Before anything is built or written. Throws what main_command() calls bad input.
    virtual void check(const ssd_config& config) = 0;
    /// Before that: what it makes another of the drive.
    virtual void adapt(ssd_config& /*config*/) {}
    /// The drive is built and has no power yet: its cells may be filled. True: they were, by what
    /// another run left, so that there is nothing to precondition.
    virtual bool fill(ssd& drive) = 0;
    /// What it calls the sector at `lba` of the drive: preconditioning fills the sector so.
    [[nodiscard]] virtual std::uint64_t address_of(std::uint64_t lba) const { return lba; }
    /// Empty, or all that its addresses follow from.
    [[nodiscard]] virtual std::string addresses() const { return {}; }
    /// The drive is up: what comes before the measured part. False: there will be none.
    virtual bool prepare(ssd& /*drive*/, const advance_function& /*advance*/) { return true; }
    /// Becomes true, with the kernel paused, where `advance` shall return early.
    [[nodiscard]] virtual const bool& over() const
    {
        static constexpr bool never = false;
        return never;
    }
    /// The drive is up: serves until the end, or until `advance` fails.
    virtual void serve(ssd& drive, const advance_function& advance) = 0;
    /// The drive was shut down, or is dead.
    virtual void ended(ssd& drive) = 0;
    /// Requests that it gave the driver so far: of those, what is under way the driver knows.
    [[nodiscard]] virtual session_counts requests() const = 0;
    /// Asked to end, in an orderly way or not: bring-up is left early.
    [[nodiscard]] virtual bool asked_to_end() const = 0;
    /// Its end writes what clients were promised: it takes the time that this takes.
    [[nodiscard]] virtual bool ends_in_order() const { return false; }
    /// It was ended by Ctrl-C.
    [[nodiscard]] virtual bool interrupted() const = 0;
};

} // namespace ssdvp::platform
