// SPDX-License-Identifier: Apache-2.0
//
// What a core works on, for a timeline and waves: by the marks of its program, from one to the
// next; and the interrupts that it takes.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/timeline.h"

namespace ssdvp::cpu {

class core_timeline {
public:
    core_timeline() = default;
    core_timeline(timeline& to, const std::string& core)
        : m_track(to, "cores", core),
          m_interrupts(to, "cores/" + core, "interrupts", level_form::number)
    {
        m_interrupts.set(sim_time(), 0);
    }
    /// Somebody listens to what it works on.
    explicit operator bool() const { return static_cast<bool>(m_track); }

    /// Until `t` the core worked on what was marked last.
    void work_until(sim_time t);
    /// From then on it works on the command in `slot`, or on none.
    void mark(std::uint32_t slot) { m_slot = slot; }
    /// Until `t` it slept, or had no power.
    void wake(sim_time t) { m_told = t; }
    /// It takes interrupts, so often by now.
    void interrupt(sim_time t, std::uint64_t count) const { m_interrupts.set(t, count); }

private:
    timeline_track m_track;
    timeline_level m_interrupts;
    sim_time m_told; // until when
    std::uint32_t m_slot = latency_ledger::no_slot;
};

} // namespace ssdvp::cpu
