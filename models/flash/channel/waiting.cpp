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
    m_ops[op] = {r, m_next_order++, t, none, lun.tail, none, none};
    if (lun.tail != none) {
        m_ops[lun.tail].next = op;
    } else {
        lun.head = op;
    }
    lun.tail = op;
    lun.reads += r.kind == op_kind::read ? 1 : 0;
    if (m_rules.by_plane) {
        link_kind(op);
    }
}

waiting_ops::list& waiting_ops::kind_of(const request& what)
{
    return m_luns[what.lun].kinds[what.independent ? what.planes.first().value() : whole];
}

void waiting_ops::link_kind(op_id op)
{
    const request& what = m_ops[op].what;
    list& kind = kind_of(what);
    m_ops[op].previous_of_kind = kind.tail;
    (kind.tail != none ? m_ops[kind.tail].next_of_kind : kind.head) = op;
    kind.tail = op;
    if (what.independent) {
        m_luns[what.lun].wanted.insert(what.planes.first());
    }
}

void waiting_ops::unlink_kind(op_id op)
{
    node& n = m_ops[op];
    list& kind = kind_of(n.what);
    (n.previous_of_kind != none ? m_ops[n.previous_of_kind].next_of_kind : kind.head) =
        n.next_of_kind;
    (n.next_of_kind != none ? m_ops[n.next_of_kind].previous_of_kind : kind.tail) =
        n.previous_of_kind;
    if (n.what.independent && kind.head == none) {
        m_luns[n.what.lun].wanted.erase(n.what.planes.first());
    }
    n.next_of_kind = n.previous_of_kind = none;
}

void waiting_ops::unlink(op_id op)
{
    node& n = m_ops[op];
    lun_list& lun = m_luns[n.what.lun];
    (n.previous != none ? m_ops[n.previous].next : lun.head) = n.next;
    (n.next != none ? m_ops[n.next].previous : lun.tail) = n.previous;
    lun.reads -= n.what.kind == op_kind::read ? 1 : 0;
    if (m_rules.by_plane) {
        unlink_kind(op);
    }
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

waiting_ops::op_id waiting_ops::oldest_beside(lun_index lun, plane_set taken) const
{
    const lun_list& l = m_luns[lun];
    if (taken.empty()) {
        return l.head;
    }
    op_id best = l.kinds[whole].head; // those behind it wait with it
    for (const plane_index p : l.wanted - taken) {
        const op_id op = l.kinds[p.value()].head;
        if (best == none || m_ops[op].order < m_ops[best].order) {
            best = op;
        }
    }
    return best != none && may_begin(m_ops[best].what, taken) ? best : none;
}

/// Of equal urgency the older goes first. A read whose plane is taken holds up nobody; what needs
/// the LUN holds up all that it does not let pass.
waiting_ops::op_id waiting_ops::most_urgent_beside(lun_index lun, plane_set taken, sim_time t) const
{
    const lun_list& l = m_luns[lun];
    if (taken.empty()) {
        return first(lun, t);
    }
    if ((l.wanted - taken).empty()) {
        return none;
    }
    op_id best = none;
    unsigned least = least_urgent + 1u;
    for (op_id op = l.head; op != none && least != 0; op = m_ops[op].next) {
        const request& what = m_ops[op].what;
        const unsigned u = urgency(op, t);
        if (u < least && (!what.independent || may_begin(what, taken)) &&
            (op == l.head || (what.kind != op_kind::other && may_pass(op, none)))) {
            best = op;
            least = u;
        }
    }
    return best != none && may_begin(m_ops[best].what, taken) ? best : none;
}

waiting_ops::op_id waiting_ops::overtaking_read(op_id stopped, plane_set taken) const
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
            if (may_begin(what, taken)) {
                return op;
            }
            if (!what.independent) {
                return none; // it waits for the planes, and no read goes before it
            }
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
