// SPDX-License-Identifier: Apache-2.0
//
// A timeline while it is recorded: what is handed on when, on which lanes it is drawn, and that a
// second thread changes nothing of it.
#include <catch2/catch.hpp>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/report/timeline/stream.h"

namespace report_timeline_test {

using namespace ssdvp;
using namespace ssdvp::literals;
using namespace ssdvp::platform;

namespace {

struct event {
    std::uint64_t track = 0;
    std::uint64_t ns = 0;
    int type = 0;
    std::uint64_t flow = 0;
    friend bool operator==(const event& a, const event& b)
    {
        return a.track == b.track && a.ns == b.ns && a.type == b.type && a.flow == b.flow;
    }
};

/// What a sequence of packets leaves out of its events.
struct sequence {
    std::uint64_t track = 0;
    std::uint64_t ns = 0; // of the latest event
};

std::uint64_t default_track(protozero::pbf_reader defaults)
{
    using namespace packet_bytes;
    CHECK(defaults.next(packet_defaults::track_event));
    protozero::pbf_reader of_events = defaults.get_message();
    CHECK(of_events.next(track_event::track_uuid));
    return of_events.get_uint64();
}

event event_of(protozero::pbf_reader packet, const sequence& of)
{
    using namespace packet_bytes;
    event e;
    e.track = of.track;
    e.ns = of.ns;
    while (packet.next()) {
        switch (packet.tag()) {
        case track_event::type:
            e.type = packet.get_enum();
            break;
        case track_event::flow_ids:
            e.flow = packet.get_fixed64();
            break;
        default:
            packet.skip();
        }
    }
    return e;
}

/// Slices of the trace, as they stand in it.
std::vector<event> events_of(const std::string& bytes)
{
    using namespace packet_bytes;
    std::vector<event> all;
    std::map<std::uint32_t, sequence> sequences;
    protozero::pbf_reader file(bytes);
    while (file.next(trace::packet)) {
        protozero::pbf_reader packet = file.get_message();
        sequence* of = nullptr; // its number is told first
        while (packet.next()) {
            if (packet.tag() == trace_packet::sequence_id) {
                of = &sequences[packet.get_uint32()];
            } else if (packet.tag() == trace_packet::defaults) {
                of->track = default_track(packet.get_message());
            } else if (packet.tag() == trace_packet::timestamp) {
                of->ns += packet.get_uint64();
            } else if (packet.tag() == trace_packet::track_event) {
                const event e = event_of(packet.get_message(), *of);
                if (e.type != counter_value) {
                    all.push_back(e);
                }
            } else {
                packet.skip();
            }
        }
    }
    return all;
}

timeline_slice slice(sim_time begin, sim_time end)
{
    timeline_slice s;
    s.name = "work";
    s.begin = begin;
    s.end = end;
    return s;
}

timeline_entry entry(sim_time begin, sim_time end)
{
    return {0, 0, slice(begin, end)};
}

host::request_result request(sim_time arrival, sim_time completed)
{
    host::request_result r;
    r.req.arrival = r.submitted = arrival;
    r.completed = completed;
    return r;
}

const std::vector<timeline_record::track_name> one_track = {{"group", "track"}};

struct drawing {
    std::string bytes;
    timeline_layout layout{one_track, [this](std::string_view piece) { bytes += piece; }};
    std::vector<event> finish(sim_time until)
    {
        layout.finish(until, {}, sim_time());
        return events_of(bytes);
    }
};

} // namespace

TEST_CASE("timeline: of a track what is over is drawn, in order of its beginnings",
          "[report][timeline]")
{
    drawing d;
    d.layout.add(entry(30_ns, 40_ns));
    d.layout.add(entry(10_ns, 20_ns)); // told later
    d.layout.add(entry(40_ns, 90_ns)); // goes on
    d.layout.settle(50_ns);
    timeline_entry stop = entry(60_ns, 70_ns);
    stop.slice.cuts = true;
    d.layout.add(stop);
    d.layout.add(entry(80_ns, 85_ns)); // begins after the end
    const std::vector<event> all = d.finish(75_ns);
    REQUIRE(all.size() == 8);
    const std::uint64_t on = all[0].track;
    const std::vector<std::uint64_t> times = {10, 20, 30, 40, 40, 60, 60, 70};
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(all[i] == event{on, times[i], i % 2 == 0 ? 1 : 2, 0});
    }
}

TEST_CASE("timeline: what is told after later work was drawn lies on a lane that is free",
          "[report][timeline]")
{
    drawing d;
    d.layout.add(entry(10_ns, 20_ns));
    d.layout.add(entry(30_ns, 40_ns));
    d.layout.settle(40_ns);
    d.layout.add(entry(15_ns, 25_ns));
    const std::vector<event> all = d.finish(100_ns);
    REQUIRE(all.size() == 6);
    CHECK(all[4].ns == 15);
    CHECK(all[4].track != all[0].track);
}

