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
uint128 of_current(std::uint32_t microamperes, std::uint32_t millivolts, uint128 ps)
{
    return ps * microamperes * millivolts * whole_share;
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

/// `count` alike that worked for `busy`.
spent of_block(const draw& d, sim_time busy, sim_time elapsed, std::uint32_t count = 1)
{
    return {of_power(d.active_uw, uint128{busy.ps()} * count),
            of_power(d.idle_uw, uint128{rest(elapsed, busy).ps()} * count)};
}

void sum_up(spent& to, const spent& e)
{
    to.active += e.active;
    to.idle += e.idle;
}

/// Of the LUNs of a channel, for what crosses their bus.
uint128 of_bus(const energy_figures& f, sim_time busy)
{
    return of_current(f.bus_ua, f.voltage_mv, busy.ps()) +
           of_current(f.io_ua, f.io_voltage_mv, busy.ps());
}

uint128 of_lun(const energy_figures& f, const lun_statistics& lun, sim_time elapsed)
{
    uint128 e = of_current(f.idle_ua, f.voltage_mv, rest(elapsed, lun.busy).ps());
    for (std::size_t use = 0; use < lun.arrays.size(); ++use) {
        e += array_energy(f, use, lun.arrays[use].time.ps(), lun.arrays[use].planes.ps());
    }
    return e;
}

void add_nand(energy_parts& e, const energy_figures& f, const counters& measured)
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
    for (std::size_t use = 0; use < time.size(); ++use) {
        e.array[use] = array_energy(f, use, time[use], planes[use]);
    }
    e.bus = of_current(f.bus_ua, f.voltage_mv, bus);
    e.io = of_current(f.io_ua, f.io_voltage_mv, bus);
    e.nand_idle = of_current(f.idle_ua, f.voltage_mv, idle);
}

void add_controller(energy_parts& e, const energy_figures& f, const counters& measured)
{
    const sim_time elapsed = measured.when;
    for (const channel_statistics& channel : measured.channels) {
        sum_up(e.channels, of_block(f.channel, channel.busy, elapsed));
        sum_up(e.ecc, of_block(f.ecc, channel.busy, elapsed)); // words pass as they cross it
    }
    if (measured.dram) {
        e.dram_phy = of_block(f.dram_phy, measured.dram->busy, elapsed);
    }
    if (measured.link) {
        for (const sim_time busy : {measured.link->busy_up, measured.link->busy_down}) {
            sum_up(e.link, of_block(f.link, busy, elapsed, f.lanes));
        }
    }
    for (const core_statistics& core : measured.cpu) {
        sum_up(e.cores, of_block(f.core, core.busy - core.slowed, elapsed));
    }
}

} // namespace

energy_parts energy_of(const measurement& m)
{
    return energy_of(m.energy, m.measured);
}

energy_parts energy_of(const energy_figures& f, const counters& measured)
{
    energy_parts e;
    add_nand(e, f, measured);
    add_controller(e, f, measured);
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
    const sim_time elapsed = measured.when;
    uint128 sum = 0;
    for (const uint128 part : of_dram(measured)) {
        sum += part;
    }
    if (measured.dram) {
        sum += of_block(f.dram_phy, measured.dram->busy, elapsed).sum();
    }
    for (const channel_statistics& channel : measured.channels) {
        sum += of_bus(f, channel.busy) + of_block(f.channel, channel.busy, elapsed).sum() +
               of_block(f.ecc, channel.busy, elapsed).sum();
        for (const lun_statistics& lun : channel.luns) {
            sum += of_lun(f, lun, elapsed);
        }
    }
    if (measured.link) {
        sum += of_block(f.link, measured.link->busy_up, elapsed, f.lanes).sum() +
               of_block(f.link, measured.link->busy_down, elapsed, f.lanes).sum();
    }
    for (const core_statistics& core : measured.cpu) {
        sum += of_block(f.core, core.busy - core.slowed, elapsed).sum();
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
    p.controller = parts.controller();
    p.board = parts.memory();
    for (const channel_statistics& channel : happened.channels) {
        // Who was on the bus is not kept: its LUNs share, and the first has what is left over.
        const uint128 bus = of_bus(f, channel.busy);
        const uint128 share = channel.luns.empty() ? 0 : bus / channel.luns.size();
        uint128 left = bus - share * channel.luns.size();
        for (const lun_statistics& lun : channel.luns) {
            p.luns.push_back(share + left + of_lun(f, lun, happened.when));
            left = 0;
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
