// SPDX-License-Identifier: Apache-2.0
//
// A block's agenda: entries due at a time, in order of time and then of insertion. One queue and
// one SC_METHOD per block keep the kernel's work small. It has two sc_events: while one waits for
// a later entry, the other is given an earlier one. A notification that is replaced instead would
// stay in the kernel's heap until its time, and be given again.
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

    /// Makes the owning process sensitive to entries that fall due.
    void wakes(sc_core::sc_sensitive& process) const { process << m_events[0] << m_events[1]; }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        // Nearly every entry is due after those already there, so it stays where it was put.
        m_items.push_back({when, std::move(entry)});
        for (std::size_t i = m_end++; i > m_first && m_items[i - 1].when > when; --i) {
            std::swap(m_items[i - 1], m_items[i]);
        }
        if (when < earlier(m_armed[0], m_armed[1])) {
            arm(when, now());
        }
    }

    /// Takes the next entry that is due now. When none is due, re-arms the event for the next
    /// one and returns false: the owner calls it until then.
    bool pop_due(Entry& entry)
    {
        const sim_time t = now();
        if (empty() || m_items[m_first].when > t) {
            wait_for_next(t);
            return false;
        }
        item& next = m_items[m_first];
        entry = std::move(next.entry);
        ++m_first;
        forget();
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
    };
    static constexpr sim_time never{~std::uint64_t{0}};

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
        if (!empty() && m_items[m_first].when < earlier(m_armed[0], m_armed[1])) {
            arm(m_items[m_first].when, t);
        }
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
        m_first = m_end = 0;
    }

    std::vector<item> m_items; // by time, then by insertion
    std::size_t m_room;        // that asked for; capacity() and size() are divisions
    std::size_t m_first = 0;   // entries before it were taken
    std::size_t m_end = 0;     // entries in m_items
    /// When each event is pending, or has fired since pop_due() last found nothing.
    std::array<sim_time, 2> m_armed{never, never};
    std::array<sc_core::sc_event, 2> m_events;
};

} // namespace ssdvp
