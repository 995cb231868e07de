// SPDX-License-Identifier: Apache-2.0
#include "models/thermal/network.h"

#include <algorithm>

namespace ssdvp::thermal {

namespace {

node_values capacities(const thermal_config& c, std::size_t dies)
{
    return {c.die.capacity * static_cast<double>(dies), c.controller.capacity, c.chassis.capacity};
}

modes modes_of(const thermal_config& c, std::size_t dies)
{
    const double flash = static_cast<double>(dies) / c.die.resistance;
    const double controller = 1.0 / c.controller.resistance;
    const double ambient = 1.0 / c.chassis.resistance;
    return modes({{{flash, 0.0, -flash},
                   {0.0, controller, -controller},
                   {-flash, -controller, flash + controller + ambient}}},
                 capacities(c, dies));
}

} // namespace

network::network(const thermal_config& c, std::size_t dies)
    : m_ambient(c.ambient), m_start(c.start), m_die(c.die), m_capacity(capacities(c, dies)),
      m_to_ambient(1.0 / c.chassis.resistance), m_modes(modes_of(c, dies)), m_deviation(dies)
{
    m_above.fill(c.start - c.ambient);
}

void network::advance(double seconds, const heat& watts)
{
    double flash = 0.0;
    for (const double w : watts.dies) {
        flash += w;
    }
    const modes::result r =
        m_modes.after(seconds, m_above, {flash, watts.controller, watts.chassis});
    m_above = r.end;
    m_given_off += r.integral[2] * m_to_ambient;
    m_taken += (flash + watts.controller + watts.chassis) * seconds;
    const double mean = flash / static_cast<double>(watts.dies.size());
    const double rate = 1.0 / (m_die.resistance * m_die.capacity);
    const double gone = gone_after(rate, seconds);
    for (std::size_t i = 0; i < m_deviation.size(); ++i) {
        const double end = (watts.dies[i] - mean) * m_die.resistance;
        m_deviation[i] += (end - m_deviation[i]) * gone;
    }
}

double network::hottest_die() const
{
    return flash() + *std::max_element(m_deviation.begin(), m_deviation.end());
}

double network::composite() const
{
    return std::max(controller(), hottest_die());
}

double network::settles_in() const
{
    constexpr double time_constants = 20.0; // e^-20 of a kelvin is no hundredth of one
    double slowest = 1.0 / (m_die.resistance * m_die.capacity);
    for (const double rate : m_modes.rates()) {
        slowest = std::min(slowest, rate);
    }
    return time_constants / slowest;
}

double network::stored() const
{
    double sum = 0.0;
    for (std::size_t i = 0; i < nodes; ++i) {
        sum += m_capacity[i] * (m_above[i] - (m_start - m_ambient));
    }
    return sum;
}

} // namespace ssdvp::thermal
