// SPDX-License-Identifier: Apache-2.0
#include "models/flash/channel/scheduler.h"

#include <algorithm>

namespace ssdvp::flash {

scheduler::scheduler(const order_policy& order, std::uint32_t luns, std::uint32_t ops,
                     const options& o)
    : m_order(order), m_options(o), m_keeps_order(!order.may_overtake()),
      m_by_priority(order.by_priority()),
      m_waiting(luns, ops, {order.by_priority(), o.age_limit, o.plane_reads}), m_luns(luns),
      m_planes(luns), m_held(luns), m_keeps_wants(!m_keeps_order && !m_by_priority), m_wants(luns)
{
    sc_assert(luns <= 32); // m_asking
}

void scheduler::reset(sim_time t)
{
    m_waiting.clear();
    m_luns.fill(lun_node());
    m_planes.fill(plane_slots());
    for (const lun_index lun : m_luns.indices()) {
        note_held(lun, t);
    }
    m_wants.fill(grant());
    m_asking = m_in_array = {};
    m_unfinished = 0;
    m_bus_free = m_last_start = m_last_completion = sim_time();
}

void scheduler::set_suspend(const suspend_rules& rules)
{
    m_suspend = rules;
    for (const lun_index lun : m_luns.indices()) {
        note(lun);
    }
}

void scheduler::arrive(op_id op, const request& r, sim_time t)
{
    m_waiting.arrive(op, r, t);
    note(r.lun);
    ++m_unfinished;
}

order_state scheduler::order_now() const
{
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    order_state s{never, never, m_last_start, m_last_completion};
    for (const lun_node& lun : m_luns) {
        const op_id head = m_waiting.head(number(lun));
        if (head != none) {
            s.oldest_unstarted = std::min(s.oldest_unstarted, m_waiting[head].order);
            s.oldest_unfinished = std::min(s.oldest_unfinished, m_waiting[head].order);
        }
        if (lun.active != none) {
            s.oldest_unfinished = std::min(s.oldest_unfinished, m_waiting[lun.active].order);
        }
        const plane_slots& planes = m_planes[number(lun)];
        for (const plane_index p : planes.taken()) {
            const op_id op = planes[p].op;
            s.oldest_unfinished = std::min(s.oldest_unfinished, m_waiting[op].order);
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

/// Precondition: the LUN of `op` is idle, or its plane is free. The start counts as ready since the
/// operation is queued: the few command cycles of the next read then go before the long data out of
/// another LUN that became ready meanwhile, and arrays work while the bus transfers. Only so do k
/// LUNs reach min(k * page / (tR + transfer), bus rate). With `start_when_idle` it counts since the
/// LUN, or the plane, is free.
std::optional<scheduler::grant> scheduler::start_of(op_id op, const order_state& s) const
{
    grant g{op, bus_phase::start, m_waiting[op].arrival};
    if (m_options.start_when_idle) {
        g.ready = later(g.ready, free_for(what(op)));
    }
    if (m_keeps_order) {
        const auto gate = m_order.may_start(s, m_waiting[op].order);
        if (!gate) {
            return std::nullopt;
        }
        g.ready = later(g.ready, *gate);
    } else if (m_options.cache_programs && what(op).kind == op_kind::program) {
        g.keeps_open = next_program(op) != none;
    }
    return g;
}

/// The read that can be sent by 31h while the active one's data are still to come: it would be
/// next anyway. A LUN with a suspended erase reads page by page, and snap reads leave no page to go
/// on from, nor are they cache reads.
scheduler::op_id scheduler::next_read(const lun_node& lun, sim_time t) const
{
    if (!m_options.cache_reads || !lun.single || lun.suspended != none ||
        what(lun.active).kind != op_kind::read || what(lun.active).partial) {
        return none;
    }
    const op_id op = m_waiting.first(number(lun), t);
    const bool fits = op != none && waiting_ops::alike(what(op), what(lun.active)) &&
                      what(op).planes == what(lun.active).planes && !what(op).partial;
    return fits ? op : none;
}

/// The program that can follow `program` by cache program: it waits next behind it, and depends on
/// nothing that `program` passed. None while a read waits for the LUN: that would have to wait for
/// all of the sequence.
scheduler::op_id scheduler::next_program(op_id program) const
{
    const request& p = what(program);
    const op_id next = m_waiting[program].next;
    const bool fits = next != none && m_waiting.reads(p.lun) == 0 &&
                      m_luns[p.lun].suspended == none && waiting_ops::alike(what(next), p) &&
                      what(next).planes == p.planes && m_waiting.may_pass(next, program);
    return fits ? next : none;
}

std::optional<scheduler::grant> scheduler::of_ready(const lun_node& lun, const order_state& s,
                                                    sim_time t) const
{
    if (lun.front != none) {
        return grant{lun.front, bus_phase::completion, lun.ready};
    }
    if (m_keeps_order) {
        const auto gate = m_order.may_complete(s, m_waiting[lun.active].order);
        return gate ? candidate_t(grant{lun.active, bus_phase::completion, later(lun.ready, *gate)})
                    : std::nullopt;
    }
    const op_id read = next_read(lun, t);
    if (read != none) {
        const sim_time ready = later(m_waiting[read].arrival, lun.ready);
        return grant{read, bus_phase::start, ready, 0, true, true};
    }
    return grant{lun.active, bus_phase::completion, lun.ready};
}

std::optional<scheduler::grant> scheduler::of_linked(const lun_node& lun, sim_time t) const
{
    if (lun.promised != none) {
        return grant{
            lun.promised, bus_phase::start, lun.free, 0, true, next_program(lun.promised) != none};
    }
    const op_id read = next_read(lun, t);
    return read != none ? grant{read, bus_phase::start, lun.free, 0, true, true}
                        : grant{lun.active, bus_phase::cache_end, lun.free};
}

/// Planes that read by themselves may want the bus for their data while others are free to start.
std::optional<scheduler::grant> scheduler::of_idle(const lun_node& lun, const order_state& s,
                                                   sim_time t) const
{
    candidate_t start = next_start(lun, s, t);
    if (m_planes[number(lun)].loaded.empty()) {
        return start;
    }
    const candidate_t out = out_of_plane(lun, s, t);
    if (start && m_by_priority) {
        start->urgency = urgency(*start, t);
    }
    return !out || (start && before(*start, *out)) ? start : out;
}

std::optional<scheduler::grant> scheduler::next_start(const lun_node& lun, const order_state& s,
                                                      sim_time t) const
{
    candidate_t start;
    if (lun.suspended == none) {
        const op_id next = next_on(number(lun), t);
        start = next != none ? start_of(next, s) : std::nullopt;
    } else {
        const plane_set taken = m_planes[number(lun)].taken();
        const bool enough =
            m_suspend.reads_per_stop != 0 && lun.reads_since_stop >= m_suspend.reads_per_stop;
        const op_id read = enough ? none : m_waiting.overtaking_read(lun.suspended, taken);
        if (read != none) {
            start = start_of(read, s);
        } else if (taken.empty()) {
            start = grant{lun.suspended, bus_phase::resume, lun.free};
        }
    }
    return start;
}

/// Where the order counts nobody passes the oldest of its LUN.
scheduler::op_id scheduler::next_on(lun_index lun, sim_time t) const
{
    const plane_set taken = m_planes[lun].taken();
    if (!m_keeps_order) {
        return m_waiting.first_beside(lun, taken, t);
    }
    const op_id head = m_waiting.head(lun);
    return head != none && waiting_ops::may_begin(what(head), taken) ? head : none;
}

/// The data of an independent read, of the one that the bus rule prefers.
std::optional<scheduler::grant> scheduler::out_of_plane(const lun_node& lun, const order_state& s,
                                                        sim_time t) const
{
    const plane_slots& planes = m_planes[number(lun)];
    candidate_t best;
    for (const plane_index p : planes.loaded) {
        const plane_slot& slot = planes[p];
        const auto gate = m_order.may_complete(s, m_waiting[slot.op].order);
        if (!gate) {
            continue;
        }
        grant g{slot.op, bus_phase::completion, later(slot.ready, *gate)};
        g.urgency = urgency(g, t);
        if (!best || before(g, *best)) {
            best = g;
        }
    }
    return best;
}

/// A suspend serves a read.
std::uint8_t scheduler::urgency(const grant& g, sim_time t) const
{
    return m_by_priority && g.phase != bus_phase::suspend ? m_waiting.urgency(g.op, t)
                                                          : std::uint8_t{0};
}

/// Stopping the program or erase at work for a read. Cache sequences run to their end.
std::optional<scheduler::grant> scheduler::stop_of(const lun_node& lun) const
{
    if (lun.refused || lun.front != none || lun.open || !lun.single || !m_order.may_overtake() ||
        !may_be_stopped(what(lun.active).kind)) {
        return std::nullopt;
    }
    const op_id read = m_waiting.overtaking_read(lun.active);
    return read != none ? candidate_t(grant{lun.active, bus_phase::suspend,
                                            later(m_waiting[read].arrival, lun.array_begin)})
                        : std::nullopt;
}

std::optional<scheduler::grant> scheduler::candidate(const lun_node& lun, const order_state& s,
                                                     sim_time t) const
{
    switch (lun.state) {
    case lun_state::ready:
        return of_ready(lun, s, t);
    case lun_state::array:
        return stop_of(lun);
    case lun_state::linked:
        return of_linked(lun, t);
    case lun_state::idle:
        return of_idle(lun, s, t);
    default:
        return std::nullopt;
    }
}

/// The LUN's state or its queue has changed.
void scheduler::note(lun_index index)
{
    const lun_node& lun = m_luns[index];
    const bool asks = lun.state == lun_state::idle
                          ? m_waiting.head(index) != none || lun.suspended != none ||
                                !m_planes[index].loaded.empty()
                          : !at_work(lun);
    m_asking.set(index, asks);
    m_in_array.set(index, lun.state == lun_state::array);
    if (m_keeps_wants) {
        m_wants[index] = candidate(lun, order_state{}, sim_time()).value_or(grant());
    }
}

/// Operations begin or end on the LUN at `t`.
void scheduler::note_held(lun_index index, sim_time t)
{
    const lun_node& lun = m_luns[index];
    const bool whole = lun.active != none || lun.suspended != none;
    const auto planes = static_cast<std::uint32_t>(m_planes[index].taken().size());
    m_held[index].set(t, whole ? m_options.planes : planes);
}

bool scheduler::before(const grant& a, const grant& b) const
{
    if (a.urgency != b.urgency) {
        return a.urgency < b.urgency;
    }
    if (a.ready != b.ready) {
        return a.ready < b.ready;
    }
    const bool a_completes = a.phase == bus_phase::completion;
    const bool b_completes = b.phase == bus_phase::completion;
    return a_completes != b_completes ? a_completes : m_waiting[a.op].order < m_waiting[b.op].order;
}

/// Will an array become ready at this very instant, its R/B# edge not yet seen?
bool scheduler::edge_due(sim_time t) const
{
    return std::any_of(m_luns.begin(), m_luns.end(), [this, t](const lun_node& lun) {
        const plane_slots& planes = m_planes[number(lun)];
        for (const plane_index p : planes.sensing) {
            if (planes[p].ready == t) {
                return true;
            }
        }
        return lun.expected == t && at_work(lun);
    });
}

scheduler::grant scheduler::best_of(sim_time t, lun_set luns) const
{
    const order_state s = m_keeps_order ? order_now() : order_state{};
    grant best;
    for (const lun_index lun : luns) {
        auto c = candidate(m_luns[lun], s, t);
        if (!c || c->ready > t) {
            continue;
        }
        c->urgency = urgency(*c, t);
        if (best.op == none || before(*c, best)) {
            best = *c;
        }
    }
    return best;
}

/// The same of what was noted when the LUNs' states changed.
scheduler::grant scheduler::best_kept(sim_time t, lun_set luns) const
{
    const grant* best = nullptr;
    for (const lun_index lun : luns) {
        const grant& wants = m_wants[lun];
        if (wants.op != none && wants.ready <= t && (best == nullptr || before(wants, *best))) {
            best = &wants;
        }
    }
    return best != nullptr ? *best : grant();
}

/// Precondition: the bus is free, and only `luns` ask for it.
std::optional<scheduler::grant> scheduler::best_at(sim_time t, lun_set luns) const
{
    const grant best = m_keeps_wants ? best_kept(t, luns) : best_of(t, luns);
    if (best.op == none) {
        return std::nullopt;
    }
    if ((m_by_priority || best.ready == t) && edge_due(t)) {
        return std::nullopt; // the tie is decided when the edge has come
    }
    return best;
}

/// Where somebody has waited for long the answer needs no comparison: a tie is of what is ready
/// at this very instant.
bool scheduler::is_wanted(sim_time t) const
{
    for (const lun_index lun : m_keeps_wants ? asking() : lun_set()) {
        if (m_wants[lun].op != none && m_wants[lun].ready < t) {
            return true;
        }
    }
    return choose(t).has_value();
}

scheduler::op_id scheduler::take_partner(const grant& g, plane_set planes)
{
    const request& first = what(g.op);
    if (!m_options.join_planes || !first.plain || g.follows || g.keeps_open ||
        m_luns[first.lun].suspended != none || !taken(first.lun).empty()) {
        return none;
    }
    const op_id partner = m_waiting.partner(g.op, planes);
    if (partner != none) {
        m_waiting.unlink(partner);
        m_luns[first.lun].single = false;
        note(first.lun);
    }
    return partner;
}

void scheduler::begin_start(const grant& g, sim_time t, sim_time end, sim_time expected)
{
    lun_node& lun = m_luns[what(g.op).lun];
    if (by_plane(g.op)) {
        begin_read(g, expected);
        note_held(what(g.op).lun, t);
        m_bus_free = end;
        m_last_start = t;
        return;
    }
    const op_id next = m_waiting[g.op].next;
    lun.promised = g.keeps_open && what(g.op).kind == op_kind::program ? next : none;
    m_waiting.unlink(g.op);
    lun.front = g.follows ? lun.active : none;
    lun.active = g.op;
    lun.open = g.keeps_open;
    lun.state = lun_state::array;
    lun.refused = false;
    ++lun.reads_since_stop;
    lun.array_begin = end;
    lun.expected = expected;
    note(number(lun));
    note_held(number(lun), t);
    m_bus_free = end;
    m_last_start = t;
}

void scheduler::begin_read(const grant& g, sim_time expected)
{
    const request& r = what(g.op);
    m_waiting.unlink(g.op);
    m_planes[r.lun].begin(r.planes, g.op, expected);
    ++m_luns[r.lun].reads_since_stop;
    note(r.lun);
}

scheduler::op_id scheduler::plane_ready(lun_index lun, plane_index plane, sim_time t)
{
    const op_id op = m_planes[lun].load(plane, t);
    note(lun);
    return op;
}

/// False: `op` does not read on a plane by itself.
bool scheduler::end_read(op_id op, sim_time end)
{
    const request& r = what(op);
    plane_slots& planes = m_planes[r.lun];
    if (!r.independent || (planes.loaded & r.planes).empty()) {
        return false;
    }
    planes.end(r.planes, end);
    note_held(r.lun, end);
    if (planes.taken().empty()) {
        m_luns[r.lun].free = end;
    }
    note(r.lun);
    return true;
}

scheduler::op_id scheduler::array_ready(lun_index index, sim_time t)
{
    lun_node& lun = m_luns[index];
    if (lun.state == lun_state::stopping) {
        lun.suspended = lun.active;
        lun.active = none;
        lun.state = lun_state::idle;
        lun.free = t;
        note(index);
        return none;
    }
    if (lun.open && lun.front == none) {
        lun.state = lun_state::linked;
        lun.free = t;
        note(index);
        return none;
    }
    lun.state = lun_state::ready;
    lun.ready = t;
    note(index);
    return lun.front != none ? lun.front : lun.active;
}

void scheduler::begin_part(op_id op, op_id next, sim_time end)
{
    lun_node& lun = m_luns[what(op).lun];
    if (lun.front != op) {
        lun.active = next;
        lun.single = false; // 31h would put another page in the place of what is to come
    }
    lun.ready = end;
    note(number(lun));
    m_bus_free = end;
    m_unfinished -= next != op ? 1 : 0;
}

void scheduler::begin_completion(op_id op, sim_time end)
{
    lun_node& lun = m_luns[what(op).lun];
    m_bus_free = end;
    m_last_completion = end;
    --m_unfinished;
    if (end_read(op, end)) {
        return;
    }
    if (lun.front == op) {
        lun.front = none;
        lun.state = lun.open ? lun_state::linked : lun_state::ready;
        lun.ready = end;
    } else {
        lun.active = none;
        lun.single = true;
        lun.state = lun_state::idle;
    }
    lun.free = end;
    note(number(lun));
    note_held(number(lun), end);
}

void scheduler::begin_cache_end(op_id op, sim_time end, sim_time expected)
{
    lun_node& lun = m_luns[what(op).lun];
    lun.open = false;
    lun.single = false;
    lun.state = lun_state::array;
    lun.array_begin = end;
    lun.expected = expected;
    note(number(lun));
    m_bus_free = end;
}

void scheduler::begin_suspend(op_id op, sim_time end, bool accepted, sim_time expected)
{
    lun_node& lun = m_luns[what(op).lun];
    m_bus_free = end;
    lun.refused = !accepted;
    lun.reads_since_stop = 0;
    if (accepted) {
        lun.state = lun_state::stopping;
        lun.expected = expected;
    }
    note(number(lun));
}

void scheduler::begin_resume(op_id op, sim_time end, sim_time expected)
{
    lun_node& lun = m_luns[what(op).lun];
    lun.active = op;
    lun.suspended = none;
    lun.state = lun_state::array;
    lun.refused = false;
    lun.array_begin = end;
    lun.expected = expected;
    note(number(lun));
    m_bus_free = end;
}

void scheduler::abandon(op_id op, sim_time t)
{
    lun_node& lun = m_luns[what(op).lun];
    m_waiting.unlink(op);
    if (lun.promised == op) { // the sequence breaks off; the die has yet to end what it has
        lun.promised = none;
        lun.open = false;
        lun.state = lun_state::ready;
        lun.ready = later(lun.free, t);
    }
    if (lun.active == none) {
        lun.single = true;
    }
    note(number(lun));
    m_bus_free = later(m_bus_free, t);
    m_last_completion = later(m_last_completion, t);
    --m_unfinished;
}

} // namespace ssdvp::flash
