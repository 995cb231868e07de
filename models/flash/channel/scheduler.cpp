// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/scheduler.h"

#include <algorithm>

namespace ssdvp::flash {

scheduler::scheduler(const order_policy& order, std::uint32_t luns, std::uint32_t ops)
    : m_order(order), m_keeps_order(!order.may_overtake()), m_ops(ops), m_luns(luns)
{}

void scheduler::arrive(op_id op, const request& r, sim_time t)
{
    lun_node& lun = m_luns[r.lun];
    m_ops[op] = {r, m_next_order++, t, none, lun.tail};
    if (lun.tail != none) {
        m_ops[lun.tail].next = op;
    } else {
        lun.head = op;
    }
    lun.tail = op;
    lun.waiting_reads += r.kind == op_kind::read ? 1 : 0;
    ++m_unfinished;
}

void scheduler::unlink(op_id op)
{
    op_node& node = m_ops[op];
    lun_node& lun = m_luns[node.what.lun];
    (node.previous != none ? m_ops[node.previous].next : lun.head) = node.next;
    (node.next != none ? m_ops[node.next].previous : lun.tail) = node.previous;
    lun.waiting_reads -= node.what.kind == op_kind::read ? 1 : 0;
    node.next = none;
    node.previous = none;
}

order_state scheduler::order_now() const
{
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    order_state s{never, never, m_last_start, m_last_completion};
    for (const lun_node& lun : m_luns) {
        if (lun.head != none) {
            s.oldest_unstarted = std::min(s.oldest_unstarted, m_ops[lun.head].order);
            s.oldest_unfinished = std::min(s.oldest_unfinished, m_ops[lun.head].order);
        }
        if (lun.active != none) {
            s.oldest_unfinished = std::min(s.oldest_unfinished, m_ops[lun.active].order);
        }
    }
    return s;
}

bool scheduler::may_be_stopped(op_kind kind) const
{
    return kind == op_kind::erase     ? m_suspend.erases
           : kind == op_kind::program ? m_suspend.programs
                                      : false;
}

/// The oldest waiting read that may pass `stopped`, an erase or program: no older operation of this
/// LUN that changes its block is unfinished.
scheduler::op_id scheduler::overtaking_read(const lun_node& lun, op_id stopped) const
{
    if (lun.waiting_reads == 0) {
        return none;
    }
    const auto depends = [](const request& read, const request& other) {
        return other.kind != op_kind::read && read.block == other.block &&
               (read.planes & other.planes) != 0;
    };
    for (op_id op = lun.head; op != none; op = m_ops[op].next) {
        const request& what = m_ops[op].what;
        if (what.kind == op_kind::other) {
            return none; // a reset is a barrier
        }
        if (what.kind != op_kind::read) {
            continue;
        }
        bool passes = !depends(what, m_ops[stopped].what);
        for (op_id older = lun.head; older != op && passes; older = m_ops[older].next) {
            passes = !depends(what, m_ops[older].what);
        }
        if (passes) {
            return op;
        }
    }
    return none;
}

/// Precondition: the LUN of `op` is idle. The start counts as ready since the operation is queued:
/// the few command cycles of the next read then go before the long data out of another LUN that
/// became ready meanwhile, and arrays work while the bus transfers. Only so do k LUNs reach
/// min(k * page / (tR + transfer), bus rate).
std::optional<scheduler::grant> scheduler::start_of(op_id op, const order_state& s) const
{
    if (!m_keeps_order) {
        return grant{op, bus_phase::start, m_ops[op].arrival};
    }
    const auto gate = m_order.may_start(s, m_ops[op].order);
    if (!gate) {
        return std::nullopt;
    }
    return grant{op, bus_phase::start, later(m_ops[op].arrival, *gate)};
}

std::optional<scheduler::grant> scheduler::candidate(const lun_node& lun,
                                                     const order_state& s) const
{
    if (lun.state == lun_state::ready && !m_keeps_order) {
        return grant{lun.active, bus_phase::completion, lun.ready};
    }
    if (lun.state == lun_state::ready) {
        const auto gate = m_order.may_complete(s, m_ops[lun.active].order);
        return gate ? std::optional<grant>(
                          grant{lun.active, bus_phase::completion, later(lun.ready, *gate)})
                    : std::nullopt;
    }
    if (lun.state == lun_state::array) {
        const bool may_ask =
            !lun.refused && m_order.may_overtake() && may_be_stopped(m_ops[lun.active].what.kind);
        const op_id read = may_ask ? overtaking_read(lun, lun.active) : none;
        return read != none
                   ? std::optional<grant>(grant{lun.active, bus_phase::suspend,
                                                later(m_ops[read].arrival, lun.array_begin)})
                   : std::nullopt;
    }
    if (lun.state != lun_state::idle) {
        return std::nullopt;
    }
    if (lun.suspended != none) {
        const bool enough =
            m_suspend.reads_per_stop != 0 && lun.reads_since_stop >= m_suspend.reads_per_stop;
        const op_id read = enough ? none : overtaking_read(lun, lun.suspended);
        return read != none ? start_of(read, s) : grant{lun.suspended, bus_phase::resume, lun.free};
    }
    return lun.head != none ? start_of(lun.head, s) : std::nullopt;
}

/// The cheap way to pass over most LUNs: an array at work that nobody may stop, or no work at all.
bool scheduler::asks_nothing(const lun_node& lun) const
{
    return lun.state == lun_state::idle    ? lun.head == none && lun.suspended == none
           : lun.state == lun_state::array ? !m_suspend.erases && !m_suspend.programs
                                           : lun.state == lun_state::stopping;
}

bool scheduler::before(const grant& a, const grant& b) const
{
    if (a.ready != b.ready) {
        return a.ready < b.ready;
    }
    const bool a_completes = a.phase == bus_phase::completion;
    const bool b_completes = b.phase == bus_phase::completion;
    return a_completes != b_completes ? a_completes : m_ops[a.op].order < m_ops[b.op].order;
}

/// Will an array become ready at this very instant, its R/B# edge not yet seen?
bool scheduler::edge_due(sim_time t) const
{
    return std::any_of(m_luns.begin(), m_luns.end(), [t](const lun_node& lun) {
        const bool awaited = lun.state == lun_state::array || lun.state == lun_state::stopping;
        return awaited && lun.expected == t;
    });
}

std::optional<scheduler::grant> scheduler::choose(sim_time t) const
{
    if (t < m_bus_free || m_unfinished == 0) {
        return std::nullopt;
    }
    const order_state s = m_keeps_order ? order_now() : order_state{};
    std::optional<grant> best;
    for (const lun_node& lun : m_luns) {
        if (asks_nothing(lun)) {
            continue;
        }
        const auto c = candidate(lun, s);
        if (c && c->ready <= t && (!best || before(*c, *best))) {
            best = c;
        }
    }
    if (best && best->ready == t && edge_due(t)) {
        return std::nullopt; // the tie is decided when the edge has come
    }
    return best;
}

void scheduler::begin_start(op_id op, sim_time t, sim_time end, sim_time expected)
{
    unlink(op);
    lun_node& lun = m_luns[m_ops[op].what.lun];
    lun.active = op;
    lun.state = lun_state::array;
    lun.refused = false;
    ++lun.reads_since_stop;
    lun.array_begin = end;
    lun.expected = expected;
    m_bus_free = end;
    m_last_start = t;
}

scheduler::op_id scheduler::array_ready(std::uint32_t index, sim_time t)
{
    lun_node& lun = m_luns[index];
    if (lun.state == lun_state::stopping) {
        lun.suspended = lun.active;
        lun.active = none;
        lun.state = lun_state::idle;
        lun.free = t;
        return none;
    }
    lun.state = lun_state::ready;
    lun.ready = t;
    return lun.active;
}

void scheduler::begin_completion(op_id op, sim_time end)
{
    lun_node& lun = m_luns[m_ops[op].what.lun];
    lun.active = none;
    lun.state = lun_state::idle;
    lun.free = end;
    m_bus_free = end;
    m_last_completion = end;
    --m_unfinished;
}

void scheduler::begin_suspend(op_id op, sim_time end, bool accepted, sim_time expected)
{
    lun_node& lun = m_luns[m_ops[op].what.lun];
    m_bus_free = end;
    lun.refused = !accepted;
    lun.reads_since_stop = 0;
    if (accepted) {
        lun.state = lun_state::stopping;
        lun.expected = expected;
    }
}

void scheduler::begin_resume(op_id op, sim_time end, sim_time expected)
{
    lun_node& lun = m_luns[m_ops[op].what.lun];
    lun.active = op;
    lun.suspended = none;
    lun.state = lun_state::array;
    lun.refused = false;
    lun.array_begin = end;
    lun.expected = expected;
    m_bus_free = end;
}

void scheduler::abandon(op_id op, sim_time t)
{
    lun_node& lun = m_luns[m_ops[op].what.lun];
    if (lun.active == op) {
        lun.active = none;
        lun.state = lun_state::idle;
        lun.free = later(lun.free, t);
    } else {
        unlink(op);
    }
    m_bus_free = later(m_bus_free, t);
    m_last_completion = later(m_last_completion, t);
    --m_unfinished;
}

} // namespace ssdvp::flash
