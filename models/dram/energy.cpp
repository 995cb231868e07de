// SPDX-License-Identifier: Apache-2.0
#include "models/dram/energy.h"

#include "models/dram/standards.h"

namespace ssdvp::dram {

namespace {

double seconds(sim_time t)
{
    return static_cast<double>(t.ps()) * 1e-12;
}

/// What happened, in the units of the formulas.
struct events {
    double activates;
    double bursts_read;
    double bursts_written;
    double refreshes;
    double open; // seconds
};

events events_of(const dram_config& config, const dram_stats& s, sim_time elapsed,
                 const timing_figures& timing)
{
    if (config.model == dram_model::bank) {
        return {static_cast<double>(s.activates), static_cast<double>(s.bursts_read),
                static_cast<double>(s.bursts_written), static_cast<double>(s.refreshes),
                seconds(s.open)};
    }
    const double burst = burst_of(config.standard, config.width);
    return {static_cast<double>(s.accesses) * ways_of(config.standard),
            static_cast<double>(s.bytes_read) / burst, static_cast<double>(s.bytes_written) / burst,
            seconds(elapsed) / seconds(timing.tREFI), seconds(s.busy)};
}

} // namespace

// JESD79-4 appendix of IDD definitions, and the usual sums over them: an ACT-PRE pair is what a
// bank that cycles with tRC takes above standby, a burst what a bus of gapless bursts takes above
// active standby, a refresh what REF each tRFC takes above precharge standby.
dram_energy energy_of(const dram_config& config, const dram_stats& stats, sim_time elapsed)
{
    const standard_table& table = table_of(config.standard);
    const timing_figures timing = config.model == dram_model::bank
                                      ? config.timing
                                      : timing_of(config.standard, config.transfers);
    const events n = events_of(config, stats, elapsed, timing);
    const double burst = seconds(time_for(table.burst, table.currents_at));
    const double tRC = seconds(timing.tRC);
    const double tRAS = seconds(timing.tRAS);
    const double parts = static_cast<double>(config.width) / table.part_width;
    const double open = n.open < seconds(elapsed) ? n.open : seconds(elapsed);
    dram_energy e;
    for (const supply& s : table.supplies) {
        const double V = s.volts * parts;
        e.activate += n.activates * V * (s.IDD0 * tRC - s.IDD3N * tRAS - s.IDD2N * (tRC - tRAS));
        e.read += n.bursts_read * V * (s.IDD4R - s.IDD3N) * burst;
        e.write += n.bursts_written * V * (s.IDD4W - s.IDD3N) * burst;
        e.refresh += n.refreshes * V * (s.IDD5B - s.IDD2N) * seconds(timing.tRFC);
        e.background += V * (s.IDD3N * open + s.IDD2N * (seconds(elapsed) - open));
    }
    return e;
}

} // namespace ssdvp::dram
