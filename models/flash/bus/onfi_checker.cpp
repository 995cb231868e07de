// SPDX-License-Identifier: Apache-2.0
#include "models/flash/bus/onfi_checker.h"

#include <utility>

namespace ssdvp::flash {

namespace {

constraint_values values_of(const cycle_timing& timing, const array_timing& die)
{
    constraint_values v;
    v.bus = timing.times();
    v.bus.tCK = timing.tCK();
    v.bus.tDBSY = die.tDBSY; // the part's, not the interface's
    v.tRST = die.tRST;
    v.family = timing.family();
    return v;
}

/// Data out that need no R/B# edge: they follow tWHR.
bool is_status(const onfi::extension& g)
{
    return g.first == onfi::STATUS || g.first == onfi::STATUS_ENHANCED || g.first == onfi::READ_ID;
}

/// What the last address cycle of `g` is; `addressed` = nothing special.
bus_event address_of(const onfi::extension& g)
{
    if (is_status(g)) {
        return bus_event::status_address;
    }
    switch (g.first) {
    case onfi::PROGRAM_1:
        return bus_event::program_address;
    case onfi::CHANGE_WRITE_COLUMN:
        return g.row_cycles == 0 ? bus_event::write_column : bus_event::program_address;
    case onfi::SET_FEATURES:
        return bus_event::feature_address;
    default:
        return g.second == onfi::CHANGE_READ_COLUMN_2 ? bus_event::read_column
                                                      : bus_event::addressed;
    }
}

/// What a busy LUN takes.
bool always_taken(onfi::opcode first)
{
    return first == onfi::STATUS || first == onfi::STATUS_ENHANCED || first == onfi::SUSPEND ||
           first == onfi::RESET_LUN;
}

} // namespace

onfi_checker::onfi_checker(std::string name, const cycle_timing& timing,
                           const channel_config& config, fault_log* faults)
    : m_name(std::move(name)), m_faults(faults), m_ddr(timing.family() != bus_family::sdr),
      m_independent(config.die.independent_plane_reads),
      m_checker(values_of(timing, config.die.timing), config.luns, [this](const violation& v) {
          if (m_faults != nullptr) {
              m_faults->record(m_name, describe(v));
          }
      })
{}

/// Of a part whose planes read by themselves.
bool onfi_checker::reads_one_plane(const onfi::extension& g) const
{
    return m_independent && g.first == onfi::READ_1 &&
           (g.second == onfi::READ_2 || g.second == onfi::SNAP_READ) && !m_multi.contains(g.lun);
}

/// The others wait for all of them.
bool onfi_checker::asks_for_plane(const onfi::extension& g) const
{
    return reads_one_plane(g) || g.first == onfi::CHANGE_READ_COLUMN_1 ||
           g.first == onfi::CHANGE_READ_COLUMN_ENHANCED_1 || g.first == onfi::MODE_SLC;
}

void onfi_checker::commands(const onfi::extension& g, sim_time begin, const group_times& times)
{
    m_checker.observe(bus_event::group_begin, g.lun, begin);
    if (g.first != onfi::NO_COMMAND) {
        m_checker.observe(bus_event::any_command, g.lun, begin);
        if (!always_taken(g.first)) {
            m_checker.observe(bus_event::command, g.lun, begin);
            const bool plane = asks_for_plane(g);
            m_checker.observe(plane ? bus_event::plane_command : bus_event::whole_command, g.lun,
                              begin);
        }
    }
    const sim_time addressed = begin + times.addressed;
    m_checker.observe(bus_event::addressed, g.lun, addressed, times.cycles);
    const bus_event what = address_of(g);
    if (what != bus_event::addressed) {
        m_checker.observe(what, g.lun, addressed);
    }
}

void onfi_checker::data(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
                        const group_times& times)
{
    const std::uint64_t cycles = m_ddr ? (bytes + 1) / 2 : bytes;
    if (g.data_in) {
        m_checker.observe(bus_event::data_in_begin, g.lun, begin + times.data_begin);
        m_checker.observe(bus_event::data_in_end, g.lun, begin + times.data_end, cycles);
        m_checker.observe(bus_event::confirmed, g.lun, begin + times.end, times.confirms);
    } else if (g.data_out) {
        const bus_event first = is_status(g) ? bus_event::status_begin : bus_event::data_out_begin;
        m_checker.observe(first, g.lun, begin + times.data_begin);
        m_checker.observe(bus_event::data_out_end, g.lun, begin + times.data_end, cycles);
    }
}

void onfi_checker::last_cycle(const onfi::extension& g, sim_time end)
{
    const bool by_itself = reads_one_plane(g);
    if (g.first == onfi::READ_1) {
        m_multi.set(g.lun, g.second == onfi::READ_MULTI_PLANE);
    }
    if (by_itself) {
        m_checker.observe(bus_event::plane_read_end, g.lun, end);
        return;
    }
    switch (g.second != onfi::NO_COMMAND ? g.second : g.first) {
    case onfi::READ_MULTI_PLANE:
    case onfi::PROGRAM_MULTI_PLANE:
    case onfi::ERASE_MULTI_PLANE:
        m_checker.observe(bus_event::plane_end, g.lun, end);
        break;
    case onfi::SET_FEATURES:
        m_checker.observe(bus_event::feature_end, g.lun, end);
        m_checker.observe(bus_event::array_end, g.lun, end);
        break;
    case onfi::RESET_LUN:
        m_checker.observe(bus_event::reset_end, g.lun, end);
        m_checker.observe(bus_event::array_end, g.lun, end);
        break;
    case onfi::READ_2:
    case onfi::SNAP_READ:
    case onfi::READ_CACHE:
    case onfi::READ_CACHE_END:
    case onfi::COPYBACK_READ:
    case onfi::PROGRAM_2:
    case onfi::PROGRAM_CACHE:
    case onfi::ERASE_2:
    case onfi::RESUME:
    case onfi::GET_FEATURES:
    case onfi::READ_PARAMETER_PAGE:
        m_checker.observe(bus_event::array_end, g.lun, end);
        break;
    default:
        break;
    }
}

void onfi_checker::group(const onfi::extension& g, std::uint64_t bytes, sim_time begin,
                         const group_times& times, bool taken)
{
    ++m_groups;
    m_checker.about(g.plane);
    commands(g, begin, times);
    data(g, bytes, begin, times);
    m_checker.observe(bus_event::group_end, g.lun, begin + times.end);
    if (taken) {
        last_cycle(g, begin + times.end);
    }
}

void onfi_checker::ready_edge(lun_index lun, bool rises, sim_time at)
{
    m_checker.observe(rises ? bus_event::ready : bus_event::busy, lun, at);
}

} // namespace ssdvp::flash
