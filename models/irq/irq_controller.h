// SPDX-License-Identifier: Apache-2.0
//
// Interrupt controller: registers in models/regs/irq_regs.h, page in docs/models/irq.md.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/common/block.h"
#include "models/common/irq.h"

namespace ssdvp::irq {

class irq_controller final : public block, public irq_line_if, public irq_view_if {
public:
    tlm_utils::simple_target_socket<irq_controller> regs; // offsets of irq_regs.h
    sc_core::sc_export<irq_line_if> in;                   // devices raise lines here
    sc_core::sc_export<irq_view_if> core;                 // the core that takes the interrupts

    explicit irq_controller(const sc_core::sc_module_name& name);

    /// Power goes: nothing pending, nothing enabled.
    void power_off()
    {
        m_pending = m_enable = 0;
        m_armed = false;
    }

    void raise(unsigned line) override;
    [[nodiscard]] std::uint64_t pending() const override { return m_pending & m_enable; }
    void acknowledge(std::uint64_t lines) override { m_pending &= ~lines; }
    void arm() override { m_armed = true; }
    [[nodiscard]] const sc_core::sc_event& wake() const override { return m_wake; }
    void rouse() override { m_wake.notify(sc_core::SC_ZERO_TIME); }

private:
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay);
    void set_enable(std::uint64_t enable);
    void notify();

    std::uint64_t m_pending = 0;
    std::uint64_t m_enable = 0;
    bool m_armed = false;
    sc_core::sc_event m_wake;
};

} // namespace ssdvp::irq
