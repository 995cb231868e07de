// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/bus_timeline.h"

#include "models/flash/bus/wire_phase.h"

#include "models/flash/bus/group_name.h"

namespace ssdvp::flash {

namespace {

using namespace onfi;

/// What the group lets the array do; null: nothing.
const char* array_name(const extension& g)
{
    switch (g.second) {
    case READ_2:
        return "read";
    case SNAP_READ:
        return "snap read";
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
    case READ_PARAMETER_PAGE:
        return "parameter page";
    case GET_FEATURES:
    case SET_FEATURES:
        return "features";
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
                           const cycle_times& bus)
    : m_tWB(bus.tWB), m_tWC(bus.tWC), m_bus(to, channel, "bus"),
      m_phase(to, channel + "/bus", "phase", level_form::bus_phase), m_luns(luns)
{
    m_phase.set(sim_time(), wire_phase().value());
    for (const lun_index i : m_luns.indices()) {
        const std::string name = "LUN " + std::to_string(i.value());
        const std::string scope = channel + "/" + name;
        m_luns[i] = {timeline_track(to, channel, name),
                     timeline_level(to, scope, "RB_n", level_form::bit),
                     timeline_level(to, scope, "suspended", level_form::bit), sim_time()};
        m_luns[i].ready.set(sim_time(), 1);
        m_luns[i].suspended.set(sim_time(), 0);
    }
}

void bus_timeline::group(const extension& g, std::uint64_t bytes, sim_time begin,
                         const group_times& times, bool taken)
{
    const sim_time end = begin + times.end;
    timeline_slice cycles = slice_of(g, group_name(g), begin, end);
    cycles.details = {{{"lun", g.lun.value()}, {"bytes", bytes}}};
    m_bus.add(cycles);
    if (m_phase) {
        tell_phases(g, begin, times);
    }
    if (!taken) {
        return;
    }
    if (g.first == SUSPEND && g.suspended) {
        tell_suspend(g, end);
    } else if (array_name(g) != nullptr) {
        tell_array(g, end);
    }
}

/// First command cycle, addresses, second command cycle of what moves no data in; a wait and the
/// data; the command cycle after data in.
void bus_timeline::tell_phases(const extension& g, sim_time begin, const group_times& times) const
{
    sim_time t = begin;
    const auto cycles = [this, &t](wire_phase::kind what, unsigned count, std::uint8_t opcode) {
        if (count != 0) {
            m_phase.set(t, wire_phase{what, static_cast<std::uint8_t>(count), opcode}.value());
            t += count * m_tWC;
        }
    };
    cycles(wire_phase::command, g.first != NO_COMMAND ? 1 : 0, g.first);
    cycles(wire_phase::address, 0u + g.column_cycles + g.row_cycles, 0);
    const bool confirmed = g.second != NO_COMMAND;
    cycles(wire_phase::command, confirmed && !g.data_in ? 1 : 0, g.second);
    if (g.data_in || g.data_out) {
        const auto data = g.data_in ? wire_phase::data_in : wire_phase::data_out;
        m_phase.set(begin + times.addressed, wire_phase{wire_phase::wait, 0, 0}.value());
        m_phase.set(begin + times.data_begin, wire_phase{data, 0, 0}.value());
        t = begin + times.data_end;
    }
    cycles(wire_phase::command, times.confirms, g.second);
    m_phase.set(begin + times.end, wire_phase().value());
}

/// Reads of single planes may overlap: R/B# is low while any of them is at work.
void bus_timeline::tell_array(const extension& g, sim_time end)
{
    lun_view& lun = m_luns[g.lun];
    const sim_time begin = end + m_tWB;
    timeline_slice work = slice_of(g, array_name(g), begin, g.array_at);
    work.details = {
        {{"plane", g.plane.value()}, {"block", g.block.value()}, {"page", g.page.value()}}};
    lun.array.add(work);
    lun.rises = lun.rises > begin ? later(lun.rises, g.ready_at) : g.ready_at;
    lun.ready.set(begin, 0);
    lun.ready.set(lun.rises, 1);
    if (g.first == RESUME || g.first == RESET_LUN) {
        lun.suspended.set(begin, 0);
    }
}

/// To the next safe point, and what stopping takes.
void bus_timeline::tell_suspend(const extension& g, sim_time end)
{
    lun_view& lun = m_luns[g.lun];
    timeline_slice stop = slice_of(g, "suspending", end, g.ready_at);
    stop.cuts = true;
    lun.array.add(stop);
    lun.rises = g.ready_at;
    lun.ready.set(g.ready_at, 1);
    lun.suspended.set(g.ready_at, 1);
}

void bus_timeline::power_off(sim_time t)
{
    timeline_slice s;
    s.name = "power off";
    s.begin = s.end = t;
    s.cuts = true;
    m_bus.add(s);
    m_phase.set(t, wire_phase().value());
    for (lun_view& lun : m_luns) {
        lun.array.add(s);
        lun.ready.set(t, 1);
        lun.suspended.set(t, 0);
        lun.rises = t;
    }
}

} // namespace ssdvp::flash
