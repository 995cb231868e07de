// SPDX-License-Identifier: Apache-2.0
//
// How long an ONFI cycle group lasts (ALGORITHMS.md section 8): pure functions over one row of
// data-sheet constants. The bus uses them to time groups, the controller to plan ahead.
#pragma once

#include <cstdint>

#include "models/common/time.h"
#include "models/flash/config.h"
#include "models/protocols/onfi.h"

namespace ssdvp::flash {

/// Constants of one data interface mode, by their data-sheet names.
struct cycle_times {
    sim_time tWC;  // one command, address or SDR data-in cycle
    sim_time tRC;  // one SDR data-out cycle
    sim_time tCK;  // DDR data cycle (two bytes); 0 = from the transfer rate
    sim_time tWB;  // last cycle -> R/B# low
    sim_time tRR;  // R/B# high -> first data-out cycle
    sim_time tADL; // address -> first data-in cycle
    sim_time tWHR; // status command -> status byte
    sim_time tRHW; // last data-out cycle -> next command cycle
    sim_time tCCS; // change column -> first data-out cycle
};

class cycle_timing {
public:
    /// Constants of `config.mode`. Throws std::invalid_argument when a DDR mode has no rate.
    explicit cycle_timing(const bus_config& config);
    /// Constants of the caller's choice; DDR when `transfer_rate` or tCK is not zero.
    cycle_timing(const cycle_times& times, rate transfer_rate);

    [[nodiscard]] const cycle_times& times() const { return m_times; }
    /// The same part with another tADL: older ONFI revisions allow 70..200 ns.
    [[nodiscard]] cycle_timing with_tADL(sim_time tADL) const;

    /// `bytes` data cycles in one direction.
    [[nodiscard]] sim_time data(std::uint64_t bytes, bool in) const;
    /// First to last cycle of a group that moves `bytes` data bytes.
    [[nodiscard]] sim_time group(const onfi::extension& g, std::uint64_t bytes) const;
    /// Does the group begin with a command cycle (and so wait for tRHW)?
    [[nodiscard]] static bool has_command(const onfi::extension& g)
    {
        return g.first != onfi::NO_COMMAND;
    }

private:
    [[nodiscard]] sim_time before_data(const onfi::extension& g) const;

    cycle_times m_times;
    rate m_rate;
    bool m_ddr;
};

} // namespace ssdvp::flash
