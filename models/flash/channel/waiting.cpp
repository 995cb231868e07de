// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/waiting.h"

namespace ssdvp::flash {

namespace {

using request = waiting_ops::request;

/// Must `later` stay behind `older`? Reads owe each other nothing; what changes a block keeps its
/// place before and behind all else of that block.
bool depends(const request& later, const request& older)
{
    const bool both_read = later.kind == op_kind::read && older.kind == op_kind::read;
    const bool meet =
        later.block == older.block || later.source == older.block || later.block == older.source;
    return !both_read && meet && !(later.planes & older.planes).empty();
}

} // namespace

waiting_ops::waiting_ops(std::uint32_t luns, std::uint32_t ops, const rules& r)
    : m_rules(r), m_ops(ops), m_luns(luns)
{}

void waiting_ops::arrive(op_id op, const request& r, sim_time t)
{
    lun_list& lun = m_luns[r.lun];
    m_ops[op] = {r, m_next_order++, t, none, lun.tail};
    if (lun.tail != none) {
        m_ops[lun.tail].next = op;
    } else {
        lun.head = op;
    }
    lun.tail = op;
    lun.reads += r.kind == op_kind::read ? 1 : 0;
}

void waiting_ops::unlink(op_id op)
{
    node& n = m_ops[op];
    lun_list& lun = m_luns[n.what.lun];
    (n.previous != none ? m_ops[n.previous].next : lun.head) = n.next;
    (n.next != none ? m_ops[n.next].previous : lun.tail) = n.previous;
    lun.reads -= n.what.kind == op_kind::read ? 1 : 0;
    n.next = none;
    n.previous = none;
}

std::uint8_t waiting_ops::urgency(op_id op, sim_time t) const
{
    const node& n = m_ops[op];
    const bool counts = m_rules.by_priority && t < n.arrival + m_rules.age_limit;
    return counts ? n.what.urgency : std::uint8_t{0};
}

/// A reset is a barrier.
bool waiting_ops::may_pass(op_id op, op_id except) const
{
    const request& what = m_ops[op].what;
    for (op_id older = m_ops[op].previous; older != none; older = m_ops[older].previous) {
        const request& passed = m_ops[older].what;
        if (older != except && (passed.kind == op_kind::other || depends(what, passed))) {
            return false;
        }
    }
    return true;
}

waiting_ops::op_id waiting_ops::most_urgent(lun_index lun, sim_time t) const
{
    op_id best = m_luns[lun].head;
    std::uint8_t least = urgency(best, t);
    for (op_id op = m_ops[best].next; op != none && least != 0; op = m_ops[op].next) {
        const std::uint8_t u = urgency(op, t);
        if (u < least && m_ops[op].what.kind != op_kind::other && may_pass(op, none)) {
            best = op;
            least = u;
        }
    }
    return best;
}

waiting_ops::op_id waiting_ops::overtaking_read(op_id stopped) const
{
    const lun_list& lun = m_luns[m_ops[stopped].what.lun];
    if (lun.reads == 0) {
        return none;
    }
    for (op_id op = lun.head; op != none; op = m_ops[op].next) {
        const request& what = m_ops[op].what;
        if (what.kind == op_kind::other) {
            return none;
        }
        if (what.kind == op_kind::read && !depends(what, m_ops[stopped].what) &&
            may_pass(op, none)) {
            return op;
        }
    }
    return none;
}

waiting_ops::op_id waiting_ops::partner(op_id leader, plane_set planes) const
{
    const request& first = m_ops[leader].what;
    for (op_id op = m_luns[first.lun].head; op != none; op = m_ops[op].next) {
        const request& what = m_ops[op].what;
        const bool fits =
            alike(what, first) && what.page == first.page && (what.planes & planes).empty();
        if (op != leader && fits && may_pass(op, leader)) {
            return op;
        }
    }
    return none;
}

} // namespace ssdvp::flash
