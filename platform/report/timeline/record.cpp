// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/record.h"

#include <algorithm>
#include <map>

namespace ssdvp::platform {

namespace {

bool slower(const host::request_result& a, const host::request_result& b)
{
    return a.latency() > b.latency() || (a.latency() == b.latency() && a.sequence < b.sequence);
}

bool overlaps(const timeline_slice& s, sim_time begin, sim_time end)
{
    return s.end >= begin && s.begin <= end;
}

} // namespace

std::uint32_t timeline_record::add_track(const std::string& group, const std::string& name)
{
    m_tracks.push_back({group, name});
    return static_cast<std::uint32_t>(m_tracks.size() - 1);
}

void timeline_record::begin(sim_time t)
{
    m_zero = m_from = t;
    m_on = true;
    if (m_window.kind == window_kind::time) {
        m_from = t + m_window.begin;
        m_until = t + m_window.end;
        m_open = true;
    }
    m_open = m_open || (m_window.kind == window_kind::requests && m_window.first == 0);
}

void timeline_record::add(std::uint32_t track, const timeline_slice& slice)
{
    if (!m_on || !overlaps(slice, m_from, m_until)) {
        return;
    }
    m_recent.push_back({m_told++, {track, slice}});
    if (m_open && m_recent.size() == most_kept) {
        m_full = true;
        m_on = false;
        m_until = slice.begin;
    } else if (!m_open && m_recent.size() > most_before) {
        m_recent.pop_front();
    }
}

void timeline_record::completed(const host::request_result& r)
{
    const std::uint64_t number = m_completed++;
    if (!m_on) {
        return;
    }
    switch (m_window.kind) {
    case window_kind::time:
        if (r.completed >= m_from && r.req.arrival <= m_until) {
            m_requests.push_back(r);
        }
        break;
    case window_kind::requests:
        if (number == m_window.first) {
            m_open = true;
            m_from = later(m_zero, r.req.arrival);
        }
        if (number >= m_window.first && number < m_window.last) {
            m_requests.push_back(r);
        }
        if (number + 1 == m_window.last) {
            m_until = r.completed;
            m_on = false;
        }
        break;
    case window_kind::slowest:
        keep_slowest(r);
        break;
    }
}

/// Of a request that is among the slowest so far, all that happened while it was under way.
void timeline_record::keep_slowest(const host::request_result& r)
{
    const auto order = [](const slow& a, const slow& b) { return slower(a.request, b.request); };
    if (m_slowest.size() == m_window.slowest) {
        if (!slower(r, m_slowest.front().request)) {
            return;
        }
        std::pop_heap(m_slowest.begin(), m_slowest.end(), order);
        m_slowest.pop_back();
    }
    slow s{r, {}};
    for (const numbered& n : m_recent) {
        if (overlaps(n.what.slice, r.req.arrival, r.completed)) {
            s.around.push_back(n);
        }
    }
    m_slowest.push_back(std::move(s));
    std::push_heap(m_slowest.begin(), m_slowest.end(), order);
}

/// A slice may lie around several requests.
void timeline_record::keep_around()
{
    std::map<std::uint64_t, entry> all;
    for (const slow& s : m_slowest) {
        m_requests.push_back(s.request);
        for (const numbered& n : s.around) {
            all.emplace(n.number, n.what);
        }
    }
    m_slowest.clear();
    for (const auto& [number, e] : all) {
        m_kept.push_back(e);
    }
}

void timeline_record::end(sim_time t)
{
    m_on = false;
    m_until = std::min(m_until, t);
    if (m_window.kind == window_kind::slowest) {
        keep_around();
    }
    for (const numbered& n : m_recent) {
        if (m_window.kind != window_kind::slowest && overlaps(n.what.slice, m_from, m_until)) {
            m_kept.push_back(n.what);
        }
    }
    m_recent.clear();
    std::stable_sort(m_kept.begin(), m_kept.end(),
                     [](const entry& a, const entry& b) { return a.slice.begin < b.slice.begin; });
    cut_suspended();
    std::sort(m_requests.begin(), m_requests.end(),
              [](const host::request_result& a, const host::request_result& b) {
                  return a.req.arrival < b.req.arrival ||
                         (a.req.arrival == b.req.arrival && a.sequence < b.sequence);
              });
}

/// What says that it cuts ends what is under way on its track.
void timeline_record::cut_suspended()
{
    std::vector<entry*> last(m_tracks.size(), nullptr);
    for (entry& e : m_kept) {
        entry*& before = last[e.track];
        if (e.slice.cuts && before != nullptr) {
            before->slice.end = std::min(before->slice.end, e.slice.begin);
        }
        before = &e;
    }
}

} // namespace ssdvp::platform
