// SPDX-License-Identifier: Apache-2.0
#include "models/common/latency_ledger.h"

#include "models/common/timeline.h"

namespace ssdvp {

void latency_ledger::bind(std::uint16_t slot, std::size_t command, sim_time when)
{
    m_by_slot[slot] = {static_cast<std::uint32_t>(command), when};
    m_records[command].place.slot = slot;
    m_records[command].place.command = ++m_commands;
    m_work[slot] = 0;
    if (m_follower != nullptr) {
        m_follower->bound(slot, m_commands, when);
    }
}

void latency_ledger::count_work(rate clock)
{
    constexpr std::uint64_t ps = 1000000000000ull / 256;
    const std::uint64_t hz = clock.per_second();
    m_ps_per_unit = static_cast<std::int64_t>((ps * fraction + hz / 2) / hz);
}

void latency_ledger::begin_wait(const std::int64_t& work, sim_time t, latency_part until_then)
{
    const auto slot = static_cast<std::size_t>(&work - m_work.data());
    hand_on_marked(static_cast<std::uint16_t>(slot), t, until_then);
}

void latency_ledger::begin_program(std::uint32_t tag, unsigned desk, sim_time t, latency_part held)
{
    if (tag >= m_programs.size()) {
        m_programs.resize(tag + std::size_t{1}); // until the firmware has used all its tags
    }
    program& p = m_programs[tag];
    p.before = p.latest; // commands that waited for it may not have been handed on yet
    p.latest = {held, 0, t, {}};
    p.ended = false;
    hand_on(no_slot, desk, t);
}

void latency_ledger::stamp_program(std::uint32_t tag, latency_part part, sim_time t)
{
    if (tag < m_programs.size()) {
        m_programs[tag].latest.add(part, t);
    }
}

void latency_ledger::end_program(std::uint32_t tag)
{
    if (tag < m_programs.size()) {
        m_programs[tag].ended = true;
    }
}

/// Of the work that was counted on the command, as much as fits came after the program's end, when
/// the core completes the command; the rest before the program was ordered.
void latency_ledger::hand_on_programmed(std::uint16_t slot, unsigned desk, sim_time t,
                                        std::uint32_t tag)
{
    if (!bound(slot)) {
        return;
    }
    const program none;
    const program& all = tag < m_programs.size() ? m_programs[tag] : none;
    const program_stamps& p = all.ended ? all.latest : all.before;
    if (p.count == 0 || p.end() > t) {
        hand_on(slot, desk, t, latency_part::wait_program);
        return;
    }
    const record& r = m_records[m_by_slot[slot].command];
    const auto between = [](sim_time from, sim_time to) {
        return to > from ? to - from : sim_time();
    };
    const sim_time work = m_marked ? time_of(std::max<std::int64_t>(m_work[slot], 0)) : sim_time();
    const sim_time after = std::min(work, between(p.end(), t));
    stamp_slot(slot, p.held, p.arrival - std::min(work - after, between(r.last, p.arrival)));
    stamp_slot(slot, latency_part::firmware, p.arrival);
    for (std::size_t i = 0; i < p.count; ++i) {
        stamp_slot(slot, p.stamps[i].part, p.stamps[i].until);
    }
    if (!m_marked) {
        hand_on(slot, desk, t);
        return;
    }
    m_work[slot] = 0;
    stamp_slot(slot, latency_part::wait_core, t - std::min(after, between(r.last, t)));
    stamp_slot(slot, latency_part::firmware, t);
}

} // namespace ssdvp
