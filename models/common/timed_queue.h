// SPDX-License-Identifier: Apache-2.0
//
// A block's agenda: entries due at a time, in order of time and then of insertion, behind one
// sc_event. One queue and one SC_METHOD per block keep the kernel's work small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

template <typename Entry>
class timed_queue {
public:
    explicit timed_queue(const char* name, std::size_t capacity = 64) : m_event(name)
    {
        m_heap.reserve(capacity);
    }

    /// Make the owning process sensitive to this.
    [[nodiscard]] const sc_core::sc_event& event() const { return m_event; }

    /// Adds an entry due at `when` (not before now) and wakes the owner then.
    void push(sim_time when, Entry entry)
    {
        m_heap.push_back({when, m_sequence++, std::move(entry)});
        std::push_heap(m_heap.begin(), m_heap.end(), due_later);
        // sc_event keeps the earliest of several timed notifications.
        m_event.notify((when - now()).to_sc());
    }

    /// Takes the next entry that is due now. When none is due, re-arms the event for the next
    /// one and returns false.
    bool pop_due(Entry& entry)
    {
        if (m_heap.empty()) {
            return false;
        }
        const sim_time t = now();
        if (m_heap.front().when > t) {
            m_event.notify((m_heap.front().when - t).to_sc());
            return false;
        }
        std::pop_heap(m_heap.begin(), m_heap.end(), due_later);
        entry = std::move(m_heap.back().entry);
        m_heap.pop_back();
        return true;
    }

    [[nodiscard]] bool empty() const { return m_heap.empty(); }
    [[nodiscard]] std::size_t size() const { return m_heap.size(); }
    void clear()
    {
        m_heap.clear();
        m_event.cancel();
    }

private:
    struct item {
        sim_time when;
        std::uint64_t sequence;
        Entry entry;
    };
    static bool due_later(const item& a, const item& b)
    {
        return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
    }

    std::vector<item> m_heap;
    std::uint64_t m_sequence = 0;
    sc_core::sc_event m_event;
};

} // namespace ssdvp
