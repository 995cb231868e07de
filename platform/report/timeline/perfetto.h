// SPDX-License-Identifier: Apache-2.0
//
// Packets of a Perfetto trace (protobuf, perfetto/trace/trace.proto): tracks, slices, counters and
// flows, as ui.perfetto.dev opens them. A track is a sequence of packets of its own: its events
// tell the time since the last one, and need not name it, which halves the compressed file. Names
// are literals: each is written once on each track that uses it, and told apart by where it lies.
// An event is put together where it is written from, and allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/report/timeline/interned_names.h"
#include "platform/report/timeline/packet_bytes.h"

namespace ssdvp::platform {

class perfetto_writer {
public:
    using track = std::uint64_t;
    /// Takes what was written, piece by piece.
    using taker = std::function<void(std::string_view)>;

    explicit perfetto_writer(taker to);

    /// Groups and tracks stand in the order in which they are added. `parent` 0: none.
    track add_track(const std::string& name, track parent);
    track add_counter(const std::string& name, const std::string& unit, track parent);

    /// Events of one track come in order of their time, in ns, and nest. A beginning is put
    /// together where it will stand: each of these takes where the last one ended, and put() ends
    /// it.
    [[nodiscard]] char* begin(std::uint64_t ns, track on, const char* name)
    {
        using namespace packet_bytes;
        m_on = on;
        m_event = begin_event(m_tracks[on], ns);
        char* const at = put_number<track_event::type>(m_event, slice_begin);
        return put_number<track_event::name_iid>(at, m_events.find(name, on).number);
    }
    [[nodiscard]] char* number(char* at, const char* name, std::uint64_t value)
    {
        const interned_names::known& n = m_arguments.find(name, m_on);
        std::memcpy(at, n.start.data(), n.start.size());
        char* const inside = at + 2;
        return packet_bytes::put_length(inside, packet_bytes::put_varint(at + n.length, value));
    }
    [[nodiscard]] char* text(char* at, const char* name, std::string_view value)
    {
        using namespace packet_bytes;
        const interned_names::known& n = m_arguments.find(name, m_on);
        std::memcpy(at, n.start.data(), n.start.size());
        char* const inside = at + 2;
        at += n.length - 1; // another key than that of a number
        return put_length(inside,
                          put_bytes<annotation::string_value>(at, value.data(), value.size()));
    }
    [[nodiscard]] static char* flow(char* at, std::uint64_t id)
    {
        return packet_bytes::put_fixed<packet_bytes::track_event::flow_ids>(at, id);
    }
    void put(char* at)
    {
        at = packet_bytes::put_length(m_event, at);
        if (m_events.fresh() || m_arguments.fresh()) {
            at = put_names(at);
        }
        placed(packet_bytes::put_length(fields(), at));
    }
    void end(std::uint64_t ns, track on)
    {
        using namespace packet_bytes;
        char* const event = begin_event(m_tracks[on], ns);
        char* const at = put_number<track_event::type>(event, slice_end);
        placed(put_length(fields(), put_length(event, at)));
    }
    void count(std::uint64_t ns, track on, double value);

    /// Hands on what was not yet.
    void finish();

private:
    struct sequence {
        std::array<char, 16> start{}; // of the packet of an event, up to its time
        std::size_t length = 0;       // of it
        std::uint64_t now = 0;        // of its latest event, in ns
    };

    // An event with as many arguments as a request has, and their names, fit in it.
    static constexpr std::size_t longest_packet = 4096;
    // Bytes that are handed on at once: so few that they stay in the cache of a core.
    static constexpr std::size_t piece = 1u << 16;

    /// Where the fields of the next packet go: behind its key, and one byte for its length.
    [[nodiscard]] char* fields() { return place() + 2; }
    /// Where the fields of an event of that time go, in the next packet, likewise.
    [[nodiscard]] char* begin_event(sequence& of, std::uint64_t ns)
    {
        using namespace packet_bytes;
        std::memcpy(place(), of.start.data(), of.start.size());
        char* const at = put_varint(place() + of.length, ns - of.now);
        of.now = ns;
        return put_key<trace_packet::track_event, pbf_wire_type::length_delimited>(at) + 1;
    }
    [[nodiscard]] char* place() { return m_out.data() + m_length; }
    void placed(char* end)
    {
        m_length = static_cast<std::size_t>(end - m_out.data());
        if (m_length >= piece) {
            hand_on();
        }
    }
    track add(const std::string& name, track parent, const std::string* unit);
    void put_rarely(const std::string& packet);
    char* put_names(char* at);
    void hand_on();

    taker m_to;
    std::vector<char> m_out; // a piece, and room for the packet that ends it
    std::size_t m_length = 0;
    char* m_event = nullptr; // being put together
    track m_on = 0;          // ... on it
    interned_names m_events;
    interned_names m_arguments;
    std::vector<sequence> m_tracks{1}; // by number; there is no 0
};

} // namespace ssdvp::platform
