// SPDX-License-Identifier: Apache-2.0
//
// What the array of a LUN does behind a high R/B# (ONFI: read cache random, sequential, end; page
// cache program): R/B# tells of the cache register, ARDY of the array that works behind it.
#pragma once

#include "models/flash/die/array_operation.h"
#include "models/flash/die/lun_stats.h"
#include "models/flash/die/plane_registers.h"
#include "models/flash/die/status_register.h"

namespace ssdvp::flash {

class cache_sequence {
public:
    cache_sequence(cell_array& cells, plane_bank& planes, status_register& status, lun_stats& stats)
        : m_cells(cells), m_planes(planes), m_status(status), m_stats(stats)
    {}

    /// Read, program; idle = there is nothing behind.
    [[nodiscard]] array_operation what() const { return m_what; }
    [[nodiscard]] bool active() const { return m_what != array_operation::idle; }
    /// A read goes on behind the register of this plane.
    [[nodiscard]] bool reads(plane_index plane) const
    {
        return m_what == array_operation::read && m_planes_at_work.contains(plane);
    }
    [[nodiscard]] plane_set planes() const { return m_planes_at_work; }
    [[nodiscard]] bool at_work(sim_time t) const { return active() && t < m_end; }
    /// From `begin` until what is behind has ended.
    [[nodiscard]] sim_time wait_from(sim_time begin) const
    {
        return active() ? later(m_end, begin) - begin : sim_time();
    }

    /// 31h, 3Fh or 15h: what starts behind when R/B# rises takes `length`; 0 = nothing does.
    void plan(sim_time length) { m_next_length = length; }
    [[nodiscard]] sim_time planned() const { return m_next_length; }
    /// 31h, 3Fh: the page behind moves to the register that the bus reads; those that are next on
    /// `planes` take its place, if there are any.
    void bring_forward(bool more, plane_set planes, sim_time t);
    /// 15h: the data of `planes` go to the array.
    void put_behind(plane_set planes, sim_time t);
    /// The program behind is done; what it says is FAILC from now on. Without one there is no
    /// FAILC.
    void end_program();
    void give_up() { m_what = array_operation::idle; }
    /// Power goes: a program behind is cut, or has ended; its end is seen only with the next
    /// command.
    void cut_program(sim_time t);
    void reset()
    {
        m_what = array_operation::idle;
        m_planes_at_work = {};
    }

    /// Takes what lies ahead of `t` off `s`.
    void take_back(lun_stats& s, sim_time t) const
    {
        if (active()) {
            const sim_time left = m_end - t;
            s.busy = s.busy - left;
            s.arrays[static_cast<std::size_t>(use_of(m_what))].take_back(left, m_planes_at_work);
        }
    }

private:
    cell_array& m_cells;
    plane_bank& m_planes;
    status_register& m_status;
    lun_stats& m_stats;
    array_operation m_what = array_operation::idle;
    plane_set m_planes_at_work;
    sim_time m_end;
    sim_time m_next_length;
};

} // namespace ssdvp::flash
