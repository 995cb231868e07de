// SPDX-License-Identifier: Apache-2.0
//
// Timer: registers in models/regs/timer_regs.h, page in docs/models/timer.md.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/state_archive.h"
#include "models/common/timed_queue.h"

namespace ssdvp::timer {

class timer final : public block {
public:
    tlm_utils::simple_target_socket<timer> regs; // offsets of timer_regs.h
    sc_core::sc_port<irq_line_if> irq;

    timer(const sc_core::sc_module_name& name, unsigned irq_line);
    ~timer() override;

    /// Power goes: the one-shot is not armed.
    void power_off()
    {
        m_agenda.clear();
        ++m_armed;
        m_due = sim_time();
    }

    /// The time that the one-shot is armed for, which may have passed when it is loaded.
    void keep(state_archive& a);

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void arm(sim_time due);
    void expire();

    unsigned m_irq_line;
    std::uint32_t m_latched_high = 0;
    std::uint32_t m_armed = 0; // generation of the one-shot that still counts
    sim_time m_due;            // when it fires; 0 = it is not armed
    timed_queue<std::uint32_t> m_agenda;
};

} // namespace ssdvp::timer
