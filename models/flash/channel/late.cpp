// SPDX-License-Identifier: Apache-2.0
//
// Completions that have no event: where somebody says before firmware looks, they are posted then.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

void controller::start_of_simulation()
{
    m_attended = irq->attend(*this);
    m_agenda.heed_late(!m_attended);
}

void controller::catch_up()
{
    agenda_entry e;
    sim_time when;
    while (m_agenda.pop_late(e, when)) { // completions alone are late
        finish(e.a, when);
    }
    note_late();
}

void controller::note_late()
{
    const sim_time first = m_agenda.first_late();
    set_late(first, first);
}

/// Firmware alone sees that, and only in the ring. But for a controller that is full: it goes on
/// then.
void controller::end_at(op_id op, sim_time when)
{
    if (m_ops[op].direct) { // the client sees it
        m_agenda.push(when, {todo::complete, op, 0});
        return;
    }
    m_agenda.push_late(when, {todo::complete, op, 0});
    note_late();
    if (raises_at() == when) {
        irq->foresee(m_environment.irq_line, when);
    }
}

} // namespace ssdvp::flash
