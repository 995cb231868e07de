// SPDX-License-Identifier: Apache-2.0
//
// A shared resource (a link direction, a DRAM port) whose users know in advance when they need it.
// Reservations are kept as disjoint busy intervals; a new one takes the first gap that holds it.
// So a transfer whose start is known in advance is annotated, not slept until, and a transfer
// asked for later may still use the time before it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

class reservation {
public:
    struct interval {
        sim_time begin;
        sim_time end;
    };

    reservation() { m_busy.reserve(64); }

    /// Takes `length` at the first moment not before `earliest` at which the resource is free for
    /// that long. `present` is the current time: what ended before it is forgotten.
    interval reserve(sim_time present, sim_time earliest, sim_time length)
    {
        forget(present);
        m_total += length;
        const sim_time owed = m_owed;
        length = with_debts(length);
        if (!m_busy.empty() && m_busy.back().end > earliest) {
            return note(present, squeeze_in(earliest, length), owed);
        }
        const interval r{earliest, earliest + length}; // behind all others, as most are
        note(present, r, owed);
        if (!m_busy.empty() && m_busy.back().end == earliest) {
            m_busy.back().end = r.end;
        } else {
            m_busy.push_back(r);
        }
        return r;
    }

    /// The same for a transfer of many packets, which go on behind what is too short to be one of
    /// those (up to `packet`): it needs no gap that holds all of it.
    interval reserve_around(sim_time present, sim_time earliest, sim_time length, sim_time packet)
    {
        if (m_busy.empty() || m_busy.back().end <= earliest) {
            return reserve(present, earliest, length);
        }
        forget(present);
        m_total += length;
        const sim_time owed = m_owed;
        return note(present, go_around(earliest, with_debts(length), packet), owed);
    }

    static constexpr std::uint64_t most_owed = 16; // packets

    /// Takes `length` for a single small packet that goes out between the packets of a long
    /// transfer: it waits no longer than `patience`, the time of one packet under way. When that is
    /// not enough it goes at `earliest`, and the next reservation is longer by as much. Where no
    /// such one comes, packets wait as soon as that many are owed: the resource never does more
    /// than it can.
    interval interleave(sim_time present, sim_time earliest, sim_time length, sim_time patience)
    {
        forget(present);
        std::size_t i = m_first;
        if (m_debt + m_owed > patience * most_owed ||
            first_gap(earliest, length, i) - earliest <= patience) {
            return reserve(present, earliest, length);
        }
        m_total += length;
        m_debt += length;
        return {earliest, earliest + length};
    }

    /// Takes `length` for what has no place of its own among the others, and does not count as time
    /// reserved: the next reservation is longer by as much.
    void owe(sim_time length) { m_owed += length; }

    /// The users are gone: what lies behind `present` is free again, and was never used.
    void cut(sim_time present);

    /// Total time ever reserved.
    [[nodiscard]] sim_time total() const { return m_total; }
    /// The part of it that has passed at `present`, which is no earlier than the last
    /// reservation's: what has gone out between packets counts with those that have given way to
    /// it.
    [[nodiscard]] sim_time used(sim_time present) const;
    [[nodiscard]] std::size_t pending() const { return m_busy.size() - m_first; }

private:
    void forget(sim_time present)
    {
        while (m_first < m_busy.size() && m_busy[m_first].end <= present) {
            ++m_first;
        }
        if (m_first == m_busy.size()) {
            m_busy.clear();
            m_first = 0;
        } else if (m_first >= 32) {
            give_room();
        }
    }

    [[gnu::noinline]] void give_room()
    {
        m_busy.erase(m_busy.begin(), m_busy.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }

    /// Before or between the others.
    [[gnu::noinline]] interval squeeze_in(sim_time earliest, sim_time length)
    {
        std::size_t i = m_first;
        const sim_time begin = first_gap(earliest, length, i);
        insert(i, {begin, begin + length});
        return {begin, begin + length};
    }

    /// Between the others, and around those that are no longer than `packet`.
    interval go_around(sim_time earliest, sim_time length, sim_time packet);

    sim_time with_debts(sim_time length)
    {
        length += m_debt + m_owed;
        m_debt = m_owed = sim_time();
        return length;
    }
    /// `owed` of a reservation does not count.
    interval note(sim_time present, interval r, sim_time owed)
    {
        if (owed != sim_time()) {
            note_owed(present, r.begin, owed);
        }
        return r;
    }
    void note_owed(sim_time present, sim_time begin, sim_time length);
    static sim_time ahead(const std::vector<interval>& of, std::size_t first, sim_time present);

    /// Start of the first gap of `length` from `earliest` on; `i` becomes the index behind it.
    sim_time first_gap(sim_time earliest, sim_time length, std::size_t& i) const
    {
        sim_time begin = earliest;
        while (i < m_busy.size() && m_busy[i].end <= begin) {
            ++i;
        }
        while (i < m_busy.size() && m_busy[i].begin < begin + length) {
            begin = later(begin, m_busy[i].end);
            ++i;
        }
        return begin;
    }

    /// Inserts before index i, merging with neighbours that touch.
    void insert(std::size_t i, interval r)
    {
        const bool joins_before = i > m_first && m_busy[i - 1].end == r.begin;
        const bool joins_after = i < m_busy.size() && m_busy[i].begin == r.end;
        if (joins_before && joins_after) {
            m_busy[i - 1].end = m_busy[i].end;
            m_busy.erase(m_busy.begin() + static_cast<std::ptrdiff_t>(i));
        } else if (joins_before) {
            m_busy[i - 1].end = r.end;
        } else if (joins_after) {
            m_busy[i].begin = r.begin;
        } else {
            m_busy.insert(m_busy.begin() + static_cast<std::ptrdiff_t>(i), r);
        }
    }

    std::vector<interval> m_busy;
    std::size_t m_first = 0; // entries before it have ended
    sim_time m_total;
    sim_time m_debt;                   // not yet given way to
    sim_time m_owed;                   // likewise, and does not count
    std::vector<interval> m_uncounted; // of what is booked: by time, disjoint
};

} // namespace ssdvp
