// SPDX-License-Identifier: Apache-2.0
#include "models/cpu/core_timeline.h"

namespace ssdvp::cpu {

void core_timeline::work_until(sim_time t)
{
    if (t <= m_told) {
        return;
    }
    const bool of_command = m_slot < latency_ledger::no_slot;
    timeline_slice s;
    s.name = of_command ? "command" : "firmware";
    s.begin = m_told;
    s.end = t;
    s.slot = of_command ? static_cast<std::uint16_t>(m_slot) : latency_ledger::no_slot;
    m_track.add(s);
    m_told = t;
}

} // namespace ssdvp::cpu
