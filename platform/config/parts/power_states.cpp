// SPDX-License-Identifier: Apache-2.0
//
// NVMe power states (docs/power_states.md).
#include <cmath>

#include <fmt/format.h>

#include "models/regs/boot_params.h"
#include "models/regs/parts/power.h"
#include "platform/config/boot_block.h"
#include "platform/config/derived.h"
#include "platform/config/parts/part.h"
#include "platform/input/value.h"

namespace ssdvp::platform {

namespace {

using namespace units;

constexpr double most_watts = 100.0;

bool has_states(const ssd_config& c)
{
    return c.states.any();
}

option of_states(option o)
{
    return only_when(std::move(o), has_states, "power.states.max_power is given",
                     "give power.states.max_power, or remove it");
}

value_spec state_watts()
{
    return real_of(value_kind::number_list, 0.0, most_watts, true);
}

value_spec latencies()
{
    value_spec spec = time_of(0, 100 * s);
    spec.kind = value_kind::time_list;
    return spec;
}

std::vector<option> host_side()
{
    value_spec times = time_of(1000 * us, 16777 * s);
    times.kind = value_kind::time_list;
    return {
        only_when(
            make_option<ssd_config>(
                {"host.driver.power_state", "0",
                 "power state that the driver chooses when it starts the drive (feature 02h)"},
                count_of(0, BOOT_POWER_STATES - 1), FIELD(driver.power_state)),
            [](const ssd_config& c) { return c.driver.power_state != 0; }, "it is not 0"),
        only_when(
            make_option<ssd_config>({"host.driver.apst", "",
                                     "idle time before the drive goes by itself into each of its "
                                     "non-operational states "
                                     "in turn (feature 0Ch), multiples of 1ms",
                                     "the drive does not"},
                                    times, FIELD(driver.apst)),
            [](const ssd_config& c) { return !c.driver.apst.empty(); }, "it has a value"),
    };
}

std::vector<option> power_state_options()
{
    std::vector<option> table = {
        only_when(make_option<ssd_config>(
                      {"power.states.max_power", "",
                       "MP of each power state in watts, from state 0 on, up to 8 of them",
                       "the drive reports none, and states change nothing"},
                      state_watts(), FIELD(states.max_power), leaves_state),
                  has_states, "it has a value"),
        of_states(make_option<ssd_config>(
            {"power.states.operational", "1", "how many of them, the first ones, are operational"},
            count_of(1, BOOT_POWER_STATES), FIELD(states.operational), leaves_state)),
        of_states(make_option<ssd_config>({"power.states.idle", "",
                                           "IDLP of each non-operational state, watts: drawn in it",
                                           "their power.states.max_power"},
                                          state_watts(), FIELD(states.idle), leaves_state)),
        of_states(make_option<ssd_config>(
            {"power.states.entry", "0s", "ENLAT, multiples of 1us; a list has one per state"},
            latencies(), FIELD(states.entry), leaves_state)),
        of_states(make_option<ssd_config>(
            {"power.states.exit", "0s", "EXLAT, multiples of 1us; a list has one per state"},
            latencies(), FIELD(states.exit), leaves_state)),
        of_states(make_option<ssd_config>(
            {"power.states.step", "1ms",
             "from one look of firmware at the power drawn to the next, while the drive works"},
            time_of(us, s), FIELD(states.step), leaves_state)),
    };
    append(table, host_side());
    return table;
}

void complete_power_states(const raw_tree& raw, ssd_config& c, preset_fit& /*fit*/)
{
    power_states_config& p = c.states;
    const bool in_order = p.operational <= p.max_power.size();
    if (p.any() && raw.values.count("power.states.idle") == 0 && in_order) {
        p.idle.assign(p.max_power.begin() + p.operational, p.max_power.end());
    }
    c.driver.power_states = static_cast<std::uint32_t>(p.max_power.size());
    c.driver.operational_states = p.operational;
}

} // namespace

sim_time entry_of(const power_states_config& p, std::size_t state)
{
    return p.entry[p.entry.size() == 1 ? 0 : state];
}

std::vector<std::uint64_t> idle_of_states(const ssd_config& c)
{
    std::vector<std::uint64_t> idle(c.states.operational, 0);
    for (const double watts : c.states.idle) {
        idle.push_back(static_cast<std::uint64_t>(std::llround(watts * 1e6)));
    }
    return idle;
}

sim_time exit_of(const power_states_config& p, std::size_t state)
{
    return p.exit[p.exit.size() == 1 ? 0 : state];
}

namespace {

class state_checker {
public:
    state_checker(const raw_tree& raw, const ssd_config& c)
        : m_c(c), m_p(c.states), m_reject{raw}, m_count(c.states.max_power.size())
    {}

    void run() const
    {
        host();
        if (!m_p.any()) {
            return;
        }
        states();
        idle();
        latency("power.states.entry", m_p.entry);
        latency("power.states.exit", m_p.exit);
        figures();
    }

private:
    [[nodiscard]] std::size_t sleeping() const
    {
        return m_count > m_p.operational ? m_count - m_p.operational : 0;
    }

