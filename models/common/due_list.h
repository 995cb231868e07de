// SPDX-License-Identifier: Apache-2.0
//
// Entries that fall due, by time and then by insertion. Some are late: they wake nobody.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "models/common/time.h"

namespace ssdvp {

template <typename Entry>
class due_list {
public:
    struct item {
        sim_time when;
        Entry entry;
        bool late;
    };
    static constexpr sim_time never{~std::uint64_t{0}};

    explicit due_list(std::size_t capacity) : m_room(capacity) { m_items.reserve(capacity); }

    [[nodiscard]] bool empty() const { return m_first == m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_first; }
    [[nodiscard]] std::size_t late() const { return m_late; }
    /// Precondition: not empty.
    [[nodiscard]] const item& first() const { return m_items[m_first]; }
    /// When the first item that `is` says is due; none: never.
    template <typename Is>
    [[nodiscard]] sim_time first_where(const Is& is) const
    {
        for (std::size_t i = m_first; i < m_end; ++i) {
            if (is(m_items[i])) {
                return m_items[i].when;
            }
        }
        return never;
    }

    /// Nearly every entry is due after those already there, so it stays where it was put.
    void insert(item entry)
    {
        const sim_time when = entry.when;
        m_late += entry.late ? 1 : 0;
        m_items.push_back(std::move(entry));
        for (std::size_t i = m_end++; i > m_first && m_items[i - 1].when > when; --i) {
            std::swap(m_items[i - 1], m_items[i]);
        }
    }
    /// The first one. Precondition: not empty.
    void take(Entry& entry, sim_time& when)
    {
        item& next = m_items[m_first];
        when = next.when;
        m_late -= next.late ? 1 : 0;
        entry = std::move(next.entry);
        ++m_first;
        forget();
    }
    /// None is late any more.
    void wake_all()
    {
        for (std::size_t i = m_first; i < m_end; ++i) {
            m_items[i].late = false;
        }
        m_late = 0;
    }
    void clear()
    {
        m_items.clear();
        m_first = m_end = m_late = 0;
    }

private:
    /// Gives the room of entries taken back, seldom enough to cost nothing.
    void forget()
    {
        if (empty()) {
            clear();
        } else if (m_first * 2 >= m_room) {
            m_items.erase(m_items.begin(), m_items.begin() + static_cast<std::ptrdiff_t>(m_first));
            m_end -= m_first;
            m_first = 0;
        }
    }

    std::vector<item> m_items;
    std::size_t m_room;      // that asked for; capacity() and size() are divisions
    std::size_t m_first = 0; // entries before it were taken
    std::size_t m_end = 0;   // entries in m_items
    std::size_t m_late = 0;
};

} // namespace ssdvp
