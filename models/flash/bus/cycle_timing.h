// SPDX-License-Identifier: Apache-2.0
//
// How long an ONFI cycle group lasts (docs/models/onfi_bus.md, Timing): pure functions over one row
// of data-sheet constants. The bus uses them to time groups, the controller to plan ahead.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "models/flash/bus/interface_modes.h"
#include "models/flash/config.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// When the parts of a cycle group happen, counted from its first cycle.
struct group_times {
    sim_time addressed; // last command or address cycle before the data
    sim_time data_begin;
    sim_time data_end;
    sim_time end;               // last cycle; without data all four are the same
    std::uint32_t cycles = 0;   // command and address cycles before the data
    std::uint32_t confirms = 0; // command cycles after the data: 0 or 1
};

class cycle_timing {
public:
    /// Constants of `config.mode`. Throws std::invalid_argument when a DDR mode has no rate.
    explicit cycle_timing(const bus_config& config);
    /// Constants of the caller's choice; DDR when `transfer_rate` or tCK is not zero.
    cycle_timing(const cycle_times& times, rate transfer_rate);

    [[nodiscard]] const cycle_times& times() const { return m_times; }
    [[nodiscard]] bus_family family() const { return m_family; }
    /// A DDR data cycle, of a rate that has no exact one rounded down to a picosecond.
    [[nodiscard]] sim_time tCK() const;
    /// The same part with another tADL: older ONFI revisions allow 70..200 ns.
    [[nodiscard]] cycle_timing with_tADL(sim_time tADL) const;

    /// `bytes` data cycles in one direction.
    [[nodiscard]] sim_time data(std::uint64_t bytes, bool in) const;
    /// The cycles of a group that moves `bytes` data bytes.
    [[nodiscard]] group_times expand(const onfi::extension& g, std::uint64_t bytes) const;
    /// First to last cycle of it.
    [[nodiscard]] sim_time group(const onfi::extension& g, std::uint64_t bytes) const
    {
        return expand(g, bytes).end;
    }
    /// Does the group begin with a command cycle (and so wait for tRHW)?
    [[nodiscard]] static bool has_command(const onfi::extension& g)
    {
        return g.first != onfi::NO_COMMAND;
    }

private:
    [[nodiscard]] sim_time before_data(const onfi::extension& g) const;

    cycle_times m_times;
    rate m_rate;
    bus_family m_family;
};

} // namespace ssdvp::flash
