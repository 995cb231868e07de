// SPDX-License-Identifier: Apache-2.0
//
// Operations that share a command sequence: who joins whom, and the end of a cache sequence.
#include "models/flash/channel/controller.h"

namespace ssdvp::flash {

/// The operation and those that join its command sequence.
op_group controller::gather(const scheduler::grant& g)
{
    op_group group;
    group.add(m_ops[g.op].desc);
    op_id last = g.op;
    while (group.count < group.desc.size()) {
        const op_id partner = m_scheduler.take_partner(g, group.planes());
        if (partner == scheduler::none) {
            break;
        }
        m_ops[last].partner = partner;
        last = partner;
        group.add(m_ops[partner].desc);
    }
    return group;
}

op_group controller::group_of(op_id op) const
{
    op_group group;
    for (; op != scheduler::none; op = m_ops[op].partner) {
        group.add(m_ops[op].desc);
    }
    return group;
}

/// 3Fh: the operation whose page the array has read comes forward.
void controller::end_cache(const scheduler::grant& g)
{
    const operation& o = m_ops[g.op];
    stamp(o, latency_part::array, earlier(o.array_done, now()));
    const sequencer::started s = m_sequencer.end_cache(o.desc);
    stamp(o, latency_part::bus, s.end);
    m_scheduler.begin_cache_end(g.op, s.end, poll_until(lun_of(o.desc), s.end, s.expected));
}

} // namespace ssdvp::flash
