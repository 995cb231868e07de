// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/plane_reads.h"

namespace ssdvp::flash {

namespace {

array_time& reading(lun_stats& s)
{
    return s.arrays[static_cast<std::size_t>(array_use::read)];
}

} // namespace

/// The LUN is busy while any plane is: the part behind all earlier ones is added.
void plane_reads::start(plane_index plane, sim_time begin, sim_time length)
{
    const sim_time end = begin + length;
    const sim_time alone = earlier(later(begin, m_until), end);
    m_planes[plane] = {begin, alone, end};
    m_at_work.insert(plane);
    m_until = later(m_until, end);
    m_stats.busy += end - alone;
    reading(m_stats).time += end - alone;
    reading(m_stats).planes += length;
}

sim_time plane_reads::first_begin() const
{
    sim_time first = m_until;
    for (const plane_index p : m_at_work) {
        first = earlier(first, m_planes[p].begin);
    }
    return first;
}

plane_set plane_reads::take_ended(sim_time t)
{
    plane_set ended;
    for (const plane_index p : m_at_work) {
        ended.set(p, m_planes[p].end <= t);
    }
    m_at_work = m_at_work - ended;
    return ended;
}

void plane_reads::take_back(lun_stats& s, sim_time t) const
{
    for (const plane_index p : m_at_work) {
        const sensing& read = m_planes[p];
        const sim_time ahead = read.end - later(t, read.alone);
        s.busy = s.busy - ahead;
        reading(s).time = reading(s).time - ahead;
        reading(s).planes = reading(s).planes - (read.end - later(t, read.begin));
    }
}

} // namespace ssdvp::flash
