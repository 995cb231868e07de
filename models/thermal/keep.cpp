// SPDX-License-Identifier: Apache-2.0
//
// What the thermal unit keeps from one process to the next: its registers, where the heat is, when
// the comparator looks. What is counted for the results begins anew, as all that is counted does.
#include "models/thermal/thermal.h"

namespace ssdvp::thermal {

void heat::subtract(const heat& other)
{
    for (std::size_t i = 0; i < dies.size(); ++i) {
        dies[i] -= other.dies[i];
    }
    controller -= other.controller;
    chassis -= other.chassis;
}

void heat::keep(state_archive& a)
{
    a.list(dies);
    a.value(controller);
    a.value(chassis);
}

void network::keep(state_archive& a)
{
    a.value(m_above);
    a.list(m_deviation);
    a.value(m_given_off);
    a.value(m_taken);
}

/// The source counts anew in each process, so what was drawn since the last step is kept.
void thermal::keep_heat(state_archive& a)
{
    heat drawn;
    drawn.dies.resize(m_joules.dies.size());
    m_source.read(drawn);
    const heat total = drawn;
    drawn.subtract(m_joules);
    drawn.keep(a);
    if (a.loading()) {
        m_joules = total;
        m_joules.subtract(drawn);
    }
    m_watts.keep(a);
    m_network.keep(a);
    a.value(m_last);
    a.list(m_aged);
    a.value(m_composite_max);
    a.value(m_controller_max);
    a.value(m_nand_max);
}

void thermal::keep(state_archive& a)
{
    std::uint32_t counted = microjoules();
    unsigned divider = m_divider;
    std::uint32_t power = m_power;
    a.value(counted);
    a.value(m_level);
    a.value(divider);
    a.value(power);
    if (a.loading()) {
        m_compares = false; // both would start the comparator, which goes on as it was
        divide(divider);
        set_power(power);
    }
    keep_heat(a);
    a.value(m_low);
    a.value(m_high);
    a.value(m_compares);
    a.value(m_patience);
    a.value(m_next);
    if (!a.loading()) {
        return;
    }
    m_earlier += counted - microjoules();
    m_level_since = now();
    ++m_started;
    if (m_compares && m_next > now()) {
        m_agenda.push(m_next, m_started);
    }
}

} // namespace ssdvp::thermal
