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

    /// Events in order of their time, in ns. Those of one track nest. A beginning is put together:
    /// its track and name, what is known of it, its time.
    void event(track on, const char* name);
    void number(const char* name, std::uint64_t value);
    void text(const char* name, std::string_view value);
    void flow(std::uint64_t id);
    void begin(std::uint64_t ns);
    void end(std::uint64_t ns, track on);
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

    // What an event with as many arguments as a request has takes, and the longest packet.
    static constexpr std::size_t longest_event = 1024;
    static constexpr std::size_t longest_packet = longest_event + 64;
    static constexpr std::size_t piece = 1u << 20; // bytes that are handed on at once

    void put_rarely(const std::string& packet);
    void put_names();
    /// Room for a packet.
    char* place();
    void placed(char* end);

    taker m_to;
    std::vector<char> m_out; // a piece, and room for the packet that ends it
    std::size_t m_length = 0;
    std::array<char, longest_event> m_event; // being put together
    char* m_event_end = nullptr;
    names m_events;
    names m_arguments;
    std::uint64_t m_tracks = 0;
};

} // namespace ssdvp::platform
