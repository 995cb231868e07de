// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/constraints.h"

namespace ssdvp::flash {

namespace {

template <sim_time cycle_times::*member>
sim_time of(const constraint_values& v)
{
    return v.bus.*member;
}

/// What begins with R/B# low, which may come as late as tWB.
template <sim_time cycle_times::*member>
sim_time after_tWB(const constraint_values& v)
{
    return v.bus.tWB + v.bus.*member;
}

sim_time reset_time(const constraint_values& v)
{
    return v.bus.tWB + v.tRST;
}

sim_time order(const constraint_values&)
{
    return sim_time();
}

constexpr std::uint8_t sdr = 1;
constexpr std::uint8_t nv_ddr = 2;
constexpr std::uint8_t nv_ddr2 = 4; // and NV-DDR3, NV-LPDDR4
constexpr std::uint8_t ddr = nv_ddr | nv_ddr2;
constexpr std::uint8_t all = sdr | ddr;
constexpr std::uint8_t we = sdr | nv_ddr2; // commands are clocked by WE#

using e = bus_event;
using ct = cycle_times;

constexpr std::array<constraint, constraint_count> table = {{
    {"overlap", e::group_end, e::group_begin, bound::at_least, reach::bus, all, order},
    {"tWC", e::group_begin, e::addressed, bound::per_cycle, reach::lun, we, of<&ct::tWC>},
    {"tWC", e::data_in_end, e::confirmed, bound::per_cycle, reach::lun, we, of<&ct::tWC>},
    {"tWC", e::data_in_begin, e::data_in_end, bound::per_cycle, reach::lun, sdr, of<&ct::tWC>},
    {"tCAD", e::group_begin, e::addressed, bound::per_cycle, reach::lun, nv_ddr, of<&ct::tWC>},
    {"tCAD", e::data_in_end, e::confirmed, bound::per_cycle, reach::lun, nv_ddr, of<&ct::tWC>},
    {"tRC", e::data_out_begin, e::data_out_end, bound::per_cycle, reach::lun, sdr, of<&ct::tRC>},
    {"tRC", e::status_begin, e::data_out_end, bound::per_cycle, reach::lun, sdr, of<&ct::tRC>},
    {"tCK", e::data_in_begin, e::data_in_end, bound::per_cycle, reach::lun, ddr, of<&ct::tCK>},
    {"tCK", e::data_out_begin, e::data_out_end, bound::per_cycle, reach::lun, ddr, of<&ct::tCK>},
    {"tCK", e::status_begin, e::data_out_end, bound::per_cycle, reach::lun, ddr, of<&ct::tCK>},
    {"tRR", e::ready, e::data_out_begin, bound::at_least, reach::lun, all, of<&ct::tRR>},
    {"tADL", e::program_address, e::data_in_begin, bound::at_least, reach::lun, all, of<&ct::tADL>},
    {"tADL", e::feature_address, e::data_in_begin, bound::at_least, reach::lun, all, of<&ct::tADL>},
    {"tCCS", e::write_column, e::data_in_begin, bound::at_least, reach::lun, all, of<&ct::tCCS>},
    {"tCCS", e::read_column, e::data_out_begin, bound::at_least, reach::lun, all, of<&ct::tCCS>},
    {"tWHR", e::status_address, e::status_begin, bound::at_least, reach::lun, all, of<&ct::tWHR>},
    {"tRHW", e::data_out_end, e::any_command, bound::at_least, reach::bus, all, of<&ct::tRHW>},
    {"tWB", e::array_end, e::any_command, bound::at_least, reach::lun, all, of<&ct::tWB>},
    {"tWB", e::plane_end, e::any_command, bound::at_least, reach::lun, all, of<&ct::tWB>},
    {"tWB", e::array_end, e::busy, bound::at_most, reach::lun, all, of<&ct::tWB>},
    {"tDBSY", e::plane_end, e::command, bound::at_least, reach::lun, all, after_tWB<&ct::tDBSY>},
    {"tFEAT", e::feature_end, e::command, bound::at_least, reach::lun, all, after_tWB<&ct::tFEAT>},
    {"tRST", e::reset_end, e::command, bound::at_least, reach::lun, all, reset_time},
    {"R/B#", e::array_end, e::command, bound::not_busy, reach::lun, all, order},
    {"R/B#", e::array_end, e::data_out_begin, bound::not_busy, reach::lun, all, order},
    {"RDY", e::plane_read_end, e::plane_command, bound::plane_rests, reach::lun, all, order},
    {"RDY", e::plane_read_end, e::data_out_begin, bound::plane_rests, reach::lun, all, order},
    {"RDY", e::plane_read_end, e::whole_command, bound::planes_rest, reach::lun, all, order},
}};

constexpr std::array<const char*, static_cast<std::size_t>(e::count)> event_names = {
    "first cycle",
    "command",
    "command",
    "command to the plane",
    "command to the LUN",
    "last address cycle",
    "address of 80h",
    "column of 85h",
    "column before E0h",
    "status command",
    "feature address",
    "first data-in",
    "last data-in",
    "first data-out",
    "status byte",
    "last data-out",
    "confirm",
    "last cycle",
    "plane's confirm",
    "array's confirm",
    "plane's read",
    "reset",
    "features",
    "R/B# low",
    "R/B# high"};

} // namespace

const std::array<constraint, constraint_count>& constraints()
{
    return table;
}

const char* name_of(bus_event event)
{
    return event_names.at(static_cast<std::size_t>(event));
}

} // namespace ssdvp::flash
