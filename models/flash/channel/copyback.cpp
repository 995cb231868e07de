// SPDX-License-Identifier: Apache-2.0
//
// Copyback (ONFI, Copyback Read and Copyback Program): the second bus phase, and what the
// controller makes of it. The third is the status, as of any program.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// 85h c r, out-of-band bytes when they are replaced, 11h or 10h; for each plane.
sequencer::started sequencer::write_back(const flash_desc& d, finished& check)
{
    started result;
    sim_time at = now();
    if (d.length != 0) {
        flash_desc out = d;
        out.oob_length = 0;
        page_out page{plane_index(0), 0, planes_of(d).several()};
        for (const plane_index plane : planes_of(d)) {
            page.plane = plane;
            read_out(out, page, at, check);
            at = check.bus_end;
            ++page.index;
        }
        result.end = at;
        if (check.status != FLASH_STATUS_OK) {
            return result;
        }
    }
    flash_desc to = d;
    to.block = d.to_block;
    to.page = d.to_page;
    to.column = 0;
    to.length = 0;
    plane_set left = planes_of(d);
    for (std::uint32_t index = 0; !left.empty(); ++index) {
        const plane_index plane = left.first();
        left.erase(plane);
        if (index != 0) {
            at += m_timing.times().tWB + m_config.die.timing.tDBSY;
        }
        if (!leave_slc(to, plane, at)) {
            check.status = FLASH_STATUS_BAD_DESCRIPTOR;
            result.end = later(at, now());
            return result;
        }
        prepare(to, plane);
        m_group.first = onfi::CHANGE_WRITE_COLUMN;
        m_group.second = left.empty() ? onfi::PROGRAM_2 : onfi::PROGRAM_MULTI_PLANE;
        m_group.column = d.oob_length != 0 ? m_config.die.geo.page_size : 0;
        m_group.column_cycles = column_address;
        m_group.row_cycles = m_row_cycles;
        const bool sent = d.oob_length != 0 ? send_data_in(to, index, at) : send(at, at);
        if (!sent) {
            check.status = FLASH_STATUS_BAD_DESCRIPTOR;
            result.end = later(at, now());
            return result;
        }
    }
    m_next_command[lun_of(d)] = at + m_timing.times().tWB;
    result.ok = true;
    result.end = at;
    result.expected = m_group.ready_at;
    return result;
}

/// The page is in the register: the array starts again, or the copyback ends here.
void controller::copy_back(op_id op)
{
    operation& o = m_ops[op];
    sequencer::finished check;
    const sequencer::started s = m_sequencer.write_back(o.desc, check);
    if (!s.ok) {
        check.bus_end = s.end;
        check.ecc_end = later(check.ecc_end, s.end);
        check.done = later(check.done, s.end);
        m_scheduler.begin_completion(op, check.bus_end);
        left(o.desc, check.bus_end);
        end_bus_phase(op, check);
        return;
    }
    o.programs = true;
    o.out = check;
    m_scheduler.begin_resume(op, s.end, poll_until(lun_of(o.desc), s.end, s.expected));
}

} // namespace ssdvp::flash
