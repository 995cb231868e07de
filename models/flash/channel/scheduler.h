// SPDX-License-Identifier: Apache-2.0
//
// Which phase of which operation gets the bus next, without SystemC: what Ozone's orders of
// operations ask for (Nam et al., IEEE TC 60(5), 2011; Min et al., IEMEK, 2011, 3.1 to 3.3).
// choose() asks and changes nothing; the other functions tell what happened.
//
// Start rule: the oldest unfinished operation of its LUN, LUN idle, register empty, and the order
// policy agrees. Bus rule: one phase at a time, not interrupted; of the phases that are ready the
// most urgent (without priorities: all are), then the one ready first; tie: completion before
// start, then the older operation.
//
// Independent reads need a free plane where others need an idle LUN: beside reads of other planes
// the oldest independent read of a free plane starts, unless something that needs the LUN came
// before it (docs/models/channel.md, Independent plane reads). The LUN's state is idle meanwhile.
//
// Cache sequences (31h, 15h) let a LUN hold two operations: `front`, whose data wait in the cache
// register (read) or whose verdict waits in the status (program), and `active` behind it, at work
// in the array.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/common/time.h"
#include "models/flash/channel/arbiter/order_policy.h"
#include "models/flash/channel/bus_grant.h"
#include "models/flash/channel/held_time.h"
#include "models/flash/channel/plane_slots.h"
#include "models/flash/channel/waiting.h"

namespace ssdvp::flash {

class scheduler {
public:
    using op_id = waiting_ops::op_id;
    using request = waiting_ops::request;
    static constexpr op_id none = waiting_ops::none;

    using grant = bus_grant;
    using options = schedule_options;

    scheduler(const order_policy& order, std::uint32_t luns, std::uint32_t ops)
        : scheduler(order, luns, ops, options())
    {}
    scheduler(const order_policy& order, std::uint32_t luns, std::uint32_t ops, const options& o);
    /// Forgets every operation at `t`; the bus is free.
    void reset(sim_time t);
    void set_suspend(const suspend_rules& rules);

    /// The phase to start at `t`, if the bus is free then and one is ready.
    [[nodiscard]] std::optional<grant> choose(sim_time t) const
    {
        if (t < m_bus_free || m_unfinished == 0) {
            return std::nullopt;
        }
        const lun_set luns = asking();
        return luns.empty() ? std::nullopt : best_at(t, luns);
    }
    /// Would choose() give one at `t`, when the bus is free?
    [[nodiscard]] bool is_wanted(sim_time t) const;
    /// When the bus becomes free.
    [[nodiscard]] sim_time bus_free() const { return m_bus_free; }

    void arrive(op_id op, const request& r, sim_time t);
    /// The start phase of `op` holds [t, end); its array is expected to be done at `expected`.
    void begin_start(const grant& g, sim_time t, sim_time end, sim_time expected);
    /// Another waiting operation that joins the multi-plane sequence of `g`, which has `planes` by
    /// now; it leaves its queue and ends by finish_partner(). none: no further one.
    op_id take_partner(const grant& g, plane_set planes);
    void finish_partner() { --m_unfinished; }
    /// 3Fh holds the bus until `end`.
    void begin_cache_end(op_id op, sim_time end, sim_time expected);
    /// A page of the read `op` holds the bus until `end`. The next one, of the same operation or of
    /// the next in its sequence, is ready then; `op` is finished if that is another's.
    void begin_part(op_id op, op_id next, sim_time end);
    /// The completion phase of `op` holds the bus until `end`; then it is finished.
    void begin_completion(op_id op, sim_time end);
    /// Suspend cycles were sent; `accepted` is the die's answer.
    void begin_suspend(op_id op, sim_time end, bool accepted, sim_time expected);
    void begin_resume(op_id op, sim_time end, sim_time expected);
    /// R/B# of a LUN rose. Returns the operation that can complete now; none when that was the end
    /// of a suspend, or when a cache sequence only asks for its next operation.
    op_id array_ready(lun_index lun, sim_time t);
    /// The array of this plane has read. Returns the operation that can complete now.
    op_id plane_ready(lun_index lun, plane_index plane, sim_time t);
    /// The array of this LUN is at work: a rising R/B# is awaited.
    [[nodiscard]] bool array_busy(lun_index lun) const { return at_work(m_luns[lun]); }
    /// The start of `op` failed at `t`: it ends without bus phases.
    void abandon(op_id op, sim_time t);

