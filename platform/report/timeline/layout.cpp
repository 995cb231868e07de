// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/layout.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "platform/report/timeline/number_sort.h"
#include "platform/report/timeline/perfetto.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t no_flow = 0;

/// What is drawn: on a lane, which holds one thing at a time.
struct drawn {
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    perfetto_writer::track on = 0;
};

/// Lanes of a track: its own, and more below it where work overlaps.
struct lanes {
    perfetto_writer::track group = 0;
    std::string name;
    std::vector<std::pair<perfetto_writer::track, sim_time>> all; // and when each is free
};

/// Which request had a slot of the front end, and when. Asked in order of time.
class slot_owners {
public:
    explicit slot_owners(const std::vector<host::request_result>& requests)
    {
        std::vector<numbered_thing<std::uint64_t>> by_begin;
        by_begin.reserve(requests.size());
        for (const host::request_result& r : requests) {
            by_begin.push_back({r.submitted.ps(), by_begin.size()});
        }
        sort_by_number(by_begin);
        for (const auto& one : by_begin) {
            const host::request_result& r = requests[one.what];
            if (r.place.slot >= m_by_slot.size()) {
                m_by_slot.resize(r.place.slot + std::size_t{1});
            }
            m_by_slot[r.place.slot].owners.push_back({r.submitted, r.completed, one.what + 1});
        }
    }
    /// Number of its flow, or no_flow.
    [[nodiscard]] std::uint64_t flow_of(const timeline_slice& s)
    {
        if (s.slot == latency_ledger::no_slot || s.slot >= m_by_slot.size()) {
            return no_flow;
        }
        slot& own = m_by_slot[s.slot];
        while (own.behind < own.owners.size() && own.owners[own.behind].begin <= s.begin) {
            ++own.behind;
        }
        if (own.behind == 0 || s.begin > own.owners[own.behind - 1].end) {
            return no_flow;
        }
        return own.owners[own.behind - 1].flow;
    }

private:
    struct owner {
        sim_time begin;
        sim_time end;
        std::uint64_t flow;
    };
    struct slot {
        std::vector<owner> owners; // in order of their beginnings
        std::size_t behind = 0;    // the first that begins later than what was asked for last
    };
    std::vector<slot> m_by_slot;
};

class layout {
public:
    layout(const timeline_record& record, const std::vector<series_piece>& pieces, sim_time zero,
           const perfetto_writer::taker& to)
        : m_record(record), m_pieces(pieces), m_zero(zero), m_owners(record.requests()),
          m_writer(to)
    {
        std::copy(std::begin(purpose_names), std::end(purpose_names), m_purposes.begin());
    }

    void write()
    {
        m_drawn.reserve(m_record.requests().size() + m_record.slices().size());
        place_requests();
        add_counters();
        place_slices();
        write_events();
        m_writer.finish();
    }

private:
    void place_requests();
    void add_counters();
    void add_pieces(perfetto_writer::track group, sim_time first, sim_time last);
    void place_slices();
    void place(lanes& l, sim_time begin, sim_time end);
    void write_events();
    void write_counters(std::uint64_t until_ns);
    void begin(std::size_t i);
    char* tell_request(char* at, const host::request_result& r);
    char* tell_slice(char* at, const timeline_slice& s);
    char* exact(char* at, sim_time begin, sim_time end);

    const timeline_record& m_record;
    const std::vector<series_piece>& m_pieces;
    sim_time m_zero;
    slot_owners m_owners;
    perfetto_writer m_writer;
    std::array<std::string_view, FLASH_PURPOSES> m_purposes;
    std::vector<drawn> m_drawn; // the requests, then the slices; of length 0: not drawn
    struct step {
        perfetto_writer::track on = 0;
        double value = 0.0;
    };
    std::vector<numbered_thing<step>> m_steps; // of counters, by ps
    std::size_t m_step = 0;                    // the next one
    std::uint64_t m_next_step_ns = 0;
};

/// On the first lane that is free.
void layout::place(lanes& l, sim_time begin, sim_time end)
{
    auto lane = std::find_if(l.all.begin(), l.all.end(),
                             [begin](const auto& one) { return one.second <= begin; });
    if (lane == l.all.end()) {
        const std::string more = l.all.empty() ? "" : fmt::format(" ({})", l.all.size() + 1);
        l.all.emplace_back(m_writer.add_track(l.name + more, l.group), sim_time());
        lane = std::prev(l.all.end());
    }
    lane->second = end;
    m_drawn.push_back({begin.ns(), end.ns(), lane->first});
}

void layout::place_requests()
{
    const perfetto_writer::track group = m_writer.add_track("requests of the host", 0);
    std::map<std::uint16_t, lanes> queues;
    const auto& requests = m_record.requests();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        lanes& l = queues[requests[i].queue];
        l.group = group;
        l.name = fmt::format("queue {}", requests[i].queue);
        place(l, requests[i].req.arrival, requests[i].completed);
    }
}

/// Requests in flight step by step; what the drive says at the end of each piece of its series.
void layout::add_counters()
{
    const perfetto_writer::track group = m_writer.add_track("counters", 0);
    const auto flight = m_writer.add_counter("requests in flight", "requests", group);
    std::vector<numbered_thing<int>> changes;
    changes.reserve(2 * m_record.requests().size());
    for (const host::request_result& r : m_record.requests()) {
        changes.push_back({r.req.arrival.ps(), 1});
        changes.push_back({r.completed.ps(), -1});
    }
    sort_by_number(changes);
    int in_flight = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        in_flight += changes[i].what;
        if (i + 1 == changes.size() || changes[i + 1].number != changes[i].number) {
            m_steps.push_back({changes[i].number, {flight, static_cast<double>(in_flight)}});
        }
    }
    if (!m_pieces.empty() && !changes.empty()) {
        add_pieces(group, sim_time(changes.front().number), sim_time(changes.back().number));
    }
    sort_by_number(m_steps);
}

