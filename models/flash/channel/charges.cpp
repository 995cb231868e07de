// SPDX-License-Identifier: Apache-2.0
//
// What operations waited for before their first cycle: the accounts of the LUNs, and whose they
// are.
#include "models/flash/channel/blockers.h"
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// Somebody is told what it waited for: the command that it is part of, or those of a program.
bool controller::is_charged(const operation& o) const
{
    return m_environment.ledger != nullptr &&
           (o.desc.trace != FLASH_TRACE_NONE || o.desc.op == FLASH_OP_PROGRAM);
}

/// What `op` waited for, until its first cycle at `t`.
void controller::begin(op_id op, sim_time t)
{
    operation& o = m_ops[op];
    o.begin = t;
    o.segment = t;
    if (is_charged(o)) {
        charge_waits(op, t);
    }
}

/// Each kind of work that the LUN was at, then the bus, for which the rest of the time was.
void controller::charge_waits(op_id op, sim_time t)
{
    const operation& o = m_ops[op];
    latency_place* const place = place_of(o);
    sim_time until = o.arrival;
    m_work.each_wait(op, lun_of(o.desc), t, [&](blocker work, sim_time waited) {
        until += waited;
        if (place != nullptr) {
            place->wait(work, waited);
        }
        stamp(o, class_of(work), until);
    });
    stamp(o, latency_part::queue, t);
}

/// What the LUN as a whole is at from `t` on, as the scheduler says.
void controller::note_work(lun_index lun, sim_time t)
{
    const op_id at = m_scheduler.active(lun);
    m_work.does(lun, at != scheduler::none ? work_of(m_ops[at].desc) : blocker(), t);
}

/// The operation's last byte is on the bus at `end`.
void controller::left(const flash_desc& d, sim_time end)
{
    const lun_index lun = lun_of(d);
    if (m_work.is_of_planes(lun, planes_of(d))) {
        m_work.plane_does(lun, planes_of(d).first(), blocker(), end);
    } else {
        note_work(lun, end);
    }
}

} // namespace ssdvp::flash
