// SPDX-License-Identifier: Apache-2.0
//
// Operations that wait for their LUN, oldest first, and which of them may go before an older one:
// only those that depend on nothing they pass. Reads that ask for a plane only are in a list of
// their plane, too.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/common/time.h"
#include "models/protocols/flash_indices.h"

namespace ssdvp::flash {

enum class op_kind : std::uint8_t { read, program, erase, other };

class waiting_ops {
public:
    using op_id = std::uint32_t;
    static constexpr op_id none = std::numeric_limits<op_id>::max();
    static constexpr std::uint8_t least_urgent = 2; // background
    static constexpr block_index no_block{~0u};

    struct request {
        lun_index lun;
        op_kind kind = op_kind::other;
        block_index block;
        plane_set planes;
        page_index page;
        std::uint8_t urgency = 0;      // 0 = most urgent
        bool independent = false;      // a read that needs its plane only, not the LUN
        bool plain = false;            // may share a command sequence with others of its mode
        bool partial = false;          // a snap read, unless it joins others: no cache sequence
        std::uint8_t mode = 0;         // enum flash_program_mode
        block_index source = no_block; // copyback: the block that it reads
    };
    struct node {
        request what;
        std::uint64_t order = 0; // rises with arrival
        sim_time arrival;
        op_id next = none;
        op_id previous = none;
        op_id next_of_kind = none; // of the same plane, or of those that need the LUN
        op_id previous_of_kind = none;
    };
    /// `by_priority`: urgency counts, until an operation has waited for `age_limit`.
    struct rules {
        bool by_priority = false;
        sim_time age_limit;
        bool by_plane = false; // there are independent reads
    };

    waiting_ops(std::uint32_t luns, std::uint32_t ops, const rules& r);

    void arrive(op_id op, const request& r, sim_time t);
    void unlink(op_id op);
    void clear() { m_luns.fill(lun_list()); }

    /// Who is next while the planes `taken` are not free: without any, first(); else the first of
    /// the independent reads of other planes, none of which passes what needs the LUN as a whole
    /// and would be next. none: nobody can begin.
    [[nodiscard]] op_id first_beside(lun_index lun, plane_set taken, sim_time t) const
    {
        return m_rules.by_priority ? most_urgent_beside(lun, taken, t) : oldest_beside(lun, taken);
    }
    /// The oldest independent read of this plane, and the one behind it.
    [[nodiscard]] op_id head(lun_index lun, plane_index plane) const
    {
        return m_luns[lun].kinds[plane.value()].head;
    }
    /// The oldest operation that needs the LUN as a whole.
    [[nodiscard]] op_id head_of_whole(lun_index lun) const { return m_luns[lun].kinds[whole].head; }

    /// May both be of one command sequence?
    [[nodiscard]] static bool alike(const request& a, const request& b)
    {
        return a.plain && b.plain && a.kind == b.kind && a.mode == b.mode;
    }

    /// May it begin while the planes `taken` are not free?
    [[nodiscard]] static bool may_begin(const request& what, plane_set taken)
    {
        return what.independent ? (what.planes & taken).empty() : taken.empty();
    }

    [[nodiscard]] const node& operator[](op_id op) const { return m_ops[op]; }
    [[nodiscard]] op_id head(lun_index lun) const { return m_luns[lun].head; }
    [[nodiscard]] op_id tail(lun_index lun) const { return m_luns[lun].tail; }
    [[nodiscard]] std::uint32_t reads(lun_index lun) const { return m_luns[lun].reads; }
    /// 0 without priorities, and for what has waited too long.
    [[nodiscard]] std::uint8_t urgency(op_id op, sim_time t) const;

    /// Who is next on the LUN; none when nobody waits.
    [[nodiscard]] op_id first(lun_index lun, sim_time t) const
    {
        const op_id head = m_luns[lun].head;
        return !m_rules.by_priority || head == none ? head : most_urgent(lun, t);
    }
    /// The oldest read that may pass `stopped`, an erase or program of its LUN, and begin while the
    /// planes `taken` are not free.
    [[nodiscard]] op_id overtaking_read(op_id stopped, plane_set taken = {}) const;
    /// The oldest operation that can be done in one command sequence with `leader`, which has
    /// `planes` by now: same kind, mode and page, other planes.
    [[nodiscard]] op_id partner(op_id leader, plane_set planes) const;
    /// Does `op` depend on none of those before it, `except` aside?
    [[nodiscard]] bool may_pass(op_id op, op_id except) const;

private:
    static constexpr std::size_t whole = max_planes; // behind the planes' own lists
    struct list {
        op_id head = none;
        op_id tail = none;
    };
    struct lun_list {
        op_id head = none;
        op_id tail = none;
        std::uint32_t reads = 0;
        plane_set wanted; // planes whose list is not empty
        std::array<list, max_planes + 1> kinds{};
    };
    [[nodiscard]] op_id most_urgent(lun_index lun, sim_time t) const;
    [[nodiscard]] op_id oldest_beside(lun_index lun, plane_set taken) const;
    [[nodiscard]] op_id most_urgent_beside(lun_index lun, plane_set taken, sim_time t) const;
    [[nodiscard]] list& kind_of(const request& what);
    void link_kind(op_id op);
    void unlink_kind(op_id op);

    rules m_rules;
    std::vector<node> m_ops;
    indexed<lun_index, lun_list> m_luns;
    std::uint64_t m_next_order = 0;
};

} // namespace ssdvp::flash