void layout::add_pieces(perfetto_writer::track group, sim_time first, sim_time last)
{
    const auto free = m_writer.add_counter("free superblocks", "superblocks", group);
    const auto dirty = m_writer.add_counter("write buffer", "units", group);
    const auto power = m_writer.add_counter("power", "W", group);
    for (const series_piece& p : m_pieces) {
        const sim_time when = m_zero + p.begin;
        if (m_zero + p.end < first || when > last) {
            continue;
        }
        double joules = 0.0;
        for (const double part : p.joules) {
            joules += part;
        }
        const double seconds = static_cast<double>((p.end - p.begin).ps()) * 1e-12;
        m_steps.push_back({when.ps(), {free, static_cast<double>(p.free_blocks)}});
        m_steps.push_back({when.ps(), {dirty, static_cast<double>(p.buffer_dirty)}});
        m_steps.push_back({when.ps(), {power, joules / seconds}});
    }
}

void layout::place_slices()
{
    std::map<std::string, perfetto_writer::track> groups;
    std::vector<lanes> all;
    for (const timeline_record::track_name& t : m_record.tracks()) {
        auto [group, is_new] = groups.try_emplace(t.group, 0);
        if (is_new) {
            group->second = m_writer.add_track(t.group, 0);
        }
        all.push_back({group->second, t.name, {}});
        all.back().all.emplace_back(m_writer.add_track(t.name, group->second), sim_time());
    }
    for (const timeline_record::entry* e : m_record.slices()) {
        if (e->slice.end > e->slice.begin) {
            place(all[e->track], e->slice.begin, e->slice.end);
        } else {
            m_drawn.push_back({});
        }
    }
}

/// What a picosecond is lost of is told exactly.
char* layout::exact(char* at, sim_time begin, sim_time end)
{
    if (begin.ps() % 1000 != 0 || end.ps() % 1000 != 0) {
        at = m_writer.number(at, "begin_rest_ps", begin.ps() % 1000);
        at = m_writer.number(at, "duration_ps", (end - begin).ps());
    }
    return at;
}

char* layout::tell_request(char* at, const host::request_result& r)
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

char* layout::tell_slice(char* at, const timeline_slice& s)
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
    at = exact(at, s.begin, s.end);
    const std::uint64_t flow = m_owners.flow_of(s);
    return flow != no_flow ? perfetto_writer::flow(at, flow) : at;
}

void layout::begin(std::size_t i)
{
    const auto& requests = m_record.requests();
    const drawn& d = m_drawn[i];
    if (i < requests.size()) {
        const auto kind = static_cast<std::size_t>(requests[i].req.kind);
        char* at = m_writer.begin(d.begin_ns, d.on, request_kind_names[kind]);
        m_writer.put(perfetto_writer::flow(tell_request(at, requests[i]), i + 1));
    } else {
        const timeline_slice& s = m_record.slices()[i - requests.size()]->slice;
        m_writer.put(tell_slice(m_writer.begin(d.begin_ns, d.on, s.name), s));
    }
}

void layout::write_counters(std::uint64_t until_ns)
{
    for (; m_step < m_steps.size(); ++m_step) {
        const numbered_thing<step>& s = m_steps[m_step];
        m_next_step_ns = sim_time(s.number).ns();
        if (m_next_step_ns > until_ns) {
            return;
        }
        m_writer.count(m_next_step_ns, s.what.on, s.what.value);
    }
    m_next_step_ns = ~std::uint64_t{0};
}

/// In order of time. A slice that is shorter than a nanosecond ends where it begins; ends come
/// before the beginnings of the same nanosecond, but for their own.
void layout::write_events()
{
    std::uint64_t first = ~std::uint64_t{0};
    for (const drawn& d : m_drawn) {
        first = d.on != 0 ? std::min(first, d.begin_ns) : first;
    }
    std::vector<numbered_thing<std::size_t>> marks; // by time and, in the last bit, what begins
    marks.reserve(2 * m_drawn.size());
    for (std::size_t i = 0; i < m_drawn.size(); ++i) {
        const drawn& d = m_drawn[i];
        if (d.on != 0) {
            marks.push_back({(d.begin_ns - first) << 1 | 1, i});
        }
        if (d.begin_ns != d.end_ns) {
            marks.push_back({(d.end_ns - first) << 1, i});
        }
    }
    sort_by_number(marks);
    for (const numbered_thing<std::size_t>& m : marks) {
        const drawn& d = m_drawn[m.what];
        const bool begins = (m.number & 1) != 0;
        const std::uint64_t ns = begins ? d.begin_ns : d.end_ns;
        if (ns >= m_next_step_ns) {
            write_counters(ns);
        }
        if (begins) {
            begin(m.what);
        }
        if (!begins || d.begin_ns == d.end_ns) {
            m_writer.end(d.end_ns, d.on);
        }
    }
    write_counters(~std::uint64_t{0});
}

} // namespace

void perfetto_trace(const timeline_record& record, const std::vector<series_piece>& pieces,
                    sim_time zero, const std::function<void(std::string_view)>& to)
{
    layout(record, pieces, zero, to).write();
}

} // namespace ssdvp::platform
