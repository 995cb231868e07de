// SPDX-License-Identifier: Apache-2.0
//
// Fields of the packets of a Perfetto trace, put where `at` points; each returns where the next one
// goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace ssdvp::platform::packet_bytes {

using protozero::pbf_wire_type;

// Field numbers of the messages in protos/perfetto/trace/.
namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace trace_packet {
constexpr std::uint32_t clock_snapshot = 6;
constexpr std::uint32_t timestamp = 8;
constexpr std::uint32_t sequence_id = 10;
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t interned_data = 12;
constexpr std::uint32_t sequence_flags = 13;
constexpr std::uint32_t defaults = 59;
constexpr std::uint32_t track_descriptor = 60;
} // namespace trace_packet
namespace packet_defaults {
constexpr std::uint32_t track_event = 11;
constexpr std::uint32_t clock_id = 58;
} // namespace packet_defaults
namespace clock_snapshot {
constexpr std::uint32_t clocks = 1;
constexpr std::uint32_t clock_id = 1;
constexpr std::uint32_t timestamp = 2;
constexpr std::uint32_t is_incremental = 3;
} // namespace clock_snapshot
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
constexpr std::uint32_t boot_time = 6;   // the clock of a trace
constexpr std::uint32_t since_last = 64; // a clock of a sequence: ns since its last event
constexpr std::uint32_t state_cleared = 1;
constexpr std::uint32_t needs_state = 2;
constexpr unsigned longest_short = 127; // a length that takes one byte

inline char* put_varint(char* at, std::uint64_t value)
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

/// The length of the message that lies in [begin, end), behind one byte for it: where it takes two,
/// the message moves.
inline char* put_length(char* begin, char* end)
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

} // namespace ssdvp::platform::packet_bytes
