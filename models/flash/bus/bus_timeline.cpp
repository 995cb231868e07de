// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/bus_timeline.h"

#include <algorithm>

namespace ssdvp::flash {

namespace {

using namespace onfi;

/// What the first command cycle begins, in the words of data sheets.
const char* first_name(const extension& g)
{
    switch (g.first) {
    case READ_1:
        return "READ 00h";
    case READ_CACHE:
        return "READ CACHE 31h";
    case READ_CACHE_END:
        return "READ CACHE END 3Fh";
    case CHANGE_READ_COLUMN_1:
        return "CHANGE READ COLUMN 05h";
    case CHANGE_READ_COLUMN_ENHANCED_1:
        return "CHANGE READ COLUMN ENHANCED 06h";
    case PROGRAM_1:
        return "PROGRAM 80h";
    case CHANGE_WRITE_COLUMN:
        return "CHANGE WRITE COLUMN 85h";
    case ERASE_1:
        return "ERASE 60h";
    case STATUS:
    case STATUS_ENHANCED:
        return "READ STATUS";
    case READ_ID:
        return "READ ID 90h";
    case READ_PARAMETER_PAGE:
        return "READ PARAMETER PAGE ECh";
    case GET_FEATURES:
        return "GET FEATURES EEh";
    case SET_FEATURES:
        return "SET FEATURES EFh";
    case RESET_LUN:
        return "RESET FAh";
    case SUSPEND:
        return "SUSPEND 61h";
    case RESUME:
        return "RESUME D2h";
    case MODE_SLC:
    case MODE_SHALLOW:
        return "MODE";
    default:
        return g.data_in ? "DATA IN" : "DATA OUT";
    }
}

/// What the group lets the array do; null: nothing.
const char* array_name(const extension& g)
{
    switch (g.second) {
    case READ_2:
        return "read";
    case READ_CACHE:
        return "cache read";
    case COPYBACK_READ:
        return "copyback read";
    case PROGRAM_2:
        return "program";
    case PROGRAM_CACHE:
        return "cache program";
    case ERASE_2:
        return "erase";
    default:
        break;
    }
    switch (g.first) {
    case READ_CACHE:
    case READ_CACHE_END:
        return "cache read";
    case RESUME:
        return "resumed";
    case RESET_LUN:
        return "reset";
    default:
        return nullptr;
    }
}

timeline_slice slice_of(const extension& g, const char* name, sim_time begin, sim_time end)
{
    timeline_slice s;
    s.name = name;
    s.begin = begin;
    s.end = later(end, begin);
    s.slot = g.trace;
    s.purpose = g.purpose;
    return s;
}

} // namespace

bus_timeline::bus_timeline(timeline& to, const std::string& channel, std::uint32_t luns,
                           sim_time tWB)
    : m_tWB(tWB), m_bus(to, channel, "bus"), m_arrays(luns)
{
    for (const lun_index i : m_arrays.indices()) {
        m_arrays[i] = timeline_track(to, channel, "LUN " + std::to_string(i.value()));
    }
}

void bus_timeline::group(const extension& g, std::uint64_t bytes, sim_time begin,
                         const group_times& times, bool taken)
{
    const sim_time end = begin + times.end;
    timeline_slice cycles = slice_of(g, first_name(g), begin, end);
    cycles.details = {{{"lun", g.lun.value()}, {"bytes", bytes}}};
    m_bus.add(cycles);
    if (!taken) {
        return;
    }
    if (g.first == SUSPEND && g.suspended) { // to the next safe point, and what stopping takes
        timeline_slice stop = slice_of(g, "suspending", end, g.ready_at);
        stop.cuts = true;
        m_arrays[g.lun].add(stop);
    } else if (array_name(g) != nullptr) {
        timeline_slice work = slice_of(g, array_name(g), end + m_tWB, g.array_at);
        work.details = {
            {{"plane", g.plane.value()}, {"block", g.block.value()}, {"page", g.page.value()}}};
        m_arrays[g.lun].add(work);
    }
}

void bus_timeline::power_off(sim_time t) const
{
    for (const timeline_track& array : m_arrays) {
        timeline_slice s;
        s.name = "power off";
        s.begin = s.end = t;
        s.cuts = true;
        array.add(s);
    }
}

} // namespace ssdvp::flash
