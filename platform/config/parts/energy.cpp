// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the drive draw.
#include <algorithm>

#include "models/dram/energy.h"
#include "models/pcie/tlp_cost.h"
#include "models/thermal/network.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/report/energy.h"
#include "platform/report/power_account.h"

namespace ssdvp::platform {

namespace {

using namespace literals;

constexpr std::uint64_t amperes = 1000 * 1000; // in uA
constexpr std::uint64_t watts = 1000 * 1000;   // in uW
constexpr std::uint64_t volts = 1000;          // in mV

/// A figure of 0 says nothing, and then the resolved tree has no such key.
template <class Access>
option figure(const option_text& text, value_kind kind, std::uint64_t most, Access field)
{
    option o = make_option<ssd_config>(text, rate_of(kind, 0, most), field, leaves_state);
    o.relevant = [field](const ssd_config& c) { return field(c) != 0; };
    o.relevant_when = "it is above 0";
    return o;
}

template <class Access>
option current(const char* key, const char* about, Access field)
{
    return figure({key, "0mA", about}, value_kind::current, amperes, field);
}

template <class Access>
option power(const char* key, const char* about, Access field)
{
    return figure({key, "0mW", about}, value_kind::power, 100 * watts, field);
}

bool has_array_current(const ssd_config& c)
{
    const auto& list = c.energy.array_ua;
    return std::any_of(list.begin(), list.end(), [](std::uint32_t ua) { return ua != 0; });
}

std::vector<option> nand_options()
{
    return {
        only_when(
            make_option<ssd_config>({"nand.voltage", "3.3V", "supply of a LUN (VCC)"},
                                    rate_of(value_kind::voltage, volts, 20 * volts),
                                    FIELD(energy.voltage_mv), leaves_state),
            [](const ssd_config& c) { return c.energy.nand(); }, "a nand.current is given",
            "give nand.current.read, program, erase, bus or idle, or remove it"),
        current("nand.current.read", "a LUN while its array reads a page (ICC1); 0: not counted",
                FIELD(energy.array_ua[0])),
        current("nand.current.program",
                "a LUN while its array programs a page (ICC2); 0: not counted",
                FIELD(energy.array_ua[1])),
        current("nand.current.erase", "a LUN while its array erases a block (ICC3); 0: not counted",
                FIELD(energy.array_ua[2])),
        only_when(make_option<ssd_config>(
                      {"nand.current.extra_plane", "0.5",
                       "share of the array current that each further plane of a multi-plane "
                       "operation adds"},
                      real_of(value_kind::fraction, 0.0, 1.0), FIELD(energy.extra_plane),
                      leaves_state),
                  has_array_current, "nand.current.read, program or erase is given",
                  "give nand.current.read, program or erase, or remove it"),
        current("nand.current.bus",
                "a channel's LUNs while cycles are on its bus (ICC4); 0: not counted",
                FIELD(energy.bus_ua)),
        only_when(
            make_option<ssd_config>({"nand.io_voltage", "1.2V", "supply of the bus (VCCQ)"},
                                    rate_of(value_kind::voltage, volts / 2, 20 * volts),
                                    FIELD(energy.io_voltage_mv), leaves_state),
            [](const ssd_config& c) { return c.energy.io_ua != 0; }, "nand.current.io is given",
            "give nand.current.io, or remove it"),
        current("nand.current.io",
                "both ends of a channel's bus while cycles are on it (ICCQ4); 0: not counted",
                FIELD(energy.io_ua)),
        current("nand.current.idle", "a LUN whose array does nothing (ICC5 or ISB); 0: not counted",
                FIELD(energy.idle_ua)),
    };
}

option link_generation()
{
    return only_when(
        make_option<ssd_config>({"energy.link.generation", "",
                                 "generation of PCI Express that energy.link.active and idle are "
                                 "for; at another one a lane draws by its transfers",
                                 "host.pcie.generation"},
                                count_of(1, 6), FIELD(energy.link_generation), leaves_state),
        [](const ssd_config& c) { return c.energy.link.any() && !is_sata(c); },
        "energy.link.active or idle is given, and the drive is not SATA",
        "give energy.link.active or idle, or remove it");
}

std::vector<option> controller_options()
{
    return {
        power("energy.core.active", "a core that works, at cpu.clock; 0: not counted",
              FIELD(energy.core.active_uw)),
        power("energy.core.idle", "a core that waits; 0: not counted", FIELD(energy.core.idle_uw)),
        power("energy.channel.active",
              "controller and PHY of a flash channel while cycles are on its bus; 0: not counted",
              FIELD(energy.channel.active_uw)),
        power("energy.channel.idle", "the same while none are; 0: not counted",
              FIELD(energy.channel.idle_uw)),
        power("energy.ecc.active",
              "ECC engine of a flash channel while cycles are on its bus; 0: not counted",
              FIELD(energy.ecc.active_uw)),
        power("energy.ecc.idle", "the same while none are; 0: not counted",
              FIELD(energy.ecc.idle_uw)),
        power("energy.dram_phy.active",
              "controller and PHY of the DRAM while data are on its bus; 0: not counted",
              FIELD(energy.dram_phy.active_uw)),
        power("energy.dram_phy.idle", "the same while none are; 0: not counted",
              FIELD(energy.dram_phy.idle_uw)),
    };
}

std::vector<option> energy_options()
{
    std::vector<option> table = nand_options();
    append(table,
           {power("energy.link.active",
                  "a lane in one direction while packets cross it; 0: not counted",
                  FIELD(energy.link.active_uw)),
            power("energy.link.idle", "a lane in one direction while none does; 0: not counted",
                  FIELD(energy.link.idle_uw)),
            link_generation()});
    append(table, controller_options());
    return table;
}

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
    thermal::heat drawn;
    for (const uint128 lun : p.luns) {
        drawn.dies.push_back(joules(lun));
    }
    drawn.controller = joules(p.controller);
    drawn.chassis = joules(p.board);
    thermal::network n(c.thermal, drawn.dies.size());
    n.advance(n.settles_in(), drawn);
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

namespace {

void complete_energy(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    if (!is_given(raw, "energy.link.generation")) {
        c.energy.link_generation = c.pcie.generation;
    }
}

} // namespace

const config_part parts::energy = {energy_options, complete_energy};

} // namespace ssdvp::platform
