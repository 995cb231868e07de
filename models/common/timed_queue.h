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
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

template <typename Entry>
class timed_queue {
public:
    explicit timed_queue(const char* name, std::size_t capacity = 64)
        : m_room(capacity), m_events{sc_core::sc_event(name), sc_core::sc_event()}
    {
        m_items.reserve(capacity);
    }

    static constexpr sim_time never{~std::uint64_t{0}};

    /// Makes the owning process sensitive to entries that fall due.
    void wakes(sc_core::sc_sensitive& process) const { process << m_events[0] << m_events[1]; }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        insert({when, std::move(entry), false});
        if (when < earlier(m_armed[0], m_armed[1])) {
            arm(when, now());
        }
    }
    /// Adds an entry that wakes nobody. Whoever looks for what it does calls pop_due() first.
    void push_late(sim_time when, Entry entry)
    {
        if (m_heeds_late) {
            push(when, std::move(entry));
            return;
        }
        insert({when, std::move(entry), true});
        ++m_late;
    }
    /// Whether late entries wake the owner like others, those that are there too. At first they do:
    /// nobody is known to look.
    void heed_late(bool on)
    {
        if (on && !m_heeds_late && m_late != 0) {
            const sim_time next = first_late();
            for (std::size_t i = m_first; i < m_end; ++i) {
                m_items[i].late = false;
            }
            m_late = 0;
            if (next < earlier(m_armed[0], m_armed[1])) {
                arm(later(next, now()), now());
            }
        }
        m_heeds_late = on;
    }
    /// When the first of the late entries is due; none: never.
    [[nodiscard]] sim_time first_late() const
    {
        return m_late == 0 ? never : m_items[first_where(true)].when;
    }
    /// The same of those that `is` says.
    template <typename Is>
    [[nodiscard]] sim_time first_late(const Is& is) const
    {
        for (std::size_t i = m_first; m_late != 0 && i < m_end; ++i) {
            if (m_items[i].late && is(m_items[i].entry)) {
                return m_items[i].when;
            }
        }
        return never;
    }
    /// Takes the next entry if it is a late one that is due. One that is not late stays until the
    /// owner is woken for it, with all that is behind it.
    bool pop_late(Entry& entry, sim_time& when)
    {
        if (m_late == 0 || !m_items[m_first].late || m_items[m_first].when > now()) {
            return false;
        }
        take(entry, when);
        return true;
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
        if (empty() || m_items[m_first].when > t) {
            wait_for_next(t);
            return false;
        }
        take(entry, when);
        return true;
    }

    /// Whether pop_due() would give an entry; where not, the event is armed already.
    [[nodiscard]] bool due() const { return !empty() && m_items[m_first].when <= now(); }
    [[nodiscard]] bool empty() const { return m_first == m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_first; }
    void clear()
    {
        forget_all();
        m_armed = {never, never};
        m_events[0].cancel();
        m_events[1].cancel();
    }

private:
    struct item {
        sim_time when;
        Entry entry;
        bool late; // it wakes nobody
    };

    /// Nearly every entry is due after those already there, so it stays where it was put.
    void insert(item entry)
    {
        const sim_time when = entry.when;
        m_items.push_back(std::move(entry));
        for (std::size_t i = m_end++; i > m_first && m_items[i - 1].when > when; --i) {
            std::swap(m_items[i - 1], m_items[i]);
        }
    }

    /// The first entry that is late, or that is not. Precondition: there is one.
    [[nodiscard]] std::size_t first_where(bool late) const
    {
        std::size_t i = m_first;
        while (m_items[i].late != late) {
            ++i;
        }
        return i;
    }

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
        if (m_late == size()) {
            return;
        }
        const sim_time next = m_items[first_where(false)].when;
        if (next < earlier(m_armed[0], m_armed[1])) {
            arm(next, t);
        }
    }

    void take(Entry& entry, sim_time& when)
    {
        item& next = m_items[m_first];
        when = next.when;
        m_late -= next.late ? 1 : 0;
        entry = std::move(next.entry);
        ++m_first;
        forget();
    }

    /// Gives the room of entries taken back, seldom enough to cost nothing.
    void forget()
    {
        if (empty()) {
            forget_all();
        } else if (m_first * 2 >= m_room) {
            m_items.erase(m_items.begin(), m_items.begin() + static_cast<std::ptrdiff_t>(m_first));
            m_end -= m_first;
            m_first = 0;
        }
    }

    void forget_all()
    {
        m_items.clear();
        m_first = m_end = m_late = 0;
    }

    std::vector<item> m_items; // by time, then by insertion
    std::size_t m_room;        // that asked for; capacity() and size() are divisions
    std::size_t m_first = 0;   // entries before it were taken
    std::size_t m_end = 0;     // entries in m_items
    std::size_t m_late = 0;    // of them that wake nobody
    bool m_heeds_late = true;
    /// When each event is pending, or has fired since pop_due() last found nothing.
    std::array<sim_time, 2> m_armed{never, never};
    std::array<sc_core::sc_event, 2> m_events;
};

} // namespace ssdvp
