// SPDX-License-Identifier: Apache-2.0
#include "models/dram/rules.h"

namespace ssdvp::dram {

namespace {

template <sim_time timing_figures::*member>
sim_time of(const bank_timing& t)
{
    return t.figures.*member;
}

sim_time read_to_write(const bank_timing& t)
{
    return t.figures.tCL + t.burst + t.figures.tRTW - t.figures.tCWL;
}

sim_time write_to_read(const bank_timing& t)
{
    return t.figures.tCWL + t.burst + t.figures.tWTR;
}

sim_time write_to_close(const bank_timing& t)
{
    return t.figures.tCWL + t.burst + t.figures.tWR;
}

using c = dram_command;
using f = timing_figures;

constexpr std::array<rule, rule_count> table = {{
    {"tRC", c::ACT, c::ACT, reach::bank, of<&f::tRC>},
    {"tRRD_L", c::ACT, c::ACT, reach::group, of<&f::tRRD_L>},
    {"tRRD", c::ACT, c::ACT, reach::all, of<&f::tRRD>},
    {"tRP", c::PRE, c::ACT, reach::bank, of<&f::tRP>},
    {"tRP", c::PREA, c::ACT, reach::all, of<&f::tRP>},
    {"tRFC", c::REF, c::ACT, reach::all, of<&f::tRFC>},
    {"tRCD", c::ACT, c::RD, reach::bank, of<&f::tRCD>},
    {"tRCD", c::ACT, c::WR, reach::bank, of<&f::tRCD>},
    {"tCCD_L", c::RD, c::RD, reach::group, of<&f::tCCD_L>},
    {"tCCD", c::RD, c::RD, reach::all, of<&f::tCCD>},
    {"tCCD_L", c::WR, c::WR, reach::group, of<&f::tCCD_L>},
    {"tCCD", c::WR, c::WR, reach::all, of<&f::tCCD>},
    {"tRTW", c::RD, c::WR, reach::all, read_to_write},
    {"tWTR", c::WR, c::RD, reach::all, write_to_read},
    {"tRAS", c::ACT, c::PRE, reach::bank, of<&f::tRAS>},
    {"tRTP", c::RD, c::PRE, reach::bank, of<&f::tRTP>},
    {"tWR", c::WR, c::PRE, reach::bank, write_to_close},
    {"tRAS", c::ACT, c::PREA, reach::all, of<&f::tRAS>},
    {"tRTP", c::RD, c::PREA, reach::all, of<&f::tRTP>},
    {"tWR", c::WR, c::PREA, reach::all, write_to_close},
    {"tRP", c::PRE, c::REF, reach::all, of<&f::tRP>},
    {"tRP", c::PREA, c::REF, reach::all, of<&f::tRP>},
    {"tRFC", c::REF, c::REF, reach::all, of<&f::tRFC>},
    {"tRFC", c::REF, c::PREA, reach::all, of<&f::tRFC>},
    {"tRFC", c::REF, c::PRE, reach::all, of<&f::tRFC>},
}};

} // namespace

const std::array<rule, rule_count>& rules()
{
    return table;
}

const char* name_of(dram_command command)
{
    constexpr std::array<const char*, static_cast<std::size_t>(c::count)> names = {
        "ACT", "RD", "WR", "PRE", "PREA", "REF"};
    return names.at(static_cast<std::size_t>(command));
}

} // namespace ssdvp::dram
