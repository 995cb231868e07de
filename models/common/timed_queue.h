// SPDX-License-Identifier: Apache-2.0
//
// A block's agenda: entries due at a time, in order of time and then of insertion, behind one
// sc_event. One queue and one SC_METHOD per block keep the kernel's work small.
#pragma once

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
        : m_room(capacity), m_event(name)
    {
        m_items.reserve(capacity);
    }

    /// Make the owning process sensitive to this.
    [[nodiscard]] const sc_core::sc_event& event() const { return m_event; }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        // Nearly every entry is due after those already there, so it stays where it was put.
        m_items.push_back({when, std::move(entry)});
        for (std::size_t i = m_end++; i > m_first && m_items[i - 1].when > when; --i) {
            std::swap(m_items[i - 1], m_items[i]);
        }
        if (when < m_armed) {
            arm(when, now());
        }
    }

    /// Takes the next entry that is due now. When none is due, re-arms the event for the next
    /// one and returns false: the owner calls it until then.
    bool pop_due(Entry& entry)
    {
        if (empty()) {
            m_armed = never;
            return false;
        }
        const sim_time t = now();
        item& next = m_items[m_first];
        if (next.when > t) {
            arm(next.when, t);
            return false;
        }
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
        m_armed = never;
        m_event.cancel();
    }

private:
    struct item {
        sim_time when;
        Entry entry;
    };
    static constexpr sim_time never{~std::uint64_t{0}};

    void arm(sim_time when, sim_time t)
    {
        if (when != m_armed) {
            m_armed = when;
            m_event.notify((when - t).to_sc());
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
    sim_time m_armed = never;  // when the event is pending, or has fired until it is re-armed
    sc_core::sc_event m_event;
};

} // namespace ssdvp
