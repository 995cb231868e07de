// SPDX-License-Identifier: Apache-2.0
//
// What the DRAM parts took from their supplies, from counts and times: docs/models/dram.md.
#pragma once

#include "models/dram/config.h"
#include "models/dram/stats.h"

namespace ssdvp::dram {

/// Joules, of all parts of the bus together.
struct dram_energy {
    double activate = 0.0; // ACT with its PRE, above standby
    double read = 0.0;     // bursts, above standby
    double write = 0.0;
    double refresh = 0.0;    // above precharge standby
    double background = 0.0; // standby, with and without open rows

    [[nodiscard]] double total() const { return activate + read + write + refresh + background; }
};

/// Energy of what `stats` counts in a time of `elapsed`: both of the measured part, or both since
/// the start. The model `bandwidth` knows no rows: it counts one activation per access, a refresh
/// per tREFI, and rows open while the bus is busy.
[[nodiscard]] dram_energy energy_of(const dram_config& config, const dram_stats& stats,
                                    sim_time elapsed);

} // namespace ssdvp::dram