    // What else the controller asks.
    [[nodiscard]] op_id active(lun_index lun) const { return m_luns[lun].active; }
    /// Does the operation need its plane only, alone in its command sequence?
    [[nodiscard]] bool by_plane(op_id op) const
    {
        return what(op).independent && m_luns[what(op).lun].single;
    }
    /// Does `op` need what `blocker` holds? Of two independent reads only if of one plane.
    [[nodiscard]] bool waits_for(op_id op, op_id blocker) const
    {
        const bool apart = what(op).independent && by_plane(blocker);
        return !apart || what(op).planes == what(blocker).planes;
    }
    /// Planes whose array works at an independent read; and all that are not free for one.
    [[nodiscard]] plane_set sensing(lun_index lun) const { return m_planes[lun].sensing; }
    [[nodiscard]] plane_set taken(lun_index lun) const { return m_planes[lun].taken(); }
    [[nodiscard]] op_id suspended(lun_index lun) const { return m_luns[lun].suspended; }
    [[nodiscard]] op_id first_waiting(lun_index lun) const { return m_waiting.head(lun); }
    /// Something waits that needs the LUN as a whole.
    [[nodiscard]] bool lun_is_wanted(lun_index lun) const
    {
        return m_waiting.head_of_whole(lun) != none;
    }
    [[nodiscard]] op_id next_waiting(op_id op) const { return m_waiting[op].next; }
    /// When the LUN, or all that `r` needs of it, became free for the next operation.
    [[nodiscard]] sim_time free_for(const request& r) const
    {
        const sim_time lun = m_luns[r.lun].free;
        return r.independent ? later(lun, m_planes[r.lun].of(r.planes).free) : lun;
    }
    [[nodiscard]] const request& what(op_id op) const { return m_waiting[op].what; }
    [[nodiscard]] bool idle() const { return m_unfinished == 0; }
    /// How long operations have held the LUN until `t`, mean of its planes. `t` is now.
    [[nodiscard]] sim_time held(lun_index lun, sim_time t) const
    {
        return sim_time(m_held[lun].at(t).ps() / m_options.planes);
    }

private:
    // linked: R/B# is high within a cache sequence that waits for its next operation or its end;
    // with array and stopping the array is at work
    enum class lun_state : std::uint8_t { idle, ready, linked, array, stopping };
    struct lun_node {
        lun_state state = lun_state::idle;
        op_id active = none;    // between its start and the end of its completion
        op_id front = none;     // the one before `active` in a cache sequence, not yet completed
        op_id promised = none;  // what the last 15h was sent for
        op_id suspended = none; // erase or program; `active` may be a read that overtakes it
        std::uint32_t reads_since_stop = 0;
        bool refused = false; // the die would not suspend this erase or program
        bool open = false;    // the last start was by 31h or 15h
        bool single = true;   // `active` has no partners, nor was it read by 3Fh: 31h may follow
        sim_time free;
        sim_time array_begin;
        sim_time ready;    // since when the completion phase is ready
        sim_time expected; // when the array will be ready
    };
    using candidate_t = std::optional<grant>;
    [[nodiscard]] static bool at_work(const lun_node& lun) { return lun.state >= lun_state::array; }

    [[nodiscard]] lun_index number(const lun_node& lun) const { return m_luns.index_of(lun); }
    [[nodiscard]] candidate_t best_at(sim_time t, lun_set luns) const;
    [[nodiscard]] grant best_of(sim_time t, lun_set luns) const;
    [[nodiscard]] grant best_kept(sim_time t, lun_set luns) const;
    [[nodiscard]] order_state order_now() const;
    [[nodiscard]] candidate_t candidate(const lun_node& lun, const order_state& s,
                                        sim_time t) const;
    [[nodiscard]] candidate_t of_ready(const lun_node& lun, const order_state& s, sim_time t) const;
    [[nodiscard]] candidate_t of_linked(const lun_node& lun, sim_time t) const;
    [[nodiscard]] candidate_t of_idle(const lun_node& lun, const order_state& s, sim_time t) const;
    [[nodiscard]] candidate_t next_start(const lun_node& lun, const order_state& s,
                                         sim_time t) const;
    [[nodiscard]] candidate_t out_of_plane(const lun_node& lun, const order_state& s,
                                           sim_time t) const;
    [[nodiscard]] op_id next_on(lun_index lun, sim_time t) const;
    [[nodiscard]] std::uint8_t urgency(const grant& g, sim_time t) const;
    void begin_read(const grant& g, sim_time expected);
    bool end_read(op_id op, sim_time end);
    [[nodiscard]] candidate_t stop_of(const lun_node& lun) const;
    [[nodiscard]] candidate_t start_of(op_id op, const order_state& s) const;
    [[nodiscard]] op_id next_read(const lun_node& lun, sim_time t) const;
    [[nodiscard]] op_id next_program(op_id program) const;
    [[nodiscard]] bool may_be_stopped(op_kind kind) const;
    /// LUNs that may want the bus. Passed over are those with no work, or with an array at work
    /// that nobody may stop.
    [[nodiscard]] lun_set asking() const
    {
        return m_suspend.erases || m_suspend.programs ? m_asking | m_in_array : m_asking;
    }
    void note(lun_index lun);
    void note_held(lun_index lun, sim_time t);
    [[nodiscard]] bool before(const grant& a, const grant& b) const;
    [[nodiscard]] bool edge_due(sim_time t) const;

    const order_policy& m_order;
    options m_options;
    suspend_rules m_suspend;
    bool m_keeps_order; // the policy looks at order_state
    bool m_by_priority;
    waiting_ops m_waiting;
    indexed<lun_index, lun_node> m_luns;
    indexed<lun_index, plane_slots> m_planes;
    indexed<lun_index, held_time> m_held;
    /// Where neither time nor other LUNs have a say: what each LUN wants the bus for.
    bool m_keeps_wants;
    indexed<lun_index, grant> m_wants;
    lun_set m_asking;   // idle with work, ready or linked
    lun_set m_in_array; // the array is at work
    std::uint64_t m_unfinished = 0;
    sim_time m_bus_free;
    sim_time m_last_start;
    sim_time m_last_completion;
};

} // namespace ssdvp::flash
