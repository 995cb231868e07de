// SPDX-License-Identifier: Apache-2.0
//
// What parts draw, and what a drive draws that does nothing.
#include <algorithm>

#include "models/dram/energy.h"
#include "models/pcie/tlp_cost.h"
#include "models/thermal/network.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/report/energy.h"
#include "platform/report/power_account.h"

namespace ssdvp::platform {

using namespace literals;

namespace {

constexpr sim_time idle_time = 1_s; // joules are watts

dram::dram_stats idle_dram(const ssd_config& c)
{
    dram::dram_stats s;
    if (c.dram.model == dram::dram_model::bank) {
        s.refreshes = idle_time.ps() / c.dram.timing.tREFI.ps();
    }
    return s;
}

/// A bit costs about the same at each generation, so a lane draws by its transfers.
std::uint32_t at_generation(std::uint32_t microwatts, const ssd_config& c)
{
    const std::uint64_t is = pcie::lane_transfers(c.pcie.generation);
    const std::uint64_t was = pcie::lane_transfers(c.energy.link_generation);
    return static_cast<std::uint32_t>((microwatts * is + was / 2) / was);
}

/// As the account of energy reads a drive in which nothing has happened.
counters idle_counters(const ssd_config& c)
{
    counters k;
    k.when = idle_time;
    k.channels.resize(c.channels);
    for (channel_statistics& channel : k.channels) {
        channel.luns.resize(c.channel.luns);
    }
    k.cpu.resize(roles_of_cores(c).size());
    k.link.emplace();
    k.dram = idle_dram(c);
    const dram::dram_energy e = dram::energy_of(c.dram, *k.dram, k.when);
    k.dram_energy = dram_joules{e.activate, e.read, e.write, e.refresh, e.background};
    return k;
}

} // namespace

energy_figures energy_of_drive(const ssd_config& c)
{
    energy_figures f = c.energy;
    if (is_sata(c)) {
        f.lanes = 1; // a pair of wires for each direction
        return f;
    }
    f.lanes = c.pcie.lanes;
    f.link.active_uw = at_generation(f.link.active_uw, c);
    f.link.idle_uw = at_generation(f.link.idle_uw, c);
    return f;
}

namespace {

/// As idle_counters, of a drive that was asleep in a state meanwhile.
counters asleep_counters(const ssd_config& c, unsigned state)
{
    const energy_figures f = energy_of_drive(c);
    counters k = idle_counters(c);
    power_account account(idle_of_states(c));
    account.change({sim_time(), {}, {}}, state, true);
    k.states = account.at({k.when, energy_of(f, k), energy_places_of(f, k)});
    return k;
}

/// Awake, and in each state in which the drive may be asleep.
std::vector<counters> kinds_of_idle(const ssd_config& c)
{
    std::vector<counters> kinds = {idle_counters(c)};
    const std::vector<std::uint64_t> idle = idle_of_states(c);
    for (unsigned state = 0; state < idle.size(); ++state) {
        if (idle[state] != 0) {
            kinds.push_back(asleep_counters(c, state));
        }
    }
    return kinds;
}

double celsius_of(const ssd_config& c, const counters& k)
{
    const energy_places p = energy_places_of(energy_of_drive(c), k);
    thermal::heat watts;
    for (const uint128 lun : p.luns) {
        watts.dies.push_back(joules(lun));
    }
    watts.controller = joules(p.controller);
    watts.chassis = joules(p.board);
    thermal::network n(c.thermal, watts.dies.size());
    n.advance(n.settles_in(), watts);
    return n.composite();
}

} // namespace

double idle_watts(const ssd_config& c)
{
    double most = 0;
    for (const counters& k : kinds_of_idle(c)) {
        most = std::max(most, joules(energy_of(energy_of_drive(c), k).sum()));
    }
    return most;
}

double idle_celsius(const ssd_config& c)
{
    double most = 0;
    for (const counters& k : kinds_of_idle(c)) {
        most = std::max(most, celsius_of(c, k));
    }
    return most;
}

} // namespace ssdvp::platform
