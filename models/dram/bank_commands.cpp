// SPDX-License-Identifier: Apache-2.0
//
// What is booked as commands on the wires.
#include "models/dram/bank_schedule.h"
#include "models/dram/command_log.h"

namespace ssdvp::dram {

void bank_schedule::tell_use(std::uint32_t set, const bank_use& u)
{
    const auto note = [&](dram_command what, sim_time when, std::uint32_t way) {
        m_log->note({when, what, set * m_t.ways + way, m_t.group_of(set, way), u.row});
    };
    for (std::uint32_t way = 0; u.opens() && way < m_t.ways; ++way) {
        if (u.found == row_state::conflict) {
            note(dram_command::PRE, u.act - m_t.figures.tRP, way);
        }
        note(dram_command::ACT, u.act + way * m_t.second, way);
    }
    std::uint32_t way = u.way;
    for (sim_time t = u.first; t <= u.last; t += m_t.spacing) {
        note(u.write ? dram_command::WR : dram_command::RD, t, way);
        way = m_t.ways - 1 - way; // the other one, if there is one
    }
    for (way = 0; !open_policy() && way < m_t.ways; ++way) {
        note(dram_command::PRE, u.ready, way);
    }
}

void bank_schedule::tell(sim_time present)
{
    if (m_log == nullptr) {
        return;
    }
    sim_time settled = present;
    for (std::uint32_t set = 0; set < m_t.sets; ++set) {
        bank_set& s = m_sets[set];
        for (std::size_t i = s.first(); i < s.size(); ++i) {
            bank_use& u = *s.at(i);
            if (u.first > present) { // something may still come before it, and those behind it
                const sim_time close =
                    u.found == row_state::conflict ? m_t.figures.tRP : sim_time();
                settled = earlier(settled, u.opens() ? u.act - close : u.first);
                break;
            }
            if (!u.told) {
                u.told = true;
                tell_use(set, u);
            }
        }
        s.forget(present);
    }
    for (;; ++m_told) {
        const sim_time begin = (m_told + 1) * m_t.refresh_period;
        if (begin - m_t.figures.tRP > settled) {
            break;
        }
        m_log->note({begin - m_t.figures.tRP, dram_command::PREA, 0, 0, 0});
        for (std::uint32_t i = 0; i < m_config.refresh_group; ++i) {
            m_log->note({begin + i * m_t.figures.tRFC, dram_command::REF, 0, 0, 0});
        }
    }
    m_log->settled(settled);
}

} // namespace ssdvp::dram