    void states() const
    {
        if (m_count > BOOT_POWER_STATES) {
            m_reject("power.states.max_power", fmt::format("{} power states", m_count),
                     fmt::format("give {} at most", BOOT_POWER_STATES));
        }
        for (std::size_t i = 1; i < m_count; ++i) {
            if (m_p.max_power[i] > m_p.max_power[i - 1]) {
                m_reject("power.states.max_power",
                         fmt::format("state {} takes {} W, more than state {} with {} W", i,
                                     m_p.max_power[i], i - 1, m_p.max_power[i - 1]),
                         "let the power of the states fall");
            }
        }
        if (m_p.operational > m_count) {
            m_reject("power.states.operational",
                     fmt::format("{} states work, but there are {}", m_p.operational, m_count),
                     "use the number of power.states.max_power at most");
        }
    }

    void idle() const
    {
        if (m_p.idle.size() != sleeping()) {
            m_reject("power.states.idle",
                     fmt::format("{} values, but {} states are non-operational", m_p.idle.size(),
                                 sleeping()),
                     "give one for each state from power.states.operational on");
        }
        for (std::size_t i = 0; i < m_p.idle.size(); ++i) {
            const double most = m_p.max_power[m_p.operational + i];
            if (m_p.idle[i] > most) {
                m_reject("power.states.idle",
                         fmt::format("{} W are more than the {} W of power.states.max_power",
                                     m_p.idle[i], most),
                         "let a state draw its maximum at most");
            }
        }
    }

    void latency(const char* key, const std::vector<sim_time>& list) const
    {
        if (list.size() != 1 && list.size() != m_count) {
            m_reject(key, fmt::format("{} values for {} states", list.size(), m_count),
                     "give one for all states, or one for each");
        }
        for (const sim_time t : list) {
            whole(key, t, us, "1us");
        }
    }

    void whole(const char* key, sim_time t, std::uint64_t unit, const char* name) const
    {
        if (t.ps() % unit != 0) {
            m_reject(key, fmt::format("{} is no multiple of {}", format_time(t), name),
                     fmt::format("use a multiple of {}", name));
        }
    }

    void figures() const
    {
        if (!m_c.energy.any()) {
            m_reject("power.states.max_power", "nothing draws power that it could limit",
                     "give nand.current.*, energy.link.* or energy.core.*");
        }
        const double idle = idle_watts(m_c);
        for (std::size_t i = 0; i < m_p.operational; ++i) {
            if (m_p.max_power[i] <= idle) {
                m_reject("power.states.max_power",
                         fmt::format("a drive that does nothing draws {:.3g} W, state {} allows {}",
                                     idle, i, m_p.max_power[i]),
                         "use more, or lower figures of what the parts draw idle");
            }
        }
    }

    void host() const
    {
        const std::uint32_t chosen = m_c.driver.power_state;
        if (chosen != 0 && chosen >= m_count) {
            m_reject("host.driver.power_state",
                     fmt::format("the drive has {} power states with figures", m_count),
                     "use a state of power.states.max_power");
        }
        if (m_c.driver.apst.size() > (m_p.any() ? sleeping() : 0)) {
            m_reject("host.driver.apst",
                     fmt::format("{} times, but {} states are non-operational",
                                 m_c.driver.apst.size(), m_p.any() ? sleeping() : 0),
                     "give one for each non-operational state of power.states at most");
        }
        for (const sim_time t : m_c.driver.apst) {
            whole("host.driver.apst", t, 1000 * us, "1ms");
        }
    }

    const ssd_config& m_c;
    const power_states_config& m_p;
    rejection m_reject;
    std::size_t m_count;
};

void check_power_states(const raw_tree& raw, const ssd_config& c)
{
    state_checker(raw, c).run();
}

/// In 100 uW.
std::uint32_t power_figure(double watts)
{
    return static_cast<std::uint32_t>(std::lround(watts * 1e4));
}

std::uint32_t whole_us(sim_time t)
{
    return static_cast<std::uint32_t>(t.ps() / 1000000);
}

void fill_power_states(boot_params& p, const ssd_config& c)
{
    const power_states_config& states = c.states;
    if (!states.any()) {
        return;
    }
    boot_power& b = p.power;
    b.count = static_cast<std::uint32_t>(states.max_power.size());
    b.operational = states.operational;
    b.step_us = whole_us(states.step);
    for (std::uint32_t i = 0; i < b.count; ++i) {
        b.state[i].max_power = power_figure(states.max_power[i]);
        b.state[i].idle = i < b.operational ? 0 : power_figure(states.idle[i - b.operational]);
        b.state[i].entry_us = whole_us(entry_of(states, i));
        b.state[i].exit_us = whole_us(exit_of(states, i));
    }
}

} // namespace

const config_part parts::power_states = {power_state_options, complete_power_states,
                                         check_power_states, fill_power_states};

} // namespace ssdvp::platform
