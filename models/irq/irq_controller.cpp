// SPDX-License-Identifier: Apache-2.0
#include "models/irq/irq_controller.h"

#include <algorithm>
#include <fmt/format.h>

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

std::uint64_t core_view::latched() const
{
    if (m_rings && m_due <= now()) {
        m_rings = false;
        m_lines |= 1ull << m_mailbox;
        m_shown.raised(m_mailbox, m_due);
    }
    return m_lines;
}

/// But not before the core has ended its work.
void core_view::wake_at(sim_time when)
{
    calendar::get().notify(m_wake, later(when, m_earliest) - now());
}

void core_view::arm(sim_time earliest)
{
    m_armed = true;
    m_earliest = earliest;
    if (m_rings && (m_enable >> m_mailbox & 1) != 0) {
        wake_at(m_due);
    }
    if (const sim_time raise = first_raise(); raise != late_device::never) {
        wake_at(raise);
    }
}

/// Of the enabled lines, by devices that will raise them late.
sim_time core_view::first_raise() const
{
    sim_time first = late_device::never;
    for (const late_device* d : m_devices) {
        if ((m_enable >> d->line() & 1) != 0) {
            first = earlier(first, d->raises_at());
        }
    }
    return first;
}

void core_view::foresee(std::uint64_t lines, sim_time when)
{
    if (m_armed && (lines & m_enable) != 0) {
        wake_at(when);
    }
}

void core_view::set_enable(std::uint64_t enable)
{
    m_enable = enable;
    raised(latched());
}

void core_view::raised(std::uint64_t lines)
{
    if (m_armed && (lines & m_enable) != 0) {
        m_armed = false;
        wake_at(now());
    }
}

// A doorbell that is on its way already announces this message too: who sends writes the message
// before the doorbell, at the same simulated time or earlier.
void core_view::ring(sim_time delay)
{
    const sim_time due = now() + delay;
    if ((latched() >> m_mailbox & 1) != 0) {
        return;
    }
    m_due = m_rings ? earlier(m_due, due) : due;
    m_rings = true;
    if (m_armed) {
        arm(m_earliest);
    }
}

void core_view::power_off()
{
    m_enable = 0;
    m_armed = false;
    m_rings = false;
}

irq_controller::irq_controller(const sc_core::sc_module_name& name, std::uint32_t cores,
                               fault_log* faults)
    : block(name), regs("regs"), in("in"), core("core"), m_cores(cores), m_faults(faults)
{
    sc_assert(cores >= 1 && cores <= MAP_CORES_MAX);
    for (std::uint32_t i = 0; i < MAP_CORES_MAX; ++i) {
        m_views[i].emplace(m_pending, m_devices, m_shown, IRQ_LINE_MAILBOX0 + i);
    }
    regs.register_b_transport(this, &irq_controller::b_transport);
    in.bind(*this);
    core.bind(*m_views[0]);
}

irq_controller::~irq_controller() = default;

bool irq_controller::idle() const
{
    return std::none_of(m_views.begin(), m_views.end(), [](const auto& v) { return v->rings(); });
}

void irq_controller::follow(timeline& to, unsigned line, const std::string& name)
{
    m_shown.level[line] = timeline_level(to, "irq", name, level_form::number);
    m_shown.level[line].set(sim_time(), 0);
}

void irq_controller::power_off()
{
    m_pending = 0;
    for (auto& view : m_views) {
        view->power_off();
    }
}

void irq_controller::raise(unsigned line)
{
    sc_assert(line < IRQ_LINES);
    const std::uint64_t bit = 1ull << line;
    if ((m_pending & bit) == 0) {
        m_pending |= bit;
        m_shown.raised(line, now());
        for (std::uint32_t i = 0; i < m_cores; ++i) {
            m_views[i]->raised(bit);
        }
    }
}

void irq_controller::foresee(unsigned line, sim_time when)
{
    sc_assert(line < IRQ_LINES);
    for (std::uint32_t i = 0; i < m_cores; ++i) {
        m_views[i]->foresee(1ull << line, when);
    }
}

// Enables and acknowledges take effect at once: they only ever come from the core that waits for
// the lines. A doorbell arrives at the time of the core that writes it.
void irq_controller::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay)
{
    if (!check_register_access(gp, MAP_IRQ_SIZE)) {
        return;
    }
    const std::uint64_t number = gp.get_address() / IRQ_CORE_STRIDE;
    if (number >= MAP_CORES_MAX) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (number >= m_cores && gp.is_write() &&
        gp.get_address() % IRQ_CORE_STRIDE == IRQ_REG_DOORBELL) {
        nobody_rung(number);
    }
    access_core(gp, *m_views[number], sim_time::from_sc(delay));
}

void irq_controller::nobody_rung(std::uint64_t number)
{
    if (m_faults != nullptr) {
        m_faults->misuse(name(), MAP_IRQ_BASE + number * IRQ_CORE_STRIDE + IRQ_REG_DOORBELL, [&] {
            return fmt::format("DOORBELL of core {}: there {} {}", number,
                               m_cores == 1 ? "is" : "are", m_cores);
        });
    }
}

void irq_controller::access_core(tlm::tlm_generic_payload& gp, core_view& view, sim_time delay)
{
    const bool write = gp.is_write();
    const std::uint32_t v = write ? register_value(gp) : 0;
    const auto low = [](std::uint64_t lines) { return static_cast<std::uint32_t>(lines); };
    const auto high = [](std::uint64_t lines) { return static_cast<std::uint32_t>(lines >> 32); };
    switch (gp.get_address() % IRQ_CORE_STRIDE) {
    case IRQ_REG_PENDING_LO:
        write ? view.acknowledge(v) : set_register_value(gp, low(view.latched()));
        break;
    case IRQ_REG_PENDING_HI:
        write ? view.acknowledge(std::uint64_t{v} << 32)
              : set_register_value(gp, high(view.latched()));
        break;
    case IRQ_REG_ENABLE_LO:
        write ? view.set_enable(with_low(view.enabled(), v))
              : set_register_value(gp, low(view.enabled()));
        break;
    case IRQ_REG_ENABLE_HI:
        write ? view.set_enable(with_high(view.enabled(), v))
              : set_register_value(gp, high(view.enabled()));
        break;
    case IRQ_REG_DOORBELL:
        write ? view.ring(delay) : set_register_value(gp, 0);
        break;
    default:
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

} // namespace ssdvp::irq
