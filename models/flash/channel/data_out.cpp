// SPDX-License-Identifier: Apache-2.0
//
// The second bus phase of a read: its pages go out.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// The next page of a read. Between pages the bus is anybody's: what became ready meanwhile comes
/// first. Behind the last one the next operation of the sequence goes on.
void controller::data_out(const scheduler::grant& g)
{
    operation& o = m_ops[g.op];
    const plane_set planes = planes_of(o.desc);
    const plane_index plane = o.to_come.first();
    const std::uint32_t index = planes.size() - o.to_come.size();
    const bool several = o.shares || planes.several();
    stamp(o, latency_part::queue, now());
    // While another plane reads R/B# is low: only the status tells that this one is ready.
    const bool ask = m_config.status_poll && m_config.poll_period == sim_time() &&
                     !m_lines[lun_of(o.desc)]->high();
    m_sequencer.read_out(o.desc, {plane, index, several, ask}, now(), o.out);
    o.to_come.erase(plane);
    if (!o.to_come.empty()) {
        m_scheduler.begin_part(g.op, g.op, o.out.bus_end);
        stamp(o, latency_part::bus, o.out.bus_end);
        return;
    }
    if (o.partner != scheduler::none) {
        m_scheduler.begin_part(g.op, o.partner, o.out.bus_end);
    } else {
        m_stats.multi_plane += several ? 1 : 0;
        m_scheduler.begin_completion(g.op, o.out.bus_end);
        left(o.desc, o.out.bus_end);
    }
    end_bus_phase(g.op, o.out);
}

} // namespace ssdvp::flash
