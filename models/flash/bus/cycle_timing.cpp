// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/cycle_timing.h"

#include <array>
#include <stdexcept>

namespace ssdvp::flash {

namespace {

using namespace literals;

// ALGORITHMS.md 8.1 (tWC, tRC) and 8.3, one row per data_interface, in its order. SDR 2 and 4 are
// not printed in 8.3; their neighbours agree. NV-DDR command cycles take tCAD (45 ns, slow);
// NV-DDR2/3 command cycles use WE# with tWC, their constants are the row "NV-DDR2" of 8.3.
constexpr std::array<cycle_times, 9> mode_table = {{
    // tWC  tRC    tCK   tWB     tRR    tADL    tWHR    tRHW    tCCS
    {100_ns, 100_ns, 0_ps, 200_ns, 40_ns, 400_ns, 120_ns, 200_ns, 500_ns}, // sdr0
    {45_ns, 50_ns, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},    // sdr1
    {35_ns, 35_ns, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},    // sdr2
    {30_ns, 30_ns, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},    // sdr3
    {25_ns, 25_ns, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},    // sdr4
    {20_ns, 20_ns, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},    // sdr5
    {45_ns, 0_ps, 0_ps, 100_ns, 20_ns, 400_ns, 80_ns, 100_ns, 500_ns},     // nv_ddr
    {25_ns, 0_ps, 0_ps, 100_ns, 20_ns, 70_ns, 80_ns, 100_ns, 300_ns},      // nv_ddr2
    {25_ns, 0_ps, 0_ps, 100_ns, 20_ns, 70_ns, 80_ns, 100_ns, 300_ns},      // nv_ddr3
}};

struct named_rate {
    std::uint64_t mega_transfers;
    sim_time tCK;
};

// Names of timing modes: "667 MT/s" is a cycle of exactly 3 ns. A rate that is not a name here is
// taken as it is.
constexpr std::array<named_rate, 14> rate_names = {{{40, 50_ns},
                                                    {67, 30_ns},
                                                    {80, 25_ns},
                                                    {100, 20_ns},
                                                    {133, 15_ns},
                                                    {166, 12_ns},
                                                    {167, 12_ns},
                                                    {200, 10_ns},
                                                    {267, 7500_ps},
                                                    {333, 6_ns},
                                                    {400, 5_ns},
                                                    {533, 3750_ps},
                                                    {667, 3_ns},
                                                    {800, 2500_ps}}};

sim_time cycle_of(rate r)
{
    for (const named_rate& n : rate_names) {
        if (r.per_second() == n.mega_transfers * 1000 * 1000) {
            return n.tCK;
        }
    }
    return sim_time();
}

} // namespace

cycle_timing::cycle_timing(const bus_config& config)
    : m_times(mode_table.at(static_cast<std::size_t>(config.mode))), m_rate(config.transfer_rate),
      m_ddr(config.mode >= data_interface::nv_ddr)
{
    if (m_ddr && m_rate.per_second() == 0) {
        throw std::invalid_argument("a DDR data interface needs a transfer rate");
    }
    if (m_ddr) {
        m_times.tCK = cycle_of(m_rate);
    }
}

cycle_timing::cycle_timing(const cycle_times& times, rate transfer_rate)
    : m_times(times), m_rate(transfer_rate),
      m_ddr(transfer_rate.per_second() != 0 || times.tCK != sim_time())
{}

cycle_timing cycle_timing::with_tADL(sim_time tADL) const
{
    cycle_timing other = *this;
    other.m_times.tADL = tADL;
    return other;
}

sim_time cycle_timing::data(std::uint64_t bytes, bool in) const
{
    if (!m_ddr) {
        return bytes * (in ? m_times.tWC : m_times.tRC);
    }
    const std::uint64_t cycles = (bytes + 1) / 2;
    return m_times.tCK != sim_time() ? cycles * m_times.tCK : time_for(cycles * 2, m_rate);
}

sim_time cycle_timing::before_data(const onfi::extension& g) const
{
    if (g.data_in) {
        return m_times.tADL;
    }
    if (g.first == onfi::STATUS || g.first == onfi::STATUS_ENHANCED) {
        return m_times.tWHR;
    }
    return g.second == onfi::CHANGE_READ_COLUMN_2 ? m_times.tCCS : m_times.tRR;
}

sim_time cycle_timing::group(const onfi::extension& g, std::uint64_t bytes) const
{
    std::uint64_t cycles = g.column_cycles + std::uint64_t{g.row_cycles};
    cycles += g.first != onfi::NO_COMMAND ? 1 : 0;
    cycles += g.second != onfi::NO_COMMAND ? 1 : 0;
    sim_time length = cycles * m_times.tWC;
    if (g.data_in || g.data_out) {
        length += before_data(g) + data(bytes, g.data_in);
    }
    return length;
}

} // namespace ssdvp::flash
