// SPDX-License-Identifier: Apache-2.0
#include "models/dram/activations.h"

namespace ssdvp::dram {

std::size_t activations::position(sim_time t) const
{
    std::size_t k = m_times.size();
    while (k > m_first && m_times[k - 1] > t) {
        --k;
    }
    return k;
}

bool activations::stands(sim_time& t, std::size_t k) const
{
    const std::size_t w = m_t.window;
    const sim_time tFAW = m_t.figures.tFAW;
    const std::size_t before = k - m_first;
    sim_time least = t;
    if (before >= 1) {
        least = later(least, m_times[k - 1] + m_t.between_sets);
    }
    if (before >= w) {
        least = later(least, m_times[k - w] + tFAW);
    }
    if (least > t) {
        t = least;
        return false;
    }
    const std::size_t behind = m_times.size() - k;
    bool room = behind < 1 || t + m_t.between_sets <= m_times[k];
    room = room && (behind < w || t + tFAW <= m_times[k + w - 1]);
    // Windows that begin before t and end behind it get one more.
    for (std::size_t j = 1; room && j < w; ++j) {
        if (before >= j && behind >= w - j) {
            room = m_times[k - j] + tFAW <= m_times[k + w - j - 1];
        }
    }
    if (!room) {
        t = m_times[k] + m_t.between_sets;
    }
    return room;
}

sim_time activations::fit(sim_time from) const
{
    sim_time t = from;
    while (!stands(t, position(t))) {
    }
    return t;
}

void activations::take(sim_time t)
{
    m_times.insert(m_times.begin() + static_cast<std::ptrdiff_t>(position(t)), t);
}

void activations::drop(sim_time t)
{
    const std::size_t k = position(t);
    if (k > m_first && m_times[k - 1] == t) {
        m_times.erase(m_times.begin() + static_cast<std::ptrdiff_t>(k - 1));
    }
}

std::uint64_t activations::cut(sim_time present)
{
    const std::uint64_t behind = m_times.size() - position(present);
    m_times.clear();
    m_first = 0;
    return behind;
}

void activations::give_room()
{
    m_times.erase(m_times.begin(), m_times.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

} // namespace ssdvp::dram
