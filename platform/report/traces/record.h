// SPDX-License-Identifier: Apache-2.0
//
// Rows of a trace in order of their times, as far as they lie in its window. Blocks tell of some
// before their time: a row waits until that has come, and is none if power goes before. Memory is
// bounded: while a window by requests has not begun, and between the slowest ones, only the newest
// rows are kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "models/host/request.h"
#include "platform/report/traces/window.h"

namespace ssdvp::platform {

/// A Row has `when`.
template <typename Row>
class trace_record {
public:
    static constexpr std::size_t most_before = 1u << 17; // rows kept while the window waits

    /// `see` sees each row in order, and may complete it; `take` gets those of the window.
    trace_record(const trace_window& window, std::function<void(Row&)> see,
                 std::function<void(const Row&)> take)
        : m_window(window), m_see(std::move(see)), m_take(std::move(take)), m_open(!window)
    {}

    /// Told now, of now or later.
    void add(const Row& row)
    {
        pass_until(now());
        m_ahead.push_back({row, m_told++});
        std::push_heap(m_ahead.begin(), m_ahead.end(), comes_behind);
    }
    /// What lies ahead does not happen, of rows for which `is_cut` is true.
    template <typename Predicate>
    void cut(Predicate is_cut)
    {
        pass_until(now());
        const auto gone = std::remove_if(m_ahead.begin(), m_ahead.end(),
                                         [&](const numbered& n) { return is_cut(n.row); });
        m_ahead.erase(gone, m_ahead.end());
        std::make_heap(m_ahead.begin(), m_ahead.end(), comes_behind);
    }
    /// The measured part begins.
    void begin(sim_time t)
    {
        pass_until(t);
        if (!m_window) {
            return;
        }
        m_waits = true;
        m_first = m_told;
        if (m_window->kind == window_kind::time) {
            open(t + m_window->begin);
            m_until = t + m_window->end;
        } else if (m_window->kind == window_kind::requests && m_window->first == 0) {
            open(t);
        }
    }
    /// A request of the measured part has completed, now.
    void completed(const host::request_result& r)
    {
        const std::uint64_t number = m_completed++;
        if (!m_window || m_window->kind == window_kind::time || (!m_waits && !m_open)) {
            return;
        }
        pass_until(now());
        if (m_window->kind == window_kind::slowest) {
            keep_slowest(r);
            return;
        }
        if (number == m_window->first) {
            open(r.req.arrival);
        }
        if (number + 1 == m_window->last) {
            close();
        }
    }
    /// The measured part ends.
    void end(sim_time t)
    {
        pass_until(t);
        if (m_window) {
            const bool timed = m_window->kind == window_kind::time;
            m_reached = timed ? m_from < t : m_completed > m_window->first;
            close();
        }
    }
    /// The run does: hands out the rest.
    void finish()
    {
        pass_until(now());
        std::map<std::uint64_t, const Row*> all; // requests overlap
        for (const slow& s : m_slowest) {
            for (const numbered& n : s.around) {
                all.emplace(n.number, &n.row);
            }
        }
        for (const auto& [number, row] : all) {
            m_take(*row);
        }
    }
    [[nodiscard]] bool reached() const { return m_reached; }
    [[nodiscard]] std::uint64_t requests() const { return m_completed; }

private:
    struct numbered {
        Row row;
        std::uint64_t number; // of being told; from pass() on, in order of time
    };
    struct slow {
        sim_time latency;
        std::vector<numbered> around;
    };

    static bool comes_behind(const numbered& a, const numbered& b)
    {
        return a.row.when > b.row.when || (a.row.when == b.row.when && a.number > b.number);
    }
    static bool slower(const slow& a, const slow& b) { return a.latency > b.latency; }
    void pass_until(sim_time t)
    {
        while (!m_ahead.empty() && m_ahead.front().row.when <= t) {
            std::pop_heap(m_ahead.begin(), m_ahead.end(), comes_behind);
            m_see(m_ahead.back().row);
            if (m_ahead.back().number >= m_first) {
                pass(m_ahead.back().row);
            }
            m_ahead.pop_back();
        }
    }
    void pass(const Row& row)
    {
        if (m_open) {
            if (row.when >= m_from && row.when <= m_until) {
                m_take(row);
            }
        } else if (m_waits) {
            m_recent.push_back({row, m_passed++});
            if (m_recent.size() > most_before) {
                m_recent.pop_front();
            }
        }
    }
    void open(sim_time from)
    {
        m_from = from;
        m_waits = false;
        m_open = true;
        for (const numbered& n : m_recent) {
            pass(n.row);
        }
        m_recent.clear();
    }
    void close()
    {
        m_waits = m_open = false;
        m_recent.clear();
    }
    /// Of a request that is among the slowest so far, all that happened while it was under way.
    void keep_slowest(const host::request_result& r)
    {
        if (m_slowest.size() == m_window->slowest) {
            if (r.latency() <= m_slowest.front().latency) {
                return;
            }
            std::pop_heap(m_slowest.begin(), m_slowest.end(), slower);
            m_slowest.pop_back();
        }
        const auto under_way = [&](const numbered& n) { return n.row.when >= r.req.arrival; };
        const auto first = std::find_if(m_recent.begin(), m_recent.end(), under_way);
        m_slowest.push_back({r.latency(), {first, m_recent.end()}});
        std::push_heap(m_slowest.begin(), m_slowest.end(), slower);
    }

    trace_window m_window; // first: others begin by it
    std::function<void(Row&)> m_see;
    std::function<void(const Row&)> m_take;
    std::vector<numbered> m_ahead;               // a heap: the next one first
    std::deque<numbered> m_recent;               // while the window waits
    std::vector<slow> m_slowest;                 // a heap: the fastest of them first
    sim_time m_from, m_until{~std::uint64_t{0}}; // of the window
    std::uint64_t m_told = 0;
    std::uint64_t m_first = 0; // that the measured part counts
    std::uint64_t m_passed = 0;
    std::uint64_t m_completed = 0;
    bool m_waits = false;       // for its window
    bool m_open = false;        // the window has begun
    bool m_reached = !m_window; // the window has begun within the measured part
};

} // namespace ssdvp::platform
