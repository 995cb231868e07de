// SPDX-License-Identifier: Apache-2.0
#include "models/common/reservation.h"

#include <algorithm>

namespace ssdvp {

reservation::interval reservation::go_around(sim_time earliest, sim_time length, sim_time packet)
{
    interval r{earliest, earliest + length};
    std::size_t first = m_first; // of those that r is around
    std::size_t i = m_first;
    for (; i < m_busy.size() && m_busy[i].begin < r.end; ++i) {
        const interval& b = m_busy[i];
        if (b.end <= r.begin) {
            first = i + 1;
        } else if (b.begin <= r.begin || b.end - b.begin > packet) { // behind it, anew
            r = {later(r.begin, b.end), later(r.begin, b.end) + length};
            first = i + 1;
        } else {
            r.end += b.end - b.begin;
        }
    }
    m_busy.erase(m_busy.begin() + static_cast<std::ptrdiff_t>(first),
                 m_busy.begin() + static_cast<std::ptrdiff_t>(i));
    insert(first, r);
    return r;
}

/// Where reservations went around others, their owed time may lie there already: the first free
/// places from `begin` on are taken. There is room, for all of it is in what is booked.
void reservation::note_owed(sim_time present, sim_time begin, sim_time length)
{
    const auto behind = [this](sim_time t) {
        return std::partition_point(m_uncounted.begin(), m_uncounted.end(),
                                    [t](const interval& u) { return u.end <= t; });
    };
    if (m_uncounted.size() >= 32) {
        m_uncounted.erase(m_uncounted.begin(), behind(present));
    }
    auto at = behind(begin);
    while (length != sim_time()) {
        const bool bounded = at != m_uncounted.end();
        const sim_time room = bounded ? at->begin - begin : length;
        const sim_time taken = earlier(room, length);
        if (taken != sim_time()) {
            at = m_uncounted.insert(at, {begin, begin + taken}) + 1;
            length = length - taken;
        }
        if (at != m_uncounted.end()) {
            begin = at->end;
            ++at;
        }
    }
}

sim_time reservation::ahead(const std::vector<interval>& of, std::size_t first, sim_time present)
{
    sim_time sum;
    for (std::size_t i = first; i < of.size(); ++i) {
        sum += of[i].end - later(of[i].begin, present);
    }
    return sum;
}

sim_time reservation::used(sim_time present) const
{
    const sim_time booked = ahead(m_busy, m_first, present) - ahead(m_uncounted, 0, present);
    return m_total - m_debt - booked;
}

void reservation::cut(sim_time present)
{
    m_total = used(present);
    m_busy.clear();
    m_uncounted.clear();
    m_first = 0;
    m_debt = m_owed = sim_time();
}

} // namespace ssdvp