TEST_CASE("timeline: requests take as many lanes as are under way at a time", "[report][timeline]")
{
    drawing d;
    // Three at a time; on the first lane that is free, the last one would need a fourth.
    const std::vector<std::pair<sim_time, sim_time>> times = {
        {0_ns, 10_ns}, {0_ns, 20_ns}, {20_ns, 30_ns}, {10_ns, 40_ns}, {0_ns, 50_ns}};
    for (const auto& [arrival, completed] : times) {
        d.layout.add(request(arrival, completed));
    }
    std::map<std::uint64_t, int> lanes;
    for (const event& e : d.finish(100_ns)) {
        ++lanes[e.track];
    }
    CHECK(lanes.size() == 3);
}

TEST_CASE("timeline: a slice is for the command that had the slot when it began",
          "[report][timeline]")
{
    std::string bytes;
    timeline_record record{timeline_window()};
    const std::uint32_t track = record.add_track("group", "track");
    timeline_stream stream(record.tracks(), [&bytes](std::string_view piece) { bytes += piece; });
    record.hand_to(stream);
    record.begin(1_ns);
    const auto work = [&](sim_time begin) {
        timeline_slice s = slice(begin, begin + 1_ns);
        s.slot = 3;
        record.add(track, s);
    };
    work(5_ns); // nobody had it
    record.bound(3, 7, 10_ns);
    work(10_ns);
    record.bound(3, 8, 20_ns);
    work(19_ns); // told late
    work(20_ns);
    record.end(100_ns);
    stream.finish(record.until(), {}, sim_time());
    std::vector<std::uint64_t> flows;
    for (const event& e : events_of(bytes)) {
        if (e.type == packet_bytes::slice_begin) {
            flows.push_back(e.flow);
        }
    }
    CHECK(flows == std::vector<std::uint64_t>{0, 7, 7, 8});
}

namespace {

/// What a window of requests leaves of 40,000 slices and 4,000 requests, with ten slices at a time.
std::string recorded(const timeline_window& window, std::size_t most = timeline_record::most_kept)
{
    std::string bytes;
    timeline_record record(window, most);
    const std::uint32_t track = record.add_track("group", "track");
    timeline_stream stream(record.tracks(), [&bytes](std::string_view piece) { bytes += piece; });
    record.hand_to(stream);
    record.begin(0_ns);
    for (std::uint64_t i = 0; i < 40000; ++i) {
        record.add(track, slice(sim_time(1000 * i), sim_time(1000 * i + 9000)));
        if (i % 10 == 9) {
            record.completed(request(sim_time(1000 * (i - 9)), sim_time(1000 * i)));
        }
    }
    record.end(100_us);
    CHECK(record.full() == (most < 40000));
    stream.finish(record.until(), {}, sim_time());
    return bytes;
}

std::size_t beginnings(const std::string& bytes)
{
    std::size_t n = 0;
    for (const event& e : events_of(bytes)) {
        n += e.type == packet_bytes::slice_begin ? 1 : 0;
    }
    return n;
}

} // namespace

TEST_CASE("timeline: a record that is handed on has what lies in its window", "[report][timeline]")
{
    timeline_window all;
    const std::string bytes = recorded(all);
    CHECK(beginnings(bytes) == 44000);
    CHECK(recorded(all) == bytes); // however the threads went
    timeline_window some;
    some.first = 1000;
    some.last = 3000; // from 10000 ns to 29999 ns: 9 slices reach into it
    CHECK(beginnings(recorded(some)) == 2000 + 20000 + 9);
    CHECK(beginnings(recorded(all, 10000)) == 10000 + 1000 - 1);
    timeline_window slowest;
    slowest.kind = window_kind::slowest;
    slowest.slowest = 2; // of equal ones the first two: 0 to 19 ns
    CHECK(beginnings(recorded(slowest)) == 2 + 20);
}

TEST_CASE("timeline: what fails on the second thread is thrown at the end", "[report][timeline]")
{
    timeline_record record{timeline_window()};
    const std::uint32_t track = record.add_track("group", "track");
    timeline_stream stream(record.tracks(),
                           [](std::string_view) { throw std::runtime_error("no room"); });
    record.hand_to(stream);
    record.begin(0_ns);
    for (std::uint64_t i = 0; i < 100000; ++i) {
        record.add(track, slice(sim_time(1000 * i), sim_time(1000 * i + 1000)));
        record.completed(request(sim_time(1000 * i), sim_time(1000 * i + 1000)));
    }
    record.end(1_ms);
    CHECK_THROWS_WITH(stream.finish(record.until(), {}, sim_time()), "no room");
}

} // namespace report_timeline_test
