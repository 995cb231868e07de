// SPDX-License-Identifier: Apache-2.0
#include "models/irq/irq_controller.h"

#include "models/common/register_access.h"
#include "models/regs/irq_regs.h"
#include "models/regs/memory_map.h"

namespace ssdvp::irq {

namespace {

std::uint64_t with_low(std::uint64_t v, std::uint32_t low)
{
    return (v & 0xFFFFFFFF00000000ull) | low;
}

std::uint64_t with_high(std::uint64_t v, std::uint32_t high)
{
    return (v & 0xFFFFFFFFull) | (std::uint64_t{high} << 32);
}

} // namespace

irq_controller::irq_controller(const sc_core::sc_module_name& name)
    : block(name), regs("regs"), in("in"), core("core"), m_wake("wake")
{
    regs.register_b_transport(this, &irq_controller::b_transport);
    in.bind(*this);
    core.bind(*this);
}

void irq_controller::raise(unsigned line)
{
    sc_assert(line < IRQ_LINES);
    const std::uint64_t bit = 1ull << line;
    if ((m_pending & bit) == 0) {
        m_pending |= bit;
        if ((m_enable & bit) != 0) {
            notify();
        }
    }
}

void irq_controller::set_enable(std::uint64_t enable)
{
    m_enable = enable;
    if (pending() != 0) {
        notify();
    }
}

void irq_controller::notify()
{
    if (m_armed) {
        m_armed = false;
        m_wake.notify(sc_core::SC_ZERO_TIME);
    }
}

// Writes take effect at once: they only ever come from the core that waits for the lines.
void irq_controller::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time&)
{
    if (!check_register_access(gp, MAP_IRQ_SIZE)) {
        return;
    }
    const bool write = gp.is_write();
    const std::uint32_t v = write ? register_value(gp) : 0;
    switch (gp.get_address()) {
    case IRQ_REG_PENDING_LO:
        write ? acknowledge(v) : set_register_value(gp, static_cast<std::uint32_t>(m_pending));
        break;
    case IRQ_REG_PENDING_HI:
        write ? acknowledge(std::uint64_t{v} << 32)
              : set_register_value(gp, static_cast<std::uint32_t>(m_pending >> 32));
        break;
    case IRQ_REG_ENABLE_LO:
        write ? set_enable(with_low(m_enable, v))
              : set_register_value(gp, static_cast<std::uint32_t>(m_enable));
        break;
    case IRQ_REG_ENABLE_HI:
        write ? set_enable(with_high(m_enable, v))
              : set_register_value(gp, static_cast<std::uint32_t>(m_enable >> 32));
        break;
    default:
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

} // namespace ssdvp::irq
