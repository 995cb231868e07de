// SPDX-License-Identifier: Apache-2.0
#include "models/thermal/thermal.h"

#include <algorithm>
#include <cmath>

#include "models/common/register_access.h"
#include "models/regs/memory_map.h"
#include "models/regs/thermal_regs.h"

namespace ssdvp::thermal {

namespace {

double seconds_of(sim_time t)
{
    return static_cast<double>(t.ps()) * 1e-12;
}

/// Longest that the comparator waits for its next look, in seconds of simulated time: 50 days.
constexpr double longest_wait = 50.0 * 86400.0;

} // namespace

std::uint32_t centikelvin(double celsius)
{
    // What is a hundredth but for the last bits of a sum counts as that.
    const double hundredths = std::floor(celsius * 100.0 + 1e-6) + 27300.0;
    return hundredths <= 0.0 ? 0 : static_cast<std::uint32_t>(hundredths);
}

thermal::thermal(const sc_core::sc_module_name& name, const thermal_config& config,
                 std::size_t dies, energy_source& source, unsigned irq_line)
    : block(name), regs("regs"), irq("irq"), m_config(config), m_source(source),
      m_irq_line(irq_line), m_network(config, dies), m_composite_max(config.start),
      m_controller_max(config.start), m_nand_max(config.start), m_aged(dies)
{
    m_watts.dies.resize(dies);
    m_joules.dies.resize(dies);
    regs.register_b_transport(this, &thermal::b_transport);
    m_agenda.wakes<&thermal::expire>(*this);
}

thermal::~thermal() = default;

void thermal::follow(timeline& to)
{
    m_shown = timeline_level(to, "", "throttling", level_form::number);
}

void thermal::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& /*delay*/)
{
    if (!check_register_access(gp, MAP_THERMAL_SIZE)) {
        return;
    }
    std::uint32_t value = 0;
    bool known = false;
    if (gp.is_write()) {
        known = write(gp.get_address(), register_value(gp));
    } else if ((known = read(gp.get_address(), value))) {
        set_register_value(gp, value);
    }
    if (!known) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
}

bool thermal::read(std::uint64_t offset, std::uint32_t& value)
{
    switch (offset) {
    case THERMAL_REG_COMPOSITE:
        // Firmware that wakes up to read it may be what heats it past the limit again.
        if (!m_held) {
            convert();
        }
        m_held = false;
        value = m_config.on ? centikelvin(m_network.composite()) : 0;
        return true;
    case THERMAL_REG_CONTROLLER:
        value = m_config.on ? centikelvin(m_network.controller()) : 0;
        return true;
    case THERMAL_REG_NAND:
        value = m_config.on ? centikelvin(m_network.hottest_die()) : 0;
        return true;
    case THERMAL_REG_LOW:
        value = m_low;
        return true;
    case THERMAL_REG_HIGH:
        value = m_high;
        return true;
    case THERMAL_REG_LEVEL:
        value = m_level;
        return true;
    case THERMAL_REG_DIVIDER:
        value = m_divider;
        return true;
    case THERMAL_REG_ENERGY:
        value = microjoules();
        return true;
    case THERMAL_REG_POWER:
        value = m_power;
        return true;
    default:
        return false;
    }
}

bool thermal::write(std::uint64_t offset, std::uint32_t value)
{
    switch (offset) {
    case THERMAL_REG_LOW:
        m_low = value;
        return true;
    case THERMAL_REG_HIGH:
        m_high = value;
        m_held = false;
        m_compares = m_config.on;
        start_comparator();
        return true;
    case THERMAL_REG_LEVEL:
        set_level(value % levels);
        return true;
    case THERMAL_REG_DIVIDER:
        divide(value & 7u);
        return true;
    case THERMAL_REG_POWER:
        set_power(value);
        return true;
    default:
        return false;
    }
}

void thermal::set_level(unsigned level)
{
    m_level_time[m_level] += now() - m_level_since;
    m_level_since = now();
    m_level_entries[level] += level > m_level ? 1 : 0;
    m_level = level;
    m_shown.set(now(), level);
}

void thermal::divide(unsigned exponent)
{
    if (exponent != m_divider) {
        m_divider = exponent;
        m_source.divide_clock(exponent);
        start_comparator();
    }
}

/// Since power-on; wraps.
std::uint32_t thermal::microjoules() const
{
    heat joules;
    joules.dies.resize(m_joules.dies.size());
    m_source.read(joules);
    double sum = joules.controller + joules.chassis;
    for (const double die : joules.dies) {
        sum += die;
    }
    return m_earlier + static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum * 1e6));
}

void thermal::set_power(std::uint32_t value)
{
    m_power = value & (THERMAL_POWER_STATE_MASK | THERMAL_POWER_ASLEEP);
    m_source.power_state(m_power & THERMAL_POWER_STATE_MASK, (m_power & THERMAL_POWER_ASLEEP) != 0);
    start_comparator();
}

