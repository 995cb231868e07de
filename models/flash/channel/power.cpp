// SPDX-License-Identifier: Apache-2.0
//
// The channel loses power: what waits has not happened, what moves between LUN and memory is gone.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

void sequencer::reset()
{
    m_next_command.fill(sim_time());
    m_out.fill(plane_index());
    m_last_read.fill(page_place());
}

void controller::power_off()
{
    catch_up(); // what has ended counts
    m_stats.polling = polling();
    m_agenda.clear();
    note_late();
    m_rings.reset();
    m_scheduler.reset(now());
    m_sequencer.reset();
    m_free.clear();
    for (auto op = static_cast<op_id>(m_ops.size()); op-- > 0;) {
        m_free.push_back(op);
    }
    m_unposted.clear();
    m_direct.clear();
    tell_queue();
    m_work.reset(now());
    m_polls.fill(poll_plan());
    m_plane_polls.fill({});
    m_int_enable = 0;
    m_writes_pending = 0;
    m_wake = sim_time();
    ask_for(asked_at_reset());
}

} // namespace ssdvp::flash
