// SPDX-License-Identifier: Apache-2.0
#include "platform/control/power_schedule.h"

#include <algorithm>
#include <cmath>
#include <systemc>
#include <utility>

#include "models/common/calendar.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t cut_stream = 0x637574; // keeps its numbers apart from the workload's

/// Times from `begin` on, the next one last.
std::vector<sim_time> appointments(const std::vector<sim_time>& times, sim_time begin)
{
    std::vector<sim_time> list;
    for (auto t = times.rbegin(); t != times.rend(); ++t) {
        list.push_back(begin + *t);
    }
    return list;
}

} // namespace

void operation_counter::arm(std::uint64_t operations)
{
    m_left = operations;
    m_fired = false;
}

void operation_counter::array_begins()
{
    if (m_left != 0 && --m_left == 0) {
        m_fired = true;
        calendar::get().pause();
    }
}

power_schedule::power_schedule(const power_config& config, std::uint64_t seed,
                               std::vector<sim_time> reset_at)
    : m_config(config), m_reset_at(std::move(reset_at)), m_random(seed, cut_stream)
{}

void power_schedule::begin(sim_time t)
{
    m_on = true;
    m_cuts = appointments(m_config.cut_at, t);
    m_shutdowns = appointments(m_config.shutdown_at, t);
    m_resets = appointments(m_reset_at, t);
    powered(t);
}

void power_schedule::end()
{
    m_on = false;
    m_operations.arm(0);
}

void power_schedule::powered(sim_time t)
{
    m_checking.reset();
    m_operations.arm(m_on ? m_config.cut_every : 0);
    if (m_config.cut_rate > 0.0) {
        draw(t);
    }
    if (m_config.shutdown_every != sim_time()) {
        m_shutdowns = {t + m_config.shutdown_every};
    }
    // What was to come while there was no power has come.
    for (auto* list : {&m_cuts, &m_shutdowns, &m_resets}) {
        while (!list->empty() && list->back() < t) {
            list->pop_back();
        }
    }
}

bool power_schedule::waits_for_check(event what) const
{
    return (what == event::cut && m_config.cut_rate > 0.0) ||
           (what == event::shutdown && m_config.shutdown_every != sim_time());
}

void power_schedule::checking(sim_time t)
{
    m_checking = t;
}

void power_schedule::checked(sim_time t)
{
    for (const auto& [what, list] :
         {std::pair(event::cut, &m_cuts), std::pair(event::shutdown, &m_shutdowns)}) {
        for (sim_time& when : *list) {
            when += waits_for_check(what) ? t - m_checking.value_or(t) : sim_time();
        }
    }
    m_checking.reset();
}

power_schedule::unreached power_schedule::left() const
{
    return {m_config.cut_at.empty() ? 0 : m_cuts.size(),
            m_config.shutdown_at.empty() ? 0 : m_shutdowns.size(), m_resets.size()};
}

/// Exponential gaps.
void power_schedule::draw(sim_time t)
{
    const double gap = -std::log1p(-m_random.real()) * 1e12 / m_config.cut_rate; // ps
    const double most = 1e18;
    m_cuts = {t + sim_time(1 + static_cast<std::uint64_t>(std::min(gap, most)))};
}

std::optional<power_schedule::appointment> power_schedule::next(bool shutdowns_too) const
{
    std::optional<appointment> first;
    if (m_on && shutdowns_too && !m_shutdowns.empty()) {
        first = {event::shutdown, m_shutdowns.back()};
    }
    if (m_on && shutdowns_too && !m_resets.empty() && (!first || m_resets.back() < first->when)) {
        first = {event::reset, m_resets.back()};
    }
    const bool waits = m_checking && waits_for_check(event::cut);
    if (m_on && !waits && !m_cuts.empty() && (!first || m_cuts.back() <= first->when)) {
        first = {event::cut, m_cuts.back()};
    }
    return first;
}

std::optional<power_schedule::event> power_schedule::take(sim_time t, bool shutdowns_too)
{
    if (m_operations.fired()) {
        m_operations.arm(0);
        return event::cut;
    }
    const auto due = next(shutdowns_too);
    if (!due || due->when > t) {
        return std::nullopt;
    }
    auto& list = due->what == event::cut     ? m_cuts
                 : due->what == event::reset ? m_resets
                                             : m_shutdowns;
    list.pop_back();
    return due->what;
}

} // namespace ssdvp::platform
