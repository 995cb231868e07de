// SPDX-License-Identifier: Apache-2.0
#include "models/dram/activations.h"

#include <algorithm>

namespace ssdvp::dram {

namespace {

constexpr std::size_t worth_remembering = 16; // bookings that a search had to look at

} // namespace

std::size_t activations::position(sim_time t) const
{
    if (m_times.empty() || m_times.back() <= t) {
        return m_times.size();
    }
    const auto behind =
        std::upper_bound(m_times.begin() + static_cast<std::ptrdiff_t>(m_first), m_times.end(), t);
    return static_cast<std::size_t>(behind - m_times.begin());
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

/// `t` becomes the first moment that stands; returns how many bookings were looked at.
std::size_t activations::search(sim_time& t) const
{
    std::size_t looked = 0;
    std::size_t k = position(t);
    for (;; ++looked) {
        const std::size_t i = full_behind(t);
        if (i < m_full.size() && m_full[i].begin <= t) {
            t = m_full[i].end;
            k = position(t);
        }
        if (stands(t, k)) {
            return looked;
        }
        while (k < m_times.size() && m_times[k] <= t) {
            ++k;
        }
    }
}

sim_time activations::fit(sim_time from, std::uint64_t& looked)
{
    sim_time t = from;
    const std::size_t n = search(t);
    looked += n;
    if (n >= worth_remembering) {
        remember({from, t});
    }
    return t;
}

/// What fits beside one more says nothing of what fits without it: it is not remembered.
sim_time activations::fit_beside(sim_time also, sim_time from, std::uint64_t& looked)
{
    insert(also);
    sim_time t = from;
    looked += search(t);
    erase(also);
    return t;
}

std::size_t activations::full_behind(sim_time t) const
{
    const auto at = std::partition_point(m_full.begin(), m_full.end(),
                                         [t](const span& s) { return s.end <= t; });
    return static_cast<std::size_t>(at - m_full.begin());
}

void activations::remember(span s)
{
    auto first = std::partition_point(m_full.begin(), m_full.end(),
                                      [&s](const span& f) { return f.end < s.begin; });
    auto last = first; // [first, last) touch the new one
    while (last != m_full.end() && last->begin <= s.end) {
        s = {earlier(s.begin, last->begin), later(s.end, last->end)};
        ++last;
    }
    m_full.insert(m_full.erase(first, last), s);
}

/// Something may fit there again.
void activations::open(span s)
{
    for (std::size_t i = full_behind(s.begin); i < m_full.size() && m_full[i].begin < s.end;) {
        const span f = m_full[i];
        const auto at = m_full.erase(m_full.begin() + static_cast<std::ptrdiff_t>(i));
        if (s.end < f.end) {
            m_full.insert(at, {s.end, f.end});
        }
        if (f.begin < s.begin) {
            m_full.insert(m_full.begin() + static_cast<std::ptrdiff_t>(i), {f.begin, s.begin});
            ++i;
        }
        if (s.end < f.end) {
            return;
        }
    }
}

void activations::insert(sim_time t)
{
    m_times.insert(m_times.begin() + static_cast<std::ptrdiff_t>(position(t)), t);
}

bool activations::erase(sim_time t)
{
    const std::size_t k = position(t);
    if (k == m_first || m_times[k - 1] != t) {
        return false;
    }
    m_times.erase(m_times.begin() + static_cast<std::ptrdiff_t>(k - 1));
    return true;
}

void activations::take(sim_time t)
{
    insert(t);
}

void activations::drop(sim_time t)
{
    if (erase(t) && !m_full.empty()) {
        const sim_time reach = later(m_t.figures.tFAW, m_t.between_sets);
        open({t - reach, t + reach});
    }
}

std::uint64_t activations::cut(sim_time present)
{
    const std::uint64_t behind = m_times.size() - position(present);
    m_times.clear();
    m_full.clear();
    m_first = 0;
    return behind;
}

void activations::give_room()
{
    m_times.erase(m_times.begin(), m_times.begin() + static_cast<std::ptrdiff_t>(m_first));
    m_first = 0;
}

void activations::forget_full(sim_time present)
{
    m_full.erase(m_full.begin(),
                 m_full.begin() + static_cast<std::ptrdiff_t>(full_behind(present)));
}

} // namespace ssdvp::dram
