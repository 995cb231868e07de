// SPDX-License-Identifier: Apache-2.0
//
// Options of energy: what LUNs and the blocks of the controller draw. 0 = the part is not counted.
#include <algorithm>

#include "platform/config/derived.h"
#include "platform/config/option_fields.h"
#include "platform/config/option_tables.h"

namespace ssdvp::platform {

namespace {

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

} // namespace

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

} // namespace ssdvp::platform
