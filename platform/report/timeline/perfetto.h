// SPDX-License-Identifier: Apache-2.0
//
// Packets of a Perfetto trace (protobuf, perfetto/trace/trace.proto): tracks, slices, counters and
// flows, as ui.perfetto.dev opens them. Names are literals: each is written once, and told apart by
// where it lies. An event is put together where it is written from, and allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
        char* at = put_number<trace_packet::sequence_flags>(fields(), needs_state);
        m_event = begin_event(at, ns);
        at = put_number<track_event::type>(m_event, slice_begin);
        at = put_number<track_event::name_iid>(at, m_events.number_of(name));
        return put_number<track_event::track_uuid>(at, on);
    }
    [[nodiscard]] char* number(char* at, const char* name, std::uint64_t value)
    {
        using namespace packet_bytes;
        char* const inside =
            put_key<track_event::annotation, pbf_wire_type::length_delimited>(at) + 1;
        at = put_number<annotation::name_iid>(inside, m_arguments.number_of(name));
        return put_length(inside, put_number<annotation::uint_value>(at, value));
    }
    [[nodiscard]] char* text(char* at, const char* name, std::string_view value)
    {
        using namespace packet_bytes;
        char* const inside =
            put_key<track_event::annotation, pbf_wire_type::length_delimited>(at) + 1;
        at = put_number<annotation::name_iid>(inside, m_arguments.number_of(name));
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
        char* const packet = fields();
        char* const event = begin_event(packet, ns);
        char* const type_end = put_number<track_event::type>(event, slice_end);
        char* const at = put_number<track_event::track_uuid>(type_end, on);
        placed(put_length(packet, put_length(event, at)));
    }
    void count(std::uint64_t ns, track on, double value);

    /// Hands on what was not yet.
    void finish();

private:
    class names {
    public:
        explicit names(std::uint32_t field) : m_field(field) {}
        std::uint64_t number_of(const char* name)
        {
            // Where a literal lies says where to look first; what is there may be another one.
            known& k = m_recent[reinterpret_cast<std::uintptr_t>(name) / 4 % m_recent.size()];
            return k.name == name ? k.number : look_up(name, k);
        }
        /// Names that are told for the first time.
        [[nodiscard]] bool fresh() const { return !m_fresh.empty(); }
        void put_fresh(protozero::pbf_writer& data);

    private:
        struct known {
            const char* name = nullptr;
            std::uint64_t number = 0;
        };
        std::uint64_t look_up(const char* name, known& k);

        std::uint32_t m_field; // of InternedData
        std::array<known, 512> m_recent{};
        std::unordered_map<const char*, std::uint64_t> m_all;
        std::vector<known> m_fresh;
    };

    // An event with as many arguments as a request has, and their names, fit in it.
    static constexpr std::size_t longest_packet = 4096;
    static constexpr std::size_t piece = 1u << 20; // bytes that are handed on at once

    /// Where the fields of the next packet go: behind its key, and one byte for its length.
    [[nodiscard]] char* fields()
    {
        return packet_bytes::put_key<packet_bytes::trace::packet,
                                     protozero::pbf_wire_type::length_delimited>(place()) +
               1;
    }
    /// Where the fields of an event of that time go, likewise; `at`: in its packet.
    [[nodiscard]] static char* begin_event(char* at, std::uint64_t ns)
    {
        using namespace packet_bytes;
        at = put_number<trace_packet::timestamp>(at, ns);
        at = put_number<trace_packet::sequence_id>(at, sequence);
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
    void put_rarely(const std::string& packet);
    char* put_names(char* at);
    void hand_on();

    taker m_to;
    std::vector<char> m_out; // a piece, and room for the packet that ends it
    std::size_t m_length = 0;
    char* m_event = nullptr; // being put together
    names m_events;
    names m_arguments;
    std::uint64_t m_tracks = 0;
};

} // namespace ssdvp::platform
