// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "platform/report/timeline/number_sort.h"

namespace ssdvp::platform {

timeline_layout::timeline_layout(const std::vector<timeline_record::track_name>& tracks,
                                 const perfetto_writer::taker& to)
    : m_writer(to), m_requests(m_writer.add_track("requests of the host", 0)),
      m_counters(m_writer.add_track("counters", 0))
{
    std::copy(std::begin(purpose_names), std::end(purpose_names), m_purposes.begin());
    std::map<std::string, perfetto_writer::track> groups;
    for (const timeline_record::track_name& t : tracks) {
        auto [group, is_new] = groups.try_emplace(t.group, 0);
        if (is_new) {
            group->second = m_writer.add_track(t.group, 0);
        }
        m_tracks.push_back({{group->second, t.name, {}}, {}});
        m_tracks.back().drawn_on.all.emplace_back(m_writer.add_track(t.name, group->second),
                                                  sim_time());
    }
}

perfetto_writer::track timeline_layout::add_lane(lanes& l)
{
    const std::string more = l.all.empty() ? "" : fmt::format(" ({})", l.all.size() + 1);
    l.all.emplace_back(m_writer.add_track(l.name + more, l.group), sim_time());
    return l.all.back().first;
}

/// On the first lane that is free: work comes in order of its beginnings.
perfetto_writer::track timeline_layout::place(lanes& l, sim_time begin, sim_time end)
{
    for (auto& [on, free] : l.all) {
        if (free <= begin) {
            free = end;
            return on;
        }
    }
    const perfetto_writer::track on = add_lane(l);
    l.all.back().second = end;
    return on;
}

/// On the lane that is free for the shortest time: requests come in order of their ends, and so
/// take no more lanes than are under way at a time.
perfetto_writer::track timeline_layout::place_ended(lanes& l, sim_time begin, sim_time end)
{
    std::pair<perfetto_writer::track, sim_time>* best = nullptr;
    for (auto& lane : l.all) {
        if (lane.second <= begin && (best == nullptr || lane.second > best->second)) {
            best = &lane;
        }
    }
    if (best == nullptr) {
        (void)add_lane(l);
        best = &l.all.back();
    }
    best->second = end;
    return best->first;
}

void timeline_layout::add(const timeline_entry& e)
{
    track& t = m_tracks[e.track];
    if (t.sorted == t.held.size() &&
        (t.sorted == t.drawn || t.held.back().slice.begin <= e.slice.begin)) {
        ++t.sorted;
    }
    t.held.push_back(e);
}

void timeline_layout::add(const host::request_result& r)
{
    m_changes.push_back({r.req.arrival.ps(), 1});
    m_changes.push_back({r.completed.ps(), -1});
    if (r.completed == r.req.arrival) {
        return;
    }
    lanes& l = m_queues[r.queue];
    if (l.all.empty()) {
        l.group = m_requests;
        l.name = fmt::format("queue {}", r.queue);
    }
    const perfetto_writer::track on = place_ended(l, r.req.arrival, r.completed);
    const auto kind = static_cast<std::size_t>(r.req.kind);
    char* at = m_writer.begin(r.req.arrival.ns(), on, request_kind_names[kind]);
    m_writer.put(lead(tell(at, r), r.place.command));
    m_writer.end(r.completed.ns(), on);
}

/// Of equal beginnings what was told first. What is out of order is so by little: few change
/// places.
void timeline_layout::sort(track& t)
{
    if (t.sorted == t.held.size()) {
        return;
    }
    const auto earlier = [](const timeline_entry& a, const timeline_entry& b) {
        return a.slice.begin < b.slice.begin;
    };
    const auto first = t.held.begin() + static_cast<std::ptrdiff_t>(t.drawn);
    const auto late = t.held.begin() + static_cast<std::ptrdiff_t>(t.sorted);
    std::stable_sort(late, t.held.end(), earlier);
    std::inplace_merge(std::upper_bound(first, late, *late, earlier), late, t.held.end(), earlier);
    t.sorted = t.held.size();
}

/// What says that it cuts ends what is under way.
void timeline_layout::settle(track& t, sim_time until)
{
    sort(t);
    for (; t.drawn < t.held.size(); ++t.drawn) {
        timeline_slice& s = t.held[t.drawn].slice;
        if (t.drawn + 1 < t.held.size() && t.held[t.drawn + 1].slice.cuts) {
            s.end = std::min(s.end, t.held[t.drawn + 1].slice.begin);
        }
        if (s.end > until) {
            break;
        }
        draw(t, t.held[t.drawn]);
    }
    if (2 * t.drawn >= t.held.size()) { // few remain to be moved
        t.held.erase(t.held.begin(), t.held.begin() + static_cast<std::ptrdiff_t>(t.drawn));
        t.drawn = 0;
        t.sorted = t.held.size();
    }
}

void timeline_layout::settle(sim_time until)
{
    for (track& t : m_tracks) {
        settle(t, until);
    }
}

/// The end follows the beginning at once: readers order packets by time, and those of equal times
/// as they stand.
void timeline_layout::draw(track& t, const timeline_entry& e)
{
    const timeline_slice& s = e.slice;
    if (s.end > s.begin) {
        const perfetto_writer::track on = place(t.drawn_on, s.begin, s.end);
        char* at = m_writer.begin(s.begin.ns(), on, s.name);
        m_writer.put(lead(tell(at, s), e.command));
        m_writer.end(s.end.ns(), on);
    }
}

char* timeline_layout::lead(char* at, std::uint32_t command)
{
    return command != 0 ? perfetto_writer::flow(at, command) : at;
}

/// What a picosecond is lost of is told exactly.
char* timeline_layout::exact(char* at, sim_time begin, sim_time end)
{
    if (begin.ps() % 1000 != 0 || end.ps() % 1000 != 0) {
        at = m_writer.number(at, "begin_rest_ps", begin.ps() % 1000);
        at = m_writer.number(at, "duration_ps", (end - begin).ps());
    }
    return at;
}

char* timeline_layout::tell(char* at, const host::request_result& r)
{
    at = m_writer.number(at, "sequence", r.sequence);
    at = m_writer.number(at, "lba", r.req.lba);
    at = m_writer.number(at, "sectors", r.req.sectors);
    at = m_writer.number(at, "latency_ps", r.latency().ps());
    at = m_writer.number(at, "status", r.status);
    for (std::size_t i = 0; i < latency_parts; ++i) {
        if (r.parts[i] != sim_time()) {
            at = m_writer.number(at, latency_part_names[i], r.parts[i].ns());
        }
    }
    return exact(at, r.req.arrival, r.completed);
}

char* timeline_layout::tell(char* at, const timeline_slice& s)
{
    for (const timeline_slice::detail& one : s.details) {
        if (one.name == nullptr) {
            break;
        }
        at = m_writer.number(at, one.name, one.value);
    }
    if (s.purpose < FLASH_PURPOSES) {
        at = m_writer.text(at, "purpose", m_purposes[s.purpose]);
    }
    return exact(at, s.begin, s.end);
}

/// Requests in flight step by step; what the drive says at the end of each piece of its series.
void timeline_layout::write_counters(const std::vector<series_piece>& pieces, sim_time zero)
{
    const auto flight = m_writer.add_counter("requests in flight", "requests", m_counters);
    sort_by_number(m_changes);
    int in_flight = 0;
    for (std::size_t i = 0; i < m_changes.size(); ++i) {
        in_flight += m_changes[i].what;
        if (i + 1 == m_changes.size() || m_changes[i + 1].number != m_changes[i].number) {
            m_writer.count(sim_time(m_changes[i].number).ns(), flight, in_flight);
        }
    }
    if (!pieces.empty() && !m_changes.empty()) {
        write_pieces(pieces, zero);
    }
}

void timeline_layout::write_pieces(const std::vector<series_piece>& pieces, sim_time zero)
{
    const sim_time first(m_changes.front().number);
    const sim_time last(m_changes.back().number);
    const auto free = m_writer.add_counter("free superblocks", "superblocks", m_counters);
    const auto dirty = m_writer.add_counter("write buffer", "units", m_counters);
    const auto power = m_writer.add_counter("power", "W", m_counters);
    for (const series_piece& p : pieces) {
        const sim_time when = zero + p.begin;
        if (zero + p.end < first || when > last) {
            continue;
        }
        double joules = 0.0;
        for (const double part : p.joules) {
            joules += part;
        }
        const double seconds = static_cast<double>((p.end - p.begin).ps()) * 1e-12;
        m_writer.count(when.ns(), free, static_cast<double>(p.free_blocks));
        m_writer.count(when.ns(), dirty, static_cast<double>(p.buffer_dirty));
        m_writer.count(when.ns(), power, joules / seconds);
    }
}

void timeline_layout::finish(sim_time until, const std::vector<series_piece>& pieces, sim_time zero)
{
    for (track& t : m_tracks) {
        sort(t);
        while (t.held.size() > t.drawn && t.held.back().slice.begin > until) {
            t.held.pop_back();
        }
        t.sorted = t.held.size();
    }
    settle(sim_time(~std::uint64_t{0}));
    write_counters(pieces, zero);
    m_writer.finish();
}

} // namespace ssdvp::platform
