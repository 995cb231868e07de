// SPDX-License-Identifier: Apache-2.0
#include "platform/report/timeline/perfetto.h"

#include <algorithm>
#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

namespace ssdvp::platform {

namespace {

using protozero::pbf_wire_type;
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
constexpr unsigned longest_short = 127; // a length that takes one byte

char* put_varint(char* at, std::uint64_t value)
{
    return at + protozero::write_varint(at, value);
}

template <std::uint32_t Field, pbf_wire_type Type>
char* put_key(char* at)
{
    constexpr std::uint32_t key = Field << 3 | static_cast<std::uint32_t>(Type);
    if constexpr (key <= longest_short) {
        *at = static_cast<char>(key);
        return at + 1;
    } else {
        return put_varint(at, key);
    }
}

template <std::uint32_t Field>
char* put_number(char* at, std::uint64_t value)
{
    return put_varint(put_key<Field, pbf_wire_type::varint>(at), value);
}

/// Of fixed length, the lowest byte first.
template <std::uint32_t Field>
char* put_fixed(char* at, std::uint64_t value)
{
    at = put_key<Field, pbf_wire_type::fixed64>(at);
    for (int i = 0; i < 8; ++i, value >>= 8) {
        *at++ = static_cast<char>(value);
    }
    return at;
}

template <std::uint32_t Field>
char* put_bytes(char* at, const char* bytes, std::size_t length)
{
    at = put_varint(put_key<Field, pbf_wire_type::length_delimited>(at), length);
    std::memcpy(at, bytes, length);
    return at + length;
}

/// The fields of a packet behind its length, whose event lies in [event, event_end).
char* put_packet(char* at, std::uint64_t ns, const char* event, const char* event_end)
{
    at = put_number<trace_packet::timestamp>(at, ns);
    at = put_number<trace_packet::sequence_id>(at, sequence);
    return put_bytes<trace_packet::track_event>(at, event,
                                                static_cast<std::size_t>(event_end - event));
}

/// The length of the message that lies in [begin, end), behind one byte for it: where it takes two,
/// the message moves.
char* put_length(char* begin, char* end)
{
    const std::ptrdiff_t length = end - begin;
    if (length <= std::ptrdiff_t{longest_short}) {
        begin[-1] = static_cast<char>(length);
        return end;
    }
    std::memmove(begin + 1, begin, static_cast<std::size_t>(length));
    put_varint(begin - 1, static_cast<std::uint64_t>(length));
    return end + 1;
}

/// A packet and, behind the room for its length, where its fields are put.
char* begin_packet(char* at)
{
    return put_key<trace::packet, pbf_wire_type::length_delimited>(at) + 1;
}

} // namespace

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

char* perfetto_writer::place()
{
    return m_out.data() + m_length;
}

void perfetto_writer::placed(char* end)
{
    m_length = static_cast<std::size_t>(end - m_out.data());
    if (m_length >= piece) {
        m_to({m_out.data(), piece});
        m_length -= piece;
        std::memmove(m_out.data(), m_out.data() + piece, m_length);
    }
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

void perfetto_writer::event(track on, const char* name)
{
    char* at = put_number<track_event::type>(m_event.data(), slice_begin);
    at = put_number<track_event::name_iid>(at, m_events.number_of(name));
    m_event_end = put_number<track_event::track_uuid>(at, on);
}

void perfetto_writer::number(const char* name, std::uint64_t value)
{
    char* const inside =
        put_key<track_event::annotation, pbf_wire_type::length_delimited>(m_event_end) + 1;
    char* at = put_number<annotation::name_iid>(inside, m_arguments.number_of(name));
    m_event_end = put_length(inside, put_number<annotation::uint_value>(at, value));
}

void perfetto_writer::text(const char* name, std::string_view value)
{
    char* const inside =
        put_key<track_event::annotation, pbf_wire_type::length_delimited>(m_event_end) + 1;
    char* at = put_number<annotation::name_iid>(inside, m_arguments.number_of(name));
    at = put_bytes<annotation::string_value>(at, value.data(), value.size());
    m_event_end = put_length(inside, at);
}

void perfetto_writer::flow(std::uint64_t id)
{
    m_event_end = put_fixed<track_event::flow_ids>(m_event_end, id);
}

void perfetto_writer::begin(std::uint64_t ns)
{
    if (m_events.fresh() || m_arguments.fresh()) {
        put_names();
    }
    char* const fields = begin_packet(place());
    char* at = put_number<trace_packet::sequence_flags>(fields, needs_state);
    placed(put_length(fields, put_packet(at, ns, m_event.data(), m_event_end)));
}

/// Names that the next event uses for the first time come in a packet before it.
void perfetto_writer::put_names()
{
    std::string out;
    pbf_writer trace_out(out);
    {
        pbf_writer packet(trace_out, trace::packet);
        packet.add_uint32(trace_packet::sequence_id, sequence);
        packet.add_uint32(trace_packet::sequence_flags, needs_state);
        pbf_writer data(packet, trace_packet::interned_data);
        m_events.put_fresh(data);
        m_arguments.put_fresh(data);
    }
    put_rarely(out);
}

void perfetto_writer::end(std::uint64_t ns, track on)
{
    std::array<char, 16> event; // two short numbers and one of 10 bytes at most
    char* at = put_number<track_event::type>(event.data(), slice_end);
    at = put_number<track_event::track_uuid>(at, on);
    char* const fields = begin_packet(place());
    placed(put_length(fields, put_packet(fields, ns, event.data(), at)));
}

void perfetto_writer::count(std::uint64_t ns, track on, double value)
{
    std::uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&bits, &value, sizeof(bits));
    std::array<char, 32> event;
    char* at = put_number<track_event::type>(event.data(), counter_value);
    at = put_number<track_event::track_uuid>(at, on);
    at = put_fixed<track_event::double_counter>(at, bits);
    char* const fields = begin_packet(place());
    placed(put_length(fields, put_packet(fields, ns, event.data(), at)));
}

} // namespace ssdvp::platform
