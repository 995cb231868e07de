// SPDX-License-Identifier: Apache-2.0
#include "models/flash/die/cache_sequence.h"

#include <utility>

namespace ssdvp::flash {

void cache_sequence::bring_forward(bool more, plane_set planes, sim_time t)
{
    for (const plane_index p : m_planes.indices()) {
        plane_registers& plane = m_planes[p];
        if (reads(p)) {
            plane.held = plane.behind;
            plane.retry = 0;
            plane.holds_page = true;
            plane.noise = m_cells.sense(plane.held.at, 0, plane.held.mode);
            ++m_stats.reads;
        }
        if (planes.contains(p)) {
            plane.behind = plane.next;
        }
    }
    m_what = more ? array_operation::read : array_operation::idle;
    m_planes_at_work = more ? planes : plane_set();
    m_end = t + m_next_length;
}

void cache_sequence::put_behind(plane_set planes, sim_time t)
{
    for (const plane_index p : planes) {
        std::swap(m_planes[p].page, m_planes[p].behind_page);
        m_planes[p].behind = m_planes[p].target;
    }
    m_what = array_operation::program;
    m_planes_at_work = planes;
    m_end = t + m_next_length;
}

void cache_sequence::end_program()
{
    m_status.forget_previous();
    if (m_what != array_operation::program) {
        return;
    }
    m_status.begin();
    for (const plane_index p : m_planes_at_work) {
        const plane_registers& plane = m_planes[p];
        m_status.fail(p, m_cells.program(plane.behind.at, plane.behind_page,
                                         {cell_access::timed, plane.behind.mode}));
        ++m_stats.programs;
    }
    m_status.make_previous();
    m_what = array_operation::idle;
}

void cache_sequence::cut_program(sim_time t)
{
    if (m_what != array_operation::program) {
        return;
    }
    if (m_end <= t) {
        end_program();
        return;
    }
    for (const plane_index p : m_planes_at_work) {
        const plane_registers& plane = m_planes[p];
        m_cells.cut_program(plane.behind.at, plane.behind_page,
                            {cell_access::timed, plane.behind.mode});
    }
}

} // namespace ssdvp::flash
