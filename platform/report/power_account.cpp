// SPDX-License-Identifier: Apache-2.0
#include "platform/report/power_account.h"

#include <algorithm>
#include <utility>

namespace ssdvp::platform {

namespace {

/// Cores and link tell of what they do a little before or after it: nothing is less than nothing.
void take_off(uint128& from, uint128 amount)
{
    from -= std::min(from, amount);
}

void add(uint128& to, uint128 amount)
{
    to += amount;
}

} // namespace

void leave_out(energy_parts& parts, const power_state_counts& p)
{
    each_part(parts, p.left_out, take_off);
    parts.asleep = p.asleep;
}

void leave_out(energy_places& places, const power_state_counts& p)
{
    each_place(places, p.left_out_at, take_off);
    places.controller += p.asleep;
}

power_account::power_account(std::vector<std::uint64_t> idle) : m_idle(std::move(idle))
{
    m_counts.states.resize(m_idle.size());
}

/// The time since the last change belongs to the state that it was in.
void power_account::close(power_state_counts& counts, const reading& now) const
{
    power_state_statistics& s = counts.states[m_state];
    const sim_time length = now.when - m_last.when;
    s.time += length;
    energy_parts drawn = now.parts;
    each_part(drawn, m_last.parts, take_off);
    if (!m_asleep) {
        s.energy += drawn.sum();
        return;
    }
    // 1 uW x 1 ps = 1e-18 J
    const uint128 energy = uint128{length.ps()} * m_idle[m_state] * 1000000000u;
    s.asleep += length;
    s.energy += energy;
    counts.asleep += energy;
    each_part(counts.left_out, drawn, add);
    energy_places at = now.places;
    each_place(at, m_last.places, take_off);
    each_place(counts.left_out_at, at, add);
}

void power_account::change(const reading& now, unsigned state, bool asleep)
{
    close(m_counts, now);
    m_last = now;
    m_counts.states[state].entries += state != m_state ? 1 : 0;
    m_state = state;
    m_asleep = asleep;
}

sim_time power_account::asleep(sim_time when) const
{
    sim_time sum = m_asleep ? when - m_last.when : sim_time();
    for (const power_state_statistics& s : m_counts.states) {
        sum += s.asleep;
    }
    return sum;
}

power_state_counts power_account::at(const reading& now) const
{
    power_state_counts counts = m_counts;
    close(counts, now);
    return counts;
}

} // namespace ssdvp::platform
