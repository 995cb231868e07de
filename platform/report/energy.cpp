// SPDX-License-Identifier: Apache-2.0
#include "platform/report/energy.h"

#include <cmath>

namespace ssdvp::platform {

namespace {

constexpr std::uint32_t whole_share = 1000000; // of shares in millionths

/// 1 uW x 1 ps = 1e-18 J.
uint128 of_power(std::uint64_t microwatts, uint128 ps)
{
    return ps * microwatts * 1000 * whole_share;
}

/// 1 uA x 1 mV x 1 ps = 1e-21 J.
uint128 of_current(const energy_figures& f, std::uint32_t microamperes, uint128 ps)
{
    return ps * microamperes * f.voltage_mv * whole_share;
}

/// The first plane draws all of the current, each further one a share of it.
uint128 array_energy(const energy_figures& f, std::size_t use, uint128 time_ps, uint128 planes_ps)
{
    const auto share = static_cast<std::uint32_t>(std::llround(f.extra_plane * whole_share));
    const uint128 further = planes_ps > time_ps ? planes_ps - time_ps : 0;
    return (time_ps * whole_share + further * share) * f.array_ua[use] * f.voltage_mv;
}

std::array<uint128, 5> of_dram(const counters& measured)
{
    const dram_joules d = measured.dram_energy.value_or(dram_joules{});
    std::array<uint128, 5> e{};
    std::size_t i = 0;
    for (const double joule : {d.activate, d.read, d.write, d.refresh, d.background}) {
        e[i++] = static_cast<uint128>(joule * 1e27);
    }
    return e;
}

sim_time rest(sim_time elapsed, sim_time busy)
{
    return elapsed - busy;
}

} // namespace

energy_parts energy_of(const measurement& m)
{
    return energy_of(m.energy, m.measured);
}

energy_parts energy_of(const energy_figures& f, const counters& measured)
{
    std::array<uint128, 3> time{};
    std::array<uint128, 3> planes{};
    uint128 idle = 0;
    uint128 bus = 0;
    for (const channel_statistics& channel : measured.channels) {
        bus += channel.busy.ps();
        for (const lun_statistics& lun : channel.luns) {
            idle += rest(measured.when, lun.busy).ps();
            for (std::size_t use = 0; use < time.size(); ++use) {
                time[use] += lun.arrays[use].time.ps();
                planes[use] += lun.arrays[use].planes.ps();
            }
        }
    }
    energy_parts e;
    for (std::size_t use = 0; use < time.size(); ++use) {
        e.array[use] = array_energy(f, use, time[use], planes[use]);
    }
    e.bus = of_current(f, f.bus_ua, bus);
    e.nand_idle = of_current(f, f.idle_ua, idle);
    if (measured.link) {
        const uint128 busy = uint128{measured.link->busy_up.ps()} + measured.link->busy_down.ps();
        const uint128 free = uint128{rest(measured.when, measured.link->busy_up).ps()} +
                             rest(measured.when, measured.link->busy_down).ps();
        e.link_active = of_power(f.link_active_uw, busy * f.lanes);
        e.link_idle = of_power(f.link_idle_uw, free * f.lanes);
    }
    uint128 worked = 0;
    uint128 waited = 0;
    for (const core_statistics& core : measured.cpu) {
        const sim_time work = core.busy - core.slowed;
        worked += work.ps();
        waited += rest(measured.when, work).ps();
    }
    e.core_active = of_power(f.core_active_uw, worked);
    e.core_idle = of_power(f.core_idle_uw, waited);
    e.dram = of_dram(measured);
    if (measured.states) {
        leave_out(e, *measured.states);
    }
    return e;
}

uint128 energy_of_blocks(const measurement& m)
{
    const energy_figures& f = m.energy;
    const counters& measured = m.measured;
    uint128 sum = 0;
    for (const uint128 part : of_dram(measured)) {
        sum += part;
    }
    for (const channel_statistics& channel : measured.channels) {
        sum += of_current(f, f.bus_ua, channel.busy.ps());
        for (const lun_statistics& lun : channel.luns) {
            sum += of_current(f, f.idle_ua, rest(measured.when, lun.busy).ps());
            for (std::size_t use = 0; use < lun.arrays.size(); ++use) {
                sum += array_energy(f, use, lun.arrays[use].time.ps(), lun.arrays[use].planes.ps());
            }
        }
    }
    if (measured.link) {
        for (const sim_time busy : {measured.link->busy_up, measured.link->busy_down}) {
            sum += of_power(f.link_active_uw, uint128{busy.ps()} * f.lanes) +
                   of_power(f.link_idle_uw, uint128{rest(measured.when, busy).ps()} * f.lanes);
        }
    }
    for (const core_statistics& core : measured.cpu) {
        const sim_time work = core.busy - core.slowed;
        sum += of_power(f.core_active_uw, work.ps()) +
               of_power(f.core_idle_uw, rest(measured.when, work).ps());
    }
    if (measured.states) {
        counters awake = measured;
        awake.states.reset();
        sum = sum - energy_of(f, awake).sum() + energy_of(f, measured).sum();
    }
    return sum;
}

energy_places energy_places_of(const energy_figures& f, const counters& happened)
{
    counters awake = happened;
    awake.states.reset();
    const energy_parts parts = energy_of(f, awake);
    energy_places p;
    p.controller = parts.link() + parts.cores();
    p.board = parts.memory();
    for (const channel_statistics& channel : happened.channels) {
        // Who was on the bus is not kept: its LUNs share, and the first has what is left over.
        const uint128 bus = of_current(f, f.bus_ua, channel.busy.ps());
        const uint128 share = channel.luns.empty() ? 0 : bus / channel.luns.size();
        uint128 left = bus - share * channel.luns.size();
        for (const lun_statistics& lun : channel.luns) {
            uint128 e = share + left + of_current(f, f.idle_ua, rest(happened.when, lun.busy).ps());
            left = 0;
            for (std::size_t use = 0; use < lun.arrays.size(); ++use) {
                e += array_energy(f, use, lun.arrays[use].time.ps(), lun.arrays[use].planes.ps());
            }
            p.luns.push_back(e);
        }
    }
    if (happened.states) {
        leave_out(p, *happened.states);
    }
    return p;
}

double joules(uint128 energy)
{
    return static_cast<double>(energy) * 1e-27;
}

} // namespace ssdvp::platform
