// SPDX-License-Identifier: Apache-2.0
//
// The times of a part on the grid of its command clock, as the bank model needs them.
//
// Where a standard has bank groups, bursts to one group must be further apart (tCCD_L) than a burst
// lasts. So two banks of different groups are a set: they have the same row open and take turns
// burst by burst. Without groups a set is one bank.
#pragma once

#include <cstdint>

#include "models/dram/config.h"

namespace ssdvp::dram {

struct bank_timing {
    explicit bank_timing(const dram_config& config);

    timing_figures figures; // rounded up to whole clocks, tREFI down
    sim_time clock;
    sim_time burst; // of data on the bus

    std::uint32_t ways;   // banks of a set
    std::uint32_t groups; // of banks; 1 = none
    std::uint32_t sets;
    std::uint32_t window; // activations of sets that tFAW allows

    sim_time spacing;       // column command to the next one of a run
    sim_time same_group;    // ... to one of the same group
    sim_time read_to_write; // column commands
    sim_time write_to_read;
    sim_time second;        // ACT of a set's first bank to that of its second
    sim_time between_sets;  // ACT of a set to ACT of another
    sim_time least_open;    // ACT of a set to its PRE
    sim_time read_to_close; // column command to PRE
    sim_time write_to_close;
    sim_time refresh;        // all refreshes of a group
    sim_time refresh_period; // from the begin of one group to the next

    /// ACT of a set until a column command whose burst goes to bank `way` of the set.
    [[nodiscard]] sim_time open_for(std::uint32_t way) const
    {
        return way == 0 ? m_open_first : m_open_second;
    }
    [[nodiscard]] sim_time to_data(bool write) const { return write ? figures.tCWL : figures.tCL; }
    [[nodiscard]] sim_time to_close(bool write) const
    {
        return write ? write_to_close : read_to_close;
    }
    /// Group of bank `way` of a set.
    [[nodiscard]] std::uint32_t group_of(std::uint32_t set, std::uint32_t way) const
    {
        return groups == 1 ? 0 : set % (groups / 2) * 2 + way;
    }

private:
    sim_time m_open_first, m_open_second;
};

} // namespace ssdvp::dram
