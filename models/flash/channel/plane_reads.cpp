// SPDX-License-Identifier: Apache-2.0
//
// Reads that need a plane, not the whole LUN (docs/models/channel.md, Independent plane reads).
#include <algorithm>

#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// Operations that need a command of their own do not share sequences, nor do those of different
/// program modes. A read retry level is a feature of the LUN.
scheduler::request controller::request_of(const flash_desc& d) const
{
    const bool array = d.op == FLASH_OP_READ || d.op == FLASH_OP_PROGRAM || d.op == FLASH_OP_ERASE;
    scheduler::request r;
    r.lun = lun_of(d);
    r.kind = kind_of(d);
    r.block = block_of(d);
    r.planes = planes_of(d);
    r.page = page_index(d.op == FLASH_OP_ERASE ? 0 : d.page);
    r.urgency = std::min(d.priority, waiting_ops::least_urgent);
    r.plain = array && d.retry == 0;
    r.independent = m_config.die.independent_plane_reads && r.plain && d.op == FLASH_OP_READ &&
                    !r.planes.several();
    r.partial = fits_snap_read(d, m_config.die);
    r.mode = d.program_mode;
    r.source = d.op == FLASH_OP_COPYBACK ? block_index(d.block) : waiting_ops::no_block;
    return r;
}

/// When the array of what has just been sent is known to be done.
sim_time controller::expect(op_id op, const sequencer::started& s)
{
    const scheduler::request& r = m_scheduler.what(op);
    if (!m_scheduler.by_plane(op)) {
        return poll_until(r.lun, s.end, s.expected);
    }
    m_stats.overlapped += m_scheduler.sensing(r.lun).empty() ? 0 : 1;
    return poll_until(r.lun, r.planes.first(), s.end, s.expected);
}

/// The array of a plane has read, or a poll found that it has.
void controller::see_plane(lun_index lun, plane_index plane)
{
    const sim_time t = now();
    const op_id op = m_scheduler.plane_ready(lun, plane, t);
    stamp(m_ops[op], latency_part::array, t);
}

} // namespace ssdvp::flash
