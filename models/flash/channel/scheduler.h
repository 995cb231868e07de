// SPDX-License-Identifier: Apache-2.0
//
// Which phase of which operation gets the bus next: the rules of ALGORITHMS.md section 4 without
// SystemC. choose() asks and changes nothing; the other functions tell what happened.
//
// Start rule: the oldest unfinished operation of its LUN, LUN idle, register empty, and the order
// policy agrees. Bus rule: one phase at a time, not interrupted; of the phases that are ready the
// one ready first; tie: completion before start, then the older operation.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/common/time.h"
#include "models/flash/channel/arbiter/order_policy.h"

namespace ssdvp::flash {

enum class bus_phase : std::uint8_t { completion, start, suspend, resume };
enum class op_kind : std::uint8_t { read, program, erase, other };

class scheduler {
public:
    using op_id = std::uint32_t;
    static constexpr op_id none = std::numeric_limits<op_id>::max();

    struct request {
        std::uint32_t lun = 0;
        op_kind kind = op_kind::other;
        std::uint32_t block = 0;
        std::uint32_t planes = 0; // mask
    };
    struct grant {
        op_id op = none; // with suspend: the erase or program to suspend
        bus_phase phase = bus_phase::start;
        sim_time ready; // since when the phase could have used the bus
    };

    scheduler(const order_policy& order, std::uint32_t luns, std::uint32_t ops);
    /// What the channel asks the dies to suspend for a read, and how many reads (0 = all that wait)
    /// are served before it resumes.
    struct suspend_rules {
        bool erases = false;
        bool programs = false;
        std::uint32_t reads_per_stop = 0;
    };
    void set_suspend(const suspend_rules& rules) { m_suspend = rules; }

    /// The phase to start at `t`, if the bus is free then and one is ready.
    [[nodiscard]] std::optional<grant> choose(sim_time t) const;
    /// When the bus becomes free.
    [[nodiscard]] sim_time bus_free() const { return m_bus_free; }

    void arrive(op_id op, const request& r, sim_time t);
    /// The start phase of `op` holds [t, end); its array is expected to be done at `expected`.
    void begin_start(op_id op, sim_time t, sim_time end, sim_time expected);
    /// The completion phase of `op` holds the bus until `end`; then it is finished.
    void begin_completion(op_id op, sim_time end);
    /// Suspend cycles were sent; `accepted` is the die's answer.
    void begin_suspend(op_id op, sim_time end, bool accepted, sim_time expected);
    void begin_resume(op_id op, sim_time end, sim_time expected);
    /// R/B# of a LUN rose. Returns the operation whose array is done; none when that was the end
    /// of a suspend.
    op_id array_ready(std::uint32_t lun, sim_time t);
    /// The array of this LUN is at work: a rising R/B# is awaited.
    [[nodiscard]] bool array_busy(std::uint32_t lun) const
    {
        return m_luns[lun].state == lun_state::array || m_luns[lun].state == lun_state::stopping;
    }
    /// Operation `op` ends at `t` without (further) bus phases.
    void abandon(op_id op, sim_time t);

    // What else the controller asks.
    [[nodiscard]] op_id active(std::uint32_t lun) const { return m_luns[lun].active; }
    [[nodiscard]] op_id suspended(std::uint32_t lun) const { return m_luns[lun].suspended; }
    [[nodiscard]] op_id first_waiting(std::uint32_t lun) const { return m_luns[lun].head; }
    [[nodiscard]] op_id last_waiting(std::uint32_t lun) const { return m_luns[lun].tail; }
    [[nodiscard]] op_id next_waiting(op_id op) const { return m_ops[op].next; }
    /// When the LUN became free for its next operation.
    [[nodiscard]] sim_time lun_free(std::uint32_t lun) const { return m_luns[lun].free; }
    [[nodiscard]] bool idle() const { return m_unfinished == 0; }

private:
    enum class lun_state : std::uint8_t { idle, array, ready, stopping };
    struct op_node {
        request what;
        std::uint64_t order = 0;
        sim_time arrival;
        op_id next = none;
        op_id previous = none;
    };
    struct lun_node {
        lun_state state = lun_state::idle;
        op_id active = none;    // between its start and the end of its completion
        op_id suspended = none; // erase or program; `active` may be a read that overtakes it
        op_id head = none;      // waiting, oldest first
        op_id tail = none;
        std::uint32_t waiting_reads = 0;
        std::uint32_t reads_since_stop = 0;
        bool refused = false; // the die would not suspend this erase or program
        sim_time free;
        sim_time array_begin;
        sim_time ready;    // since when the completion phase is ready
        sim_time expected; // when the array will be ready
    };

    [[nodiscard]] order_state order_now() const;
    [[nodiscard]] std::optional<grant> candidate(const lun_node& lun, const order_state& s) const;
    [[nodiscard]] std::optional<grant> start_of(op_id op, const order_state& s) const;
    [[nodiscard]] op_id overtaking_read(const lun_node& lun, op_id stopped) const;
    [[nodiscard]] bool may_be_stopped(op_kind kind) const;
    [[nodiscard]] bool asks_nothing(const lun_node& lun) const;
    [[nodiscard]] bool before(const grant& a, const grant& b) const;
    [[nodiscard]] bool edge_due(sim_time t) const;
    void unlink(op_id op);

    const order_policy& m_order;
    suspend_rules m_suspend;
    bool m_keeps_order; // the policy looks at order_state
    std::vector<op_node> m_ops;
    std::vector<lun_node> m_luns;
    std::uint64_t m_next_order = 0;
    std::uint64_t m_unfinished = 0;
    sim_time m_bus_free;
    sim_time m_last_start;
    sim_time m_last_completion;
};

} // namespace ssdvp::flash
