// SPDX-License-Identifier: Apache-2.0
#include "models/dram/bank_timing.h"

#include "models/dram/standards.h"

namespace ssdvp::dram {

namespace {

sim_time whole_clocks(sim_time t, sim_time clock)
{
    return (t.ps() + clock.ps() - 1) / clock.ps() * clock;
}

timing_figures on_grid(const timing_figures& raw, sim_time clock)
{
    timing_figures t;
    for (const figure_name& f : dram::figures()) {
        t.*f.member = whole_clocks(raw.*f.member, clock);
    }
    t.tREFI = raw.tREFI.ps() / clock.ps() * clock;
    return t;
}

} // namespace

bank_timing::bank_timing(const dram_config& config)
    : clock(clock_of(config.standard, config.transfers)), ways(ways_of(config.standard)),
      groups(table_of(config.standard).groups), sets(config.banks / ways), window(4 / ways)
{
    figures = on_grid(config.timing, clock);
    const timing_figures& t = figures;
    const standard_table& table = table_of(config.standard);
    burst = table.burst / table.per_clock * clock;
    const sim_time half = whole_clocks(sim_time((t.tCCD_L.ps() + ways - 1) / ways), clock);
    spacing = later(later(t.tCCD, burst), half);
    same_group = ways == 1 ? spacing : later(t.tCCD_L, spacing);
    read_to_write = later(t.tCL + burst + t.tRTW - t.tCWL, same_group);
    write_to_read = later(t.tCWL + burst + t.tWTR, same_group);
    second = ways == 1 ? sim_time() : t.tRRD;
    between_sets = ways == 1 ? t.tRRD : later(2 * t.tRRD, t.tRRD_L);
    least_open = later(t.tRAS, t.tRC - t.tRP) + second;
    read_to_close = t.tRTP;
    write_to_close = t.tCWL + burst + t.tWR;
    refresh = config.refresh_group * t.tRFC;
    refresh_period = config.refresh_group * t.tREFI;
    m_open_first = t.tRCD + (second - spacing);
    m_open_second = t.tRCD + second;
}

} // namespace ssdvp::dram
