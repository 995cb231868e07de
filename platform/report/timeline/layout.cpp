// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "platform/report/timeline/perfetto.h"

namespace ssdvp::platform {

namespace {

constexpr std::uint64_t no_flow = 0;

/// A slice as it is drawn: on a lane, which holds one thing at a time.
struct drawn {
    perfetto_writer::track on = 0;
    sim_time begin;
    sim_time end;
    std::size_t what = 0; // number of the slice or request
    bool request = false;
};

/// Lanes of a track: its own, and more below it where work overlaps.
struct lanes {
    perfetto_writer::track group = 0;
    std::string name;
    std::vector<std::pair<perfetto_writer::track, sim_time>> all; // and when each is free
};

/// Which request had a slot of the front end, and when.
class slot_owners {
public:
    explicit slot_owners(const std::vector<host::request_result>& requests)
    {
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const host::request_result& r = requests[i];
            m_by_slot[r.place.slot].push_back({r.submitted, r.completed, i + 1});
        }
        for (auto& [slot, times] : m_by_slot) {
            std::sort(times.begin(), times.end(),
                      [](const time& a, const time& b) { return a.begin < b.begin; });
        }
    }
    /// Number of its flow, or no_flow.
    [[nodiscard]] std::uint64_t flow_of(const timeline_slice& s) const
    {
        const auto found = m_by_slot.find(s.slot);
        if (s.slot == latency_ledger::no_slot || found == m_by_slot.end()) {
            return no_flow;
        }
        const auto behind = std::upper_bound(found->second.begin(), found->second.end(), s.begin,
                                             [](sim_time t, const time& a) { return t < a.begin; });
        if (behind == found->second.begin() || s.begin > std::prev(behind)->end) {
            return no_flow;
        }
        return std::prev(behind)->flow;
    }

private:
    struct time {
        sim_time begin;
        sim_time end;
        std::uint64_t flow;
    };
    std::map<std::uint16_t, std::vector<time>> m_by_slot;
};

class layout {
public:
    layout(const timeline_record& record, const std::vector<series_piece>& pieces, sim_time zero)
        : m_record(record), m_pieces(pieces), m_zero(zero), m_owners(record.requests())
    {}

    std::string trace()
    {
        place_requests();
        add_counters();
        place_slices();
        write();
        return m_writer.take();
    }

private:
    void place_requests();
    void add_counters();
    void place_slices();
    void place(lanes& l, sim_time begin, sim_time end, std::size_t what, bool request);
    void write();
    void write_counters(sim_time until);
    void begin(const drawn& d);
    perfetto_writer::event& fresh_event();
    void begin_request(const drawn& d);
    void begin_slice(const drawn& d);

    const timeline_record& m_record;
    const std::vector<series_piece>& m_pieces;
    sim_time m_zero;
    slot_owners m_owners;
    perfetto_writer m_writer;
    perfetto_writer::event m_event;
    std::vector<drawn> m_drawn;
    struct step {
        sim_time when;
        perfetto_writer::track on;
        double value;
    };
    std::vector<step> m_steps; // of counters
    std::size_t m_step = 0;    // the next one
};

/// On the first lane that is free.
void layout::place(lanes& l, sim_time begin, sim_time end, std::size_t what, bool request)
{
    auto lane = std::find_if(l.all.begin(), l.all.end(),
                             [begin](const auto& one) { return one.second <= begin; });
    if (lane == l.all.end()) {
        const std::string more = l.all.empty() ? "" : fmt::format(" ({})", l.all.size() + 1);
        l.all.emplace_back(m_writer.add_track(l.name + more, l.group), sim_time());
        lane = std::prev(l.all.end());
    }
    lane->second = end;
    m_drawn.push_back({lane->first, begin, end, what, request});
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
        place(l, requests[i].req.arrival, requests[i].completed, i, true);
    }
}

/// Requests in flight step by step; what the drive says at the end of each piece of its series.
void layout::add_counters()
{
    const perfetto_writer::track group = m_writer.add_track("counters", 0);
    const auto flight = m_writer.add_counter("requests in flight", "requests", group);
    std::map<sim_time, int> changes;
    for (const host::request_result& r : m_record.requests()) {
        ++changes[r.req.arrival];
        --changes[r.completed];
    }
    int in_flight = 0;
    for (const auto& [when, change] : changes) {
        m_steps.push_back({when, flight, static_cast<double>(in_flight += change)});
    }
    if (!m_pieces.empty() && !changes.empty()) {
        const auto free = m_writer.add_counter("free superblocks", "superblocks", group);
        const auto dirty = m_writer.add_counter("write buffer", "units", group);
        const auto power = m_writer.add_counter("power", "W", group);
        for (const series_piece& p : m_pieces) {
            const sim_time when = m_zero + p.begin;
            if (m_zero + p.end < changes.begin()->first || when > changes.rbegin()->first) {
                continue;
            }
            double joules = 0.0;
            for (const double part : p.joules) {
                joules += part;
            }
            m_steps.push_back({when, free, static_cast<double>(p.free_blocks)});
            m_steps.push_back({when, dirty, static_cast<double>(p.buffer_dirty)});
            m_steps.push_back(
                {when, power, joules / (static_cast<double>((p.end - p.begin).ps()) * 1e-12)});
        }
    }
    std::stable_sort(m_steps.begin(), m_steps.end(),
                     [](const step& a, const step& b) { return a.when < b.when; });
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
    const auto& slices = m_record.slices();
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].slice.end > slices[i].slice.begin) {
            place(all[slices[i].track], slices[i].slice.begin, slices[i].slice.end, i, false);
        }
    }
}

