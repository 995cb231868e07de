// SPDX-License-Identifier: Apache-2.0
//
// A block's agenda: entries due at a time, in order of time and then of insertion. One queue and
// one SC_METHOD per block keep the kernel's work small. It has two sc_events: while one waits for
// a later entry, the other is given an earlier one. A notification that is replaced instead would
// stay in the kernel's heap until its time, and be given again.
//
// Work that nobody can see before somebody looks has no event at all: it is late. It is taken in
// its place in the order, with the next entry that wakes the owner or when the owner is asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/common/due_list.h"
#include "models/common/time.h"

namespace ssdvp {

template <typename Entry>
class timed_queue {
public:
    explicit timed_queue(const char* name, std::size_t capacity = 64)
        : m_list(capacity), m_events{sc_core::sc_event(name), sc_core::sc_event()}
    {}

    static constexpr sim_time never = due_list<Entry>::never;

    /// Makes the owning process sensitive to entries that fall due.
    void wakes(sc_core::sc_sensitive& process) const { process << m_events[0] << m_events[1]; }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        m_list.insert({when, std::move(entry), false});
        if (when < earlier(m_armed[0], m_armed[1])) {
            arm(when, now());
        }
    }
    /// Adds an entry that wakes nobody. Whoever looks for what it does calls pop_late() first.
    void push_late(sim_time when, Entry entry)
    {
        if (m_heeds_late) {
            push(when, std::move(entry));
        } else {
            m_list.insert({when, std::move(entry), true});
        }
    }
    /// Whether late entries wake the owner like others, those that are there too. At first they do:
    /// nobody is known to look.
    void heed_late(bool on)
    {
        if (on && !m_heeds_late && m_list.late() != 0) {
            const sim_time next = first_late();
            m_list.wake_all();
            if (next < earlier(m_armed[0], m_armed[1])) {
                arm(later(next, now()), now());
            }
        }
        m_heeds_late = on;
    }
    /// When the first of the late entries is due; none: never.
    [[nodiscard]] sim_time first_late() const
    {
        return first_late([](const Entry&) { return true; });
    }
    /// The same of those that `is` says.
    template <typename Is>
    [[nodiscard]] sim_time first_late(const Is& is) const
    {
        using item = typename due_list<Entry>::item;
        return m_list.late() == 0
                   ? never
                   : m_list.first_where([&is](const item& i) { return i.late && is(i.entry); });
    }

    /// Takes the next entry that is due now. When none is due, re-arms the event for the next
    /// one and returns false: the owner calls it until then.
    bool pop_due(Entry& entry)
    {
        sim_time when;
        return pop_due(entry, when);
    }
    /// The same; `when` it was due, which for a late entry may be long ago.
    bool pop_due(Entry& entry, sim_time& when)
    {
        const sim_time t = now();
        if (empty() || m_list.first().when > t) {
            wait_for_next(t);
            return false;
        }
        m_list.take(entry, when);
        return true;
    }
    /// Takes the next entry if it is a late one that is due. One that is not late stays until the
    /// owner is woken for it, with all that is behind it.
    bool pop_late(Entry& entry, sim_time& when)
    {
        if (m_list.late() == 0 || !m_list.first().late || m_list.first().when > now()) {
            return false;
        }
        m_list.take(entry, when);
        return true;
    }

    /// Whether pop_due() would give an entry; where not, the event is armed already.
    [[nodiscard]] bool due() const { return !empty() && m_list.first().when <= now(); }
    [[nodiscard]] bool empty() const { return m_list.empty(); }
    [[nodiscard]] std::size_t size() const { return m_list.size(); }
    void clear()
    {
        m_list.clear();
        m_armed = {never, never};
        m_events[0].cancel();
        m_events[1].cancel();
    }

private:
    /// By an event that is idle, else by the one that waits for the later time.
    void arm(sim_time when, sim_time t)
    {
        const std::size_t i = m_armed[1] > m_armed[0] ? 1 : 0;
        m_armed[i] = when;
        m_events[i].notify((when - t).to_sc());
    }

    void wait_for_next(sim_time t)
    {
        for (std::size_t i = 0; i < m_armed.size(); ++i) {
            if (m_armed[i] <= t) {
                m_armed[i] = never;
                m_events[i].cancel(); // if it has not fired yet it would ignore a later time
            }
        }
        using item = typename due_list<Entry>::item;
        const sim_time next = m_list.first_where([](const item& i) { return !i.late; });
        if (next < earlier(m_armed[0], m_armed[1])) {
            arm(next, t);
        }
    }

    due_list<Entry> m_list;
    bool m_heeds_late = true;
    /// When each event is pending, or has fired since pop_due() last found nothing.
    std::array<sim_time, 2> m_armed{never, never};
    std::array<sc_core::sc_event, 2> m_events;
};

} // namespace ssdvp