void thermal::power_off()
{
    m_agenda.clear();
    ++m_started;
    m_compares = m_held = false;
    m_low = m_high = 0;
    set_level(0);
    divide(0);
    if (m_power != 0) {
        set_power(0);
    }
}

heat thermal::mean_power(double seconds) const
{
    heat joules;
    joules.dies.resize(m_joules.dies.size());
    m_source.read(joules);
    heat watts;
    for (std::size_t i = 0; i < joules.dies.size(); ++i) {
        watts.dies.push_back((joules.dies[i] - m_joules.dies[i]) / seconds);
    }
    watts.controller = (joules.controller - m_joules.controller) / seconds;
    watts.chassis = (joules.chassis - m_joules.chassis) / seconds;
    return watts;
}

void thermal::convert()
{
    if (m_config.on && now() - m_last >= m_config.step) {
        step();
    }
}

void thermal::step()
{
    const double seconds = seconds_of(now() - m_last);
    if (seconds == 0.0) {
        return;
    }
    m_watts = mean_power(seconds);
    m_source.read(m_joules);
    // A long time is cut into pieces only for those who want to know what was on the way.
    const bool whole = !m_law || now() - m_last < m_config.step * 4;
    const int pieces = whole ? 1 : 256;
    for (int i = 0; i < pieces; ++i) {
        m_network.advance(seconds / pieces, m_watts);
        age(seconds / pieces);
    }
    m_last = now();
    m_composite_max = std::max(m_composite_max, m_network.composite());
    m_controller_max = std::max(m_controller_max, m_network.controller());
    m_nand_max = std::max(m_nand_max, m_network.hottest_die());
}

void thermal::age(double seconds)
{
    for (std::size_t i = 0; m_law && i < m_aged.size(); ++i) {
        m_aged[i] += seconds * m_law(m_network.die(i));
    }
}

sim_time thermal::aged(std::size_t die)
{
    convert();
    return sim_time(static_cast<std::uint64_t>(m_aged[die] * 1e12));
}

thermal_stats thermal::stats() const
{
    thermal_stats s;
    network n = m_network;
    const double seconds = seconds_of(now() - m_last);
    if (m_config.on && seconds > 0.0) {
        n.advance(seconds, mean_power(seconds));
    }
    s.composite = n.composite();
    s.controller = n.controller();
    s.nand = n.hottest_die();
    s.chassis = n.chassis();
    s.composite_max = std::max(m_composite_max, s.composite);
    s.controller_max = std::max(m_controller_max, s.controller);
    s.nand_max = std::max(m_nand_max, s.nand);
    s.taken = n.taken();
    s.stored = n.stored();
    s.given_off = n.given_off();
    s.level = m_level;
    s.time = m_level_time;
    s.time[m_level] += now() - m_level_since;
    s.entries = m_level_entries;
    return s;
}

bool thermal::outside(const network& n) const
{
    const std::uint32_t t = centikelvin(n.composite());
    return (m_low != 0 && t < m_low) || (m_high != 0 && t >= m_high);
}

/// Also where a register changes the power.
void thermal::start_comparator()
{
    ++m_started;
    m_patience = seconds_of(m_config.step);
    compare();
}

/// The next look is when the temperature leaves the range if the power stays what it was. It may
/// not: that of the last step is often of work that is over. So the comparator waits no longer than
/// it has waited in all, and sees a crossing by another power within twice the time it took.
void thermal::compare()
{
    if (!m_compares || (m_low == 0 && m_high == 0)) {
        return;
    }
    const sim_time due = m_last + sim_time(static_cast<std::uint64_t>(next_look() * 1e12));
    m_next = later(due, now() + m_config.step);
    m_agenda.push(m_next, m_started);
}

/// In seconds from the last step. Between two times, one twice the other, the temperature is taken
/// to leave once at most.
double thermal::next_look() const
{
    const auto leaves = [this](double seconds) {
        network n = m_network;
        n.advance(seconds, m_watts);
        return outside(n);
    };
    const double step = seconds_of(m_config.step);
    double before = 0.0;
    double after = std::min(step, m_patience);
    while (after < m_patience && !leaves(after)) {
        before = after;
        after = std::min(after * 2.0, m_patience);
    }
    if (!leaves(after)) {
        return m_patience;
    }
    while (after - before > step) {
        const double middle = (before + after) / 2.0;
        (leaves(middle) ? after : before) = middle;
    }
    return after;
}

void thermal::expire()
{
    activated();
    std::uint32_t generation = 0;
    while (m_agenda.pop_due(generation)) {
        if (generation != m_started) {
            continue;
        }
        step();
        if (outside(m_network)) {
            m_compares = false;
            m_held = true;
            irq->raise(m_irq_line);
        } else if (m_patience < std::min(m_network.settles_in(), longest_wait)) {
            m_patience *= 2.0;
            compare();
        }
    }
}

} // namespace ssdvp::thermal