/// Its memory is used again.
perfetto_writer::event& layout::fresh_event()
{
    m_event.flow = no_flow;
    m_event.numbers.clear();
    m_event.texts.clear();
    return m_event;
}

/// What a picosecond is lost of is told exactly.
void add_exact(perfetto_writer::event& e, sim_time begin, sim_time end)
{
    if (begin.ps() % 1000 != 0 || end.ps() % 1000 != 0) {
        e.numbers.push_back({"begin_ps", begin.ps()});
        e.numbers.push_back({"duration_ps", (end - begin).ps()});
    }
}

void layout::begin_request(const drawn& d)
{
    const host::request_result& r = m_record.requests()[d.what];
    perfetto_writer::event& e = fresh_event();
    e.on = d.on;
    e.name = request_kind_names[static_cast<std::size_t>(r.req.kind)];
    e.flow = d.what + 1;
    for (const perfetto_writer::argument& a : {perfetto_writer::argument{"sequence", r.sequence},
                                               {"lba", r.req.lba},
                                               {"sectors", r.req.sectors},
                                               {"latency_ps", r.latency().ps()},
                                               {"status", r.status}}) {
        e.numbers.push_back(a);
    }
    for (std::size_t i = 0; i < latency_parts; ++i) {
        if (r.parts[i] != sim_time()) {
            e.numbers.push_back({latency_part_names[i], r.parts[i].ns()});
        }
    }
    add_exact(e, d.begin, d.end);
    m_writer.begin(d.begin, e);
}

void layout::begin_slice(const drawn& d)
{
    const timeline_slice& s = m_record.slices()[d.what].slice;
    perfetto_writer::event& e = fresh_event();
    e.on = d.on;
    e.name = s.name;
    e.flow = m_owners.flow_of(s);
    for (const timeline_slice::detail& one : s.details) {
        if (one.name != nullptr) {
            e.numbers.push_back({one.name, one.value});
        }
    }
    if (s.purpose < FLASH_PURPOSES) {
        e.texts.push_back({"purpose", purpose_names[s.purpose]});
    }
    add_exact(e, d.begin, d.end);
    m_writer.begin(d.begin, e);
}

void layout::begin(const drawn& d)
{
    if (d.request) {
        begin_request(d);
    } else {
        begin_slice(d);
    }
}

void layout::write_counters(sim_time until)
{
    for (; m_step < m_steps.size() && m_steps[m_step].when <= until; ++m_step) {
        m_writer.count(m_steps[m_step].when, m_steps[m_step].on, m_steps[m_step].value);
    }
}

/// In order of time. A slice that is shorter than a nanosecond ends where it begins; ends come
/// before the beginnings of the same nanosecond, but for their own.
void layout::write()
{
    struct mark {
        std::uint64_t ns;
        bool begins;
        std::size_t which;
    };
    std::vector<mark> marks;
    marks.reserve(2 * m_drawn.size());
    for (std::size_t i = 0; i < m_drawn.size(); ++i) {
        if (m_drawn[i].begin.ns() != m_drawn[i].end.ns()) {
            marks.push_back({m_drawn[i].begin.ns(), true, i});
            marks.push_back({m_drawn[i].end.ns(), false, i});
        } else {
            marks.push_back({m_drawn[i].begin.ns(), true, i});
        }
    }
    std::stable_sort(marks.begin(), marks.end(), [](const mark& a, const mark& b) {
        return a.ns < b.ns || (a.ns == b.ns && !a.begins && b.begins);
    });
    for (const mark& m : marks) {
        const drawn& d = m_drawn[m.which];
        write_counters(m.begins ? d.begin : d.end);
        if (m.begins) {
            begin(d);
        }
        if (!m.begins || d.begin.ns() == d.end.ns()) {
            m_writer.end(d.end, d.on);
        }
    }
    write_counters(sim_time(~std::uint64_t{0}));
}

} // namespace

std::string perfetto_trace(const timeline_record& record, const std::vector<series_piece>& pieces,
                           sim_time zero)
{
    return layout(record, pieces, zero).trace();
}

} // namespace ssdvp::platform
