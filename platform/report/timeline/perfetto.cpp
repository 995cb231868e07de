// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/perfetto.h"

#include <protozero/pbf_writer.hpp>
#include <utility>

namespace ssdvp::platform {

namespace {

using protozero::pbf_writer;

// Field numbers of the messages in protos/perfetto/trace/.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t track_descriptor = 60;
} // namespace trace_packet
namespace track_descriptor {
constexpr std::uint32_t uuid = 1;
constexpr std::uint32_t name = 2;
constexpr std::uint32_t parent = 5;
constexpr std::uint32_t counter = 8;
constexpr std::uint32_t child_ordering = 11;
constexpr std::uint32_t rank = 12;
} // namespace track_descriptor
constexpr std::uint32_t counter_unit_name = 6;
namespace track_event {
constexpr std::uint32_t annotation = 4;
constexpr std::uint32_t type = 9;
constexpr std::uint32_t name_iid = 10;
constexpr std::uint32_t track_uuid = 11;
constexpr std::uint32_t double_counter = 44;
constexpr std::uint32_t flow_ids = 47;
} // namespace track_event
namespace annotation {
constexpr std::uint32_t name_iid = 1;
constexpr std::uint32_t uint_value = 3;
constexpr std::uint32_t string_value = 6;
} // namespace annotation
namespace interned_data {
constexpr std::uint32_t event_names = 2;
constexpr std::uint32_t annotation_names = 3;
} // namespace interned_data
namespace interned_name {
constexpr std::uint32_t iid = 1;
constexpr std::uint32_t name = 2;
} // namespace interned_name

enum event_type { slice_begin = 1, slice_end = 2, counter_value = 4 };
constexpr std::int32_t order_explicit = 3;
constexpr std::uint32_t sequence = 1; // there is one
constexpr std::uint32_t state_cleared = 1;
constexpr std::uint32_t needs_state = 2;

} // namespace

perfetto_writer::perfetto_writer()
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint32(trace_packet::sequence_id, sequence);
    packet.add_uint32(trace_packet::sequence_flags, state_cleared);
}

std::string perfetto_writer::take()
{
    return std::exchange(m_out, {});
}

namespace {

void put_descriptor(pbf_writer& d, std::uint64_t uuid, const std::string& name,
                    std::uint64_t parent)
{
    d.add_uint64(track_descriptor::uuid, uuid);
    d.add_string(track_descriptor::name, name);
    if (parent != 0) {
        d.add_uint64(track_descriptor::parent, parent);
    }
    d.add_enum(track_descriptor::child_ordering, order_explicit);
    d.add_int32(track_descriptor::rank, static_cast<std::int32_t>(uuid));
}

} // namespace

perfetto_writer::track perfetto_writer::add_track(const std::string& name, track parent)
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint32(trace_packet::sequence_id, sequence);
    pbf_writer d(packet, trace_packet::track_descriptor);
    put_descriptor(d, ++m_tracks, name, parent);
    return m_tracks;
}

perfetto_writer::track perfetto_writer::add_counter(const std::string& name,
                                                    const std::string& unit, track parent)
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint32(trace_packet::sequence_id, sequence);
    pbf_writer d(packet, trace_packet::track_descriptor);
    put_descriptor(d, ++m_tracks, name, parent);
    pbf_writer(d, track_descriptor::counter).add_string(counter_unit_name, unit);
    return m_tracks;
}

std::uint64_t perfetto_writer::intern(names& n, const char* name)
{
    const auto [at, is_new] = n.known.try_emplace(name, n.known.size() + 1);
    if (is_new) {
        n.fresh.push_back(name);
    }
    return at->second;
}

/// Names that come with this packet for the first time.
void perfetto_writer::put_names(names& n, std::uint32_t field, pbf_writer& data)
{
    for (const char* name : n.fresh) {
        pbf_writer one(data, field);
        one.add_uint64(interned_name::iid, n.known[name]);
        one.add_string(interned_name::name, name);
    }
    n.fresh.clear();
}

void perfetto_writer::put_event(const event& e, pbf_writer& w)
{
    w.add_enum(track_event::type, slice_begin);
    w.add_uint64(track_event::name_iid, intern(m_events, e.name));
    w.add_uint64(track_event::track_uuid, e.on);
    for (const argument& a : e.numbers) {
        pbf_writer one(w, track_event::annotation);
        one.add_uint64(annotation::name_iid, intern(m_arguments, a.name));
        one.add_uint64(annotation::uint_value, a.value);
    }
    for (const text_argument& a : e.texts) {
        pbf_writer one(w, track_event::annotation);
        one.add_uint64(annotation::name_iid, intern(m_arguments, a.name));
        one.add_string(annotation::string_value, a.value);
    }
    if (e.flow != 0) {
        w.add_fixed64(track_event::flow_ids, e.flow);
    }
}

void perfetto_writer::begin(sim_time t, const event& e)
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint64(trace_packet::timestamp, t.ns());
    packet.add_uint32(trace_packet::sequence_id, sequence);
    packet.add_uint32(trace_packet::sequence_flags, needs_state);
    {
        pbf_writer w(packet, trace_packet::track_event);
        put_event(e, w);
    }
    if (!m_events.fresh.empty() || !m_arguments.fresh.empty()) {
        pbf_writer data(packet, trace_packet::interned_data);
        put_names(m_events, interned_data::event_names, data);
        put_names(m_arguments, interned_data::annotation_names, data);
    }
}

void perfetto_writer::end(sim_time t, track on)
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint64(trace_packet::timestamp, t.ns());
    packet.add_uint32(trace_packet::sequence_id, sequence);
    pbf_writer w(packet, trace_packet::track_event);
    w.add_enum(track_event::type, slice_end);
    w.add_uint64(track_event::track_uuid, on);
}

void perfetto_writer::count(sim_time t, track on, double value)
{
    pbf_writer out(m_out);
    pbf_writer packet(out, trace::packet);
    packet.add_uint64(trace_packet::timestamp, t.ns());
    packet.add_uint32(trace_packet::sequence_id, sequence);
    pbf_writer w(packet, trace_packet::track_event);
    w.add_enum(track_event::type, counter_value);
    w.add_uint64(track_event::track_uuid, on);
    w.add_double(track_event::double_counter, value);
}

} // namespace ssdvp::platform
