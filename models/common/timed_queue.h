// SPDX-License-Identifier: Apache-2.0
//
// A block's agenda: entries due at a time, in order of time and then of insertion. The simulation's
// calendar runs the owner when the first of them is due.
//
// Work that nobody can see before somebody looks wakes nobody: it is late. It is taken in its place
// in the order, with the next entry that wakes the owner or when the owner is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/common/deadline.h"
#include "models/common/due_list.h"
#include "models/common/time.h"

namespace ssdvp {

template <typename Entry>
class timed_queue {
public:
    explicit timed_queue(std::size_t capacity = 64) : m_list(capacity) {}

    static constexpr sim_time never = due_list<Entry>::never;

    /// `owner.Act()` runs when an entry falls due, and takes entries until there is none.
    template <auto Act, typename Owner>
    void wakes(Owner& owner)
    {
        m_wake.template wakes<Act>(owner);
    }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        m_list.insert({when, std::move(entry), false});
        if (when < m_wake.when()) {
            m_wake.set(when);
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
            if (next < m_wake.when()) {
                m_wake.set(next);
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

    /// Takes the next entry that is due now. When none is due, the owner will be woken for the
    /// next one, and it returns false: the owner calls it until then.
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
            wait_for_next();
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

    /// Whether pop_due() would give an entry; where not, the owner will be woken.
    [[nodiscard]] bool due() const { return !empty() && m_list.first().when <= now(); }
    [[nodiscard]] bool empty() const { return m_list.empty(); }
    [[nodiscard]] std::size_t size() const { return m_list.size(); }
    void clear()
    {
        m_list.clear();
        m_wake.clear();
    }

private:
    void wait_for_next()
    {
        using item = typename due_list<Entry>::item;
        const sim_time next = m_list.first_where([](const item& i) { return !i.late; });
        if (next != m_wake.when()) {
            m_wake.set(next);
        }
    }

    due_list<Entry> m_list;
    bool m_heeds_late = true;
    deadline m_wake; // of the owner
};

} // namespace ssdvp
