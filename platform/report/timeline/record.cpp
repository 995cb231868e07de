// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/record.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "platform/report/timeline/number_sort.h"

namespace ssdvp::platform {

namespace {

bool slower(const host::request_result& a, const host::request_result& b)
{
    return a.latency() > b.latency() || (a.latency() == b.latency() && a.sequence < b.sequence);
}

constexpr sim_time forever{~std::uint64_t{0}};
constexpr std::size_t requests_at_first = 1u << 14; // room for so many is there when it begins

bool overlaps(const timeline_slice& s, sim_time begin, sim_time end)
{
    return s.end >= begin && s.begin <= end;
}

} // namespace

std::uint32_t timeline_record::add_track(const std::string& group, const std::string& name)
{
    m_tracks.push_back({group, name});
    m_before.emplace_back();
    return static_cast<std::uint32_t>(m_tracks.size() - 1);
}

void timeline_record::begin(sim_time t)
{
    m_zero = m_from = t;
    m_on = true;
    if (m_window.kind != window_kind::slowest) {
        m_requests.reserve(requests_at_first);
    }
    if (m_window.kind == window_kind::time) {
        m_from = t + m_window.begin;
        m_until = t + m_window.end;
    }
    if (m_window.kind == window_kind::requests && m_window.first == 0) {
        open();
    }
}

void timeline_record::bound(std::uint16_t slot, std::uint32_t command, sim_time when)
{
    if (slot >= m_holders.size()) {
        m_holders.resize(slot + std::size_t{1});
    }
    holder& h = m_holders[slot];
    h = {command, h.command, when};
}

/// The window begins. What of it was told before is handed on first.
void timeline_record::open()
{
    if (m_open) {
        return;
    }
    m_open = true;
    m_told = m_recent.size();
    if (m_to == nullptr) {
        return;
    }
    m_recent.for_each([this](const entry& e) { hand_on_slice(e); });
    m_recent = {};
    for (const host::request_result& r : m_requests) {
        hand_on_request(r);
    }
    m_requests.clear();
}

void timeline_record::add(std::uint32_t track, const timeline_slice& slice)
{
    if (m_on && overlaps(slice, m_from, m_until)) {
        put(track, slice);
    }
}

/// It holds until the next one, so those before the window count, too.
void timeline_record::set(std::uint32_t track, sim_time t, std::uint64_t value)
{
    if (m_ended || t > m_until) {
        return;
    }
    timeline_slice level;
    level.begin = t;
    level.end = forever;
    level.details.front().value = value;
    put(track, level);
}

void timeline_record::put(std::uint32_t track, const timeline_slice& slice)
{
    if (!m_open && m_on && m_window.kind == window_kind::time && slice.begin >= m_from) {
        open();
    }
    m_cuts = m_cuts || slice.cuts;
    if (m_open && m_to != nullptr) {
        m_piece.slices.emplace_back(track, command_of(slice), slice);
        if (m_piece.full()) {
            hand_on();
        }
    } else {
        m_recent.add() = {track, command_of(slice), slice};
    }
    if (m_open && ++m_told == m_most) {
        m_full = m_ended = true;
        m_on = false;
        m_until = slice.begin;
    } else if (!m_open && m_recent.size() > most_before) {
        drop_oldest();
    }
}

void timeline_record::drop_oldest()
{
    const entry& oldest = m_recent[0];
    if (oldest.is_level()) {
        m_before[oldest.track] = {m_dropped, oldest};
    }
    m_recent.drop_oldest();
    ++m_dropped;
}

void timeline_record::completed(const host::request_result& r)
{
    const std::uint64_t number = m_completed++;
    m_now = r.completed;
    if (!m_on) {
        return;
    }
    switch (m_window.kind) {
    case window_kind::time:
        if (r.completed >= m_from && r.req.arrival <= m_until) {
            keep(r);
        }
        break;
    case window_kind::requests:
        if (number == m_window.first) {
            m_from = later(m_zero, r.req.arrival);
            open();
        }
        if (number >= m_window.first && number < m_window.last) {
            keep(r);
        }
        if (number + 1 == m_window.last) {
            m_until = r.completed;
            m_on = false;
            m_ended = true;
        }
        break;
    case window_kind::slowest:
        keep_slowest(r);
        break;
    }
}

void timeline_record::keep(const host::request_result& r)
{
    if (m_open && m_to != nullptr) {
        hand_on_request(r);
    } else {
        m_requests.push_back(r);
    }
}

void timeline_record::hand_on_slice(const entry& e)
{
    m_piece.slices.push_back(e);
    if (m_piece.full()) {
        hand_on();
    }
}

void timeline_record::hand_on_request(const host::request_result& r)
{
    m_piece.requests.push_back(r);
    if (m_piece.full()) {
        hand_on();
    }
}

/// Blocks tell of work when it is ordered, or when it is done: at the latest, but for a few, some
/// pieces after it was over.
void timeline_record::hand_on()
{
    m_piece.from = m_from;
    m_piece.settled = m_ends[0];
    m_piece = m_to->take(std::move(m_piece));
    std::rotate(m_ends.begin(), m_ends.begin() + 1, m_ends.end());
    m_ends.back() = m_now;
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
    std::vector<std::optional<numbered>> at_arrival = m_before;
    std::uint64_t number = m_dropped;
    m_recent.for_each([&](const entry& e) {
        if (e.is_level() && e.slice.begin <= r.req.arrival) {
            at_arrival[e.track] = {number, e};
        } else if (overlaps(e.slice, r.req.arrival, r.completed)) {
            s.around.push_back({number, e});
        }
        ++number;
    });
    for (const std::optional<numbered>& n : at_arrival) {
        if (n) {
            s.around.push_back(*n);
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
        m_apart.push_back(e);
    }
    for (entry& e : m_apart) {
        m_kept.push_back(&e);
    }
}

void timeline_record::keep_window()
{
    for (const std::optional<numbered>& n : m_before) {
        if (n) {
            m_apart.push_back(n->what);
        }
    }
    m_kept.reserve(m_apart.size() + m_recent.size());
    for (entry& e : m_apart) {
        m_kept.push_back(&e);
    }
    m_recent.for_each([this](entry& e) {
        if (overlaps(e.slice, m_from, m_until)) {
            m_kept.push_back(&e);
        }
    });
}

/// What is told of a level for a time takes back what was told before for later.
void timeline_record::void_later()
{
    std::vector<std::vector<std::size_t>> valid(m_tracks.size());
    std::vector<bool> dropped(m_kept.size(), false);
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        if (!m_kept[i]->is_level()) {
            continue;
        }
        std::vector<std::size_t>& own = valid[m_kept[i]->track];
        while (!own.empty() && m_kept[own.back()]->slice.begin >= m_kept[i]->slice.begin) {
            dropped[own.back()] = true;
            own.pop_back();
        }
        own.push_back(i);
    }
    std::size_t next = 0;
    m_kept.erase(
        std::remove_if(m_kept.begin(), m_kept.end(), [&](const entry*) { return dropped[next++]; }),
        m_kept.end());
}

/// Of equal beginnings what was told first.
void timeline_record::sort_kept()
{
    sim_time first = forever;
    for (const entry* e : m_kept) {
        first = std::min(first, e->slice.begin);
    }
    std::vector<numbered_thing<entry*>> order;
    order.reserve(m_kept.size());
    for (entry* e : m_kept) {
        order.push_back({(e->slice.begin - first).ps(), e});
    }
    sort_by_number(order);
    std::transform(order.begin(), order.end(), m_kept.begin(),
                   [](const numbered_thing<entry*>& one) { return one.what; });
}

/// Of equal arrivals what completed first.
void timeline_record::sort_requests()
{
    std::vector<numbered_thing<const host::request_result*>> order;
    order.reserve(m_requests.size());
    for (const host::request_result& r : m_requests) {
        order.push_back({r.sequence, &r});
    }
    sort_by_number(order);
    for (auto& one : order) {
        one.number = one.what->req.arrival.ps();
    }
    sort_by_number(order);
    std::vector<host::request_result> sorted;
    sorted.reserve(m_requests.size());
    for (const auto& one : order) {
        sorted.push_back(*one.what);
    }
    m_requests.swap(sorted);
}

void timeline_record::end(sim_time t)
{
    m_on = false;
    m_ended = true;
    m_until = std::min(m_until, t);
    if (m_to != nullptr && m_window.kind != window_kind::slowest) {
        if (missed().empty()) {
            open();
            hand_on();
        }
        return;
    }
    m_window.kind == window_kind::slowest ? keep_around() : keep_window();
    void_later();
    sort_kept();
    cut_suspended();
    sort_requests();
    if (m_to != nullptr) {
        hand_on_kept();
    }
}

void timeline_record::hand_on_kept()
{
    m_from = {};
    for (const entry* e : m_kept) {
        m_now = e->slice.begin;
        hand_on_slice(*e);
    }
    for (const host::request_result& r : m_requests) {
        hand_on_request(r);
    }
    hand_on();
}

std::vector<timeline_record::interval> timeline_record::shown() const
{
    if (m_window.kind != window_kind::slowest) {
        return {{m_from, m_until}};
    }
    std::vector<interval> all;
    for (const host::request_result& r : m_requests) { // in order of arrival
        if (all.empty() || r.req.arrival > all.back().end) {
            all.push_back({r.req.arrival, r.completed});
        }
        all.back().end = later(all.back().end, r.completed);
    }
    return all;
}

std::string timeline_record::missed() const
{
    if (m_window.kind == window_kind::requests && m_completed <= m_window.first &&
        m_window.first != 0) {
        return fmt::format("its window begins with request {}, and {} completed", m_window.first,
                           m_completed);
    }
    if (m_window.kind == window_kind::time && m_from >= m_until) {
        return fmt::format("its window begins {} us after the measured part began, when that was "
                           "over",
                           (m_from - m_zero).ns() / 1000);
    }
    return {};
}

/// What says that it cuts ends what is under way on its track.
void timeline_record::cut_suspended()
{
    if (!m_cuts) {
        return;
    }
    std::vector<entry*> last(m_tracks.size(), nullptr);
    for (entry* e : m_kept) {
        if (e->is_level()) {
            continue;
        }
        entry*& before = last[e->track];
        if (e->slice.cuts && before != nullptr) {
            before->slice.end = std::min(before->slice.end, e->slice.begin);
        }
        before = e;
    }
}

} // namespace ssdvp::platform
