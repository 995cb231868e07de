// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/cycle_timing.h"

#include <stdexcept>

namespace ssdvp::flash {

namespace {

constexpr std::uint64_t mega = 1000 * 1000;

/// The named mode of this rate; else the constants of the next faster mode and no exact cycle.
cycle_times times_of(data_interface i, rate r)
{
    cycle_times next{};
    for (const interface_mode& m : interface_modes) {
        if (m.interface != i) {
            continue;
        }
        next = m.times;
        if (family_of(i) == bus_family::sdr || r.per_second() <= m.mega_transfers * mega) {
            break;
        }
    }
    for (const interface_mode& m : interface_modes) {
        const bool whole = r.per_second() % mega == 0;
        if (m.interface == i && whole && names(r.per_second() / mega, m)) {
            return m.times;
        }
    }
    next.tCK = sim_time();
    return next;
}

} // namespace

cycle_timing::cycle_timing(const bus_config& config)
    : m_times(times_of(config.mode, config.transfer_rate)), m_rate(config.transfer_rate),
      m_family(family_of(config.mode))
{
    if (m_family != bus_family::sdr && m_rate.per_second() == 0) {
        throw std::invalid_argument("a DDR data interface needs a transfer rate");
    }
}

cycle_timing::cycle_timing(const cycle_times& times, rate transfer_rate)
    : m_times(times), m_rate(transfer_rate),
      m_family(transfer_rate.per_second() != 0 || times.tCK != sim_time() ? bus_family::nv_ddr2
                                                                          : bus_family::sdr)
{}

sim_time cycle_timing::tCK() const
{
    constexpr std::uint64_t two_transfers = 2 * mega * mega; // ps
    if (m_family == bus_family::sdr || m_times.tCK != sim_time()) {
        return m_times.tCK;
    }
    return sim_time(two_transfers / m_rate.per_second());
}

cycle_timing cycle_timing::with_tADL(sim_time tADL) const
{
    cycle_timing other = *this;
    other.m_times.tADL = tADL;
    return other;
}

sim_time cycle_timing::data(std::uint64_t bytes, bool in) const
{
    if (m_family == bus_family::sdr) {
        return bytes * (in ? m_times.tWC : m_times.tRC);
    }
    const std::uint64_t cycles = (bytes + 1) / 2;
    return m_times.tCK != sim_time() ? cycles * m_times.tCK : time_for(cycles * 2, m_rate);
}

sim_time cycle_timing::before_data(const onfi::extension& g) const
{
    if (g.data_in) {
        const bool column = g.first == onfi::CHANGE_WRITE_COLUMN && g.row_cycles == 0;
        return column ? m_times.tCCS : m_times.tADL;
    }
    if (g.first == onfi::STATUS || g.first == onfi::STATUS_ENHANCED || g.first == onfi::READ_ID) {
        return m_times.tWHR;
    }
    return g.second == onfi::CHANGE_READ_COLUMN_2 ? m_times.tCCS : m_times.tRR;
}

group_times cycle_timing::expand(const onfi::extension& g, std::uint64_t bytes) const
{
    group_times t;
    const bool confirmed = g.second != onfi::NO_COMMAND;
    t.cycles = std::uint32_t{g.column_cycles} + g.row_cycles;
    t.cycles += g.first != onfi::NO_COMMAND ? 1 : 0;
    // 10h and its like follow the data, 30h and E0h come before them.
    t.confirms = g.data_in && confirmed ? 1 : 0;
    t.cycles += confirmed && !g.data_in ? 1 : 0;
    t.addressed = t.data_begin = t.data_end = t.cycles * m_times.tWC;
    if (g.data_in || g.data_out) {
        t.data_begin = t.addressed + before_data(g);
        t.data_end = t.data_begin + data(bytes, g.data_in);
    }
    t.end = t.data_end + t.confirms * m_times.tWC;
    return t;
}

} // namespace ssdvp::flash
