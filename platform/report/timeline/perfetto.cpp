// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/perfetto.h"

#include <algorithm>
#include <protozero/pbf_writer.hpp>

namespace ssdvp::platform {

using namespace packet_bytes;
using protozero::pbf_writer;

perfetto_writer::perfetto_writer(taker to)
    : m_to(std::move(to)), m_out(piece + longest_packet), m_events(interned_data::event_names),
      m_arguments(interned_data::annotation_names)
{}

/// A whole piece; what is behind it begins the next one.
void perfetto_writer::hand_on()
{
    m_to({m_out.data(), piece});
    m_length -= piece;
    std::memmove(m_out.data(), m_out.data() + piece, m_length);
}

void perfetto_writer::put_rarely(const std::string& packet)
{
    for (std::size_t i = 0; i < packet.size(); i += longest_packet) {
        const std::size_t length = std::min(packet.size() - i, longest_packet);
        std::memcpy(place(), packet.data() + i, length);
        placed(place() + length);
    }
}

void perfetto_writer::finish()
{
    m_to({m_out.data(), m_length});
    m_length = 0;
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

/// What the events of a sequence leave out: their track, and that their times are those since the
/// last one, the first since 0.
void put_defaults(pbf_writer& packet, std::uint64_t uuid)
{
    packet.add_uint32(trace_packet::sequence_flags, state_cleared);
    {
        pbf_writer defaults(packet, trace_packet::defaults);
        pbf_writer(defaults, packet_defaults::track_event)
            .add_uint64(track_event::track_uuid, uuid);
        defaults.add_uint32(packet_defaults::clock_id, since_last);
    }
    pbf_writer snapshot(packet, trace_packet::clock_snapshot);
    {
        pbf_writer clock(snapshot, clock_snapshot::clocks);
        clock.add_uint32(clock_snapshot::clock_id, since_last);
        clock.add_uint64(clock_snapshot::timestamp, 0);
        clock.add_bool(clock_snapshot::is_incremental, true);
    }
    pbf_writer clock(snapshot, clock_snapshot::clocks);
    clock.add_uint32(clock_snapshot::clock_id, boot_time);
    clock.add_uint64(clock_snapshot::timestamp, 0);
}

} // namespace

/// `unit`: of a counter; null: it is none.
perfetto_writer::track perfetto_writer::add(const std::string& name, track parent,
                                            const std::string* unit)
{
    const track uuid = m_tracks.size();
    const auto id = static_cast<std::uint32_t>(uuid);
    sequence& s = m_tracks.emplace_back();
    char* at = put_key<trace::packet, pbf_wire_type::length_delimited>(s.start.data()) + 1;
    at = put_number<trace_packet::sequence_id>(at, id);
    at = put_number<trace_packet::sequence_flags>(at, needs_state);
    at = put_key<trace_packet::timestamp, pbf_wire_type::varint>(at);
    s.length = static_cast<std::size_t>(at - s.start.data());

    std::string out;
    pbf_writer trace_out(out);
    {
        pbf_writer packet(trace_out, trace::packet);
        packet.add_uint32(trace_packet::sequence_id, id);
        put_defaults(packet, uuid);
    }
    {
        pbf_writer packet(trace_out, trace::packet);
        packet.add_uint32(trace_packet::sequence_id, id);
        pbf_writer d(packet, trace_packet::track_descriptor);
        put_descriptor(d, uuid, name, parent);
        if (unit != nullptr) {
            pbf_writer(d, track_descriptor::counter).add_string(counter_unit_name, *unit);
        }
    }
    put_rarely(out);
    return uuid;
}

perfetto_writer::track perfetto_writer::add_track(const std::string& name, track parent)
{
    return add(name, parent, nullptr);
}

perfetto_writer::track perfetto_writer::add_counter(const std::string& name,
                                                    const std::string& unit, track parent)
{
    return add(name, parent, &unit);
}

/// Names that this event uses for the first time come with it.
char* perfetto_writer::put_names(char* at)
{
    std::string data;
    pbf_writer out(data);
    m_events.put_fresh(out);
    m_arguments.put_fresh(out);
    return put_bytes<trace_packet::interned_data>(at, data.data(), data.size());
}

void perfetto_writer::count(std::uint64_t ns, track on, double value)
{
    std::uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    char* const event = begin_event(m_tracks[on], ns);
    char* const at = put_number<track_event::type>(event, counter_value);
    placed(
        put_length(fields(), put_length(event, put_fixed<track_event::double_counter>(at, bits))));
}

} // namespace ssdvp::platform
