// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/perfetto.h"

#include <algorithm>
#include <protozero/pbf_writer.hpp>

namespace ssdvp::platform {

using namespace packet_bytes;
using protozero::pbf_writer;

std::uint64_t perfetto_writer::names::look_up(const char* name, known& k)
{
    const auto [at, is_new] = m_all.try_emplace(name, m_all.size() + 1);
    k = {name, at->second};
    if (is_new) {
        m_fresh.push_back(k);
    }
    return k.number;
}

void perfetto_writer::names::put_fresh(pbf_writer& data)
{
    for (const known& k : m_fresh) {
        pbf_writer one(data, m_field);
        one.add_uint64(interned_name::iid, k.number);
        one.add_string(interned_name::name, k.name);
    }
    m_fresh.clear();
}

perfetto_writer::perfetto_writer(taker to)
    : m_to(std::move(to)), m_out(piece + longest_packet), m_events(interned_data::event_names),
      m_arguments(interned_data::annotation_names)
{
    std::string out;
    pbf_writer trace_out(out);
    {
        pbf_writer packet(trace_out, trace::packet);
        packet.add_uint32(trace_packet::sequence_id, sequence);
        packet.add_uint32(trace_packet::sequence_flags, state_cleared);
    }
    put_rarely(out);
}

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

/// `unit`: of a counter; null: it is none.
std::string track_packet(std::uint64_t uuid, const std::string& name, std::uint64_t parent,
                         const std::string* unit)
{
    std::string out;
    pbf_writer trace_out(out);
    {
        pbf_writer packet(trace_out, trace::packet);
        packet.add_uint32(trace_packet::sequence_id, sequence);
        pbf_writer d(packet, trace_packet::track_descriptor);
        put_descriptor(d, uuid, name, parent);
        if (unit != nullptr) {
            pbf_writer(d, track_descriptor::counter).add_string(counter_unit_name, *unit);
        }
    }
    return out;
}

} // namespace

perfetto_writer::track perfetto_writer::add_track(const std::string& name, track parent)
{
    put_rarely(track_packet(++m_tracks, name, parent, nullptr));
    return m_tracks;
}

perfetto_writer::track perfetto_writer::add_counter(const std::string& name,
                                                    const std::string& unit, track parent)
{
    put_rarely(track_packet(++m_tracks, name, parent, &unit));
    return m_tracks;
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
    char* const packet = fields();
    char* const event = begin_event(packet, ns);
    char* at = put_number<track_event::type>(event, counter_value);
    at = put_fixed<track_event::double_counter>(put_number<track_event::track_uuid>(at, on), bits);
    placed(put_length(packet, put_length(event, at)));
}

} // namespace ssdvp::platform
