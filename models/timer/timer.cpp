// SPDX-License-Identifier: Apache-2.0
#include "models/timer/timer.h"

#include "models/common/register_access.h"
#include "models/regs/memory_map.h"
#include "models/regs/timer_regs.h"

namespace ssdvp::timer {

timer::timer(const sc_core::sc_module_name& name, unsigned irq_line)
    : block(name), regs("regs"), irq("irq"), m_irq_line(irq_line)
{
    regs.register_b_transport(this, &timer::b_transport);
    m_agenda.wakes<&timer::expire>(*this);
}

timer::~timer() = default;

void timer::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!check_register_access(gp, MAP_TIMER_SIZE)) {
        return;
    }
    const sim_time at = now() + sim_time::from_sc(delay);
    if (gp.is_write()) {
        if (gp.get_address() != TIMER_REG_ONESHOT) {
            gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        const std::uint32_t ns = register_value(gp);
        arm(ns == 0 ? sim_time() : at + sim_time(1000ull * ns));
        return;
    }
    switch (gp.get_address()) {
    case TIMER_REG_NOW_LO:
        m_latched_high = static_cast<std::uint32_t>(at.ns() >> 32);
        set_register_value(gp, static_cast<std::uint32_t>(at.ns()));
        break;
    case TIMER_REG_NOW_HI:
        set_register_value(gp, m_latched_high);
        break;
    default:
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

void timer::arm(sim_time due)
{
    ++m_armed;
    m_due = due;
    if (due != sim_time()) {
        m_agenda.push(later(due, now()), m_armed);
    }
}

void timer::keep(state_archive& a)
{
    sim_time due = m_due;
    a.value(due);
    if (a.loading()) {
        arm(due);
    }
}

void timer::expire()
{
    activated();
    std::uint32_t generation = 0;
    while (m_agenda.pop_due(generation)) {
        if (generation == m_armed) {
            m_due = sim_time();
            irq->raise(m_irq_line);
        }
    }
}

} // namespace ssdvp::timer
