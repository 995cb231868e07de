// SPDX-License-Identifier: Apache-2.0
//
// Packets of a Perfetto trace (protobuf, perfetto/trace/trace.proto): tracks, slices, counters and
// flows, as ui.perfetto.dev opens them. Names are literals: each is
// written once, and told apart by where it lies.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/time.h"

namespace ssdvp::platform {

class perfetto_writer {
public:
    using track = std::uint64_t;
    struct argument {
        const char* name;
        std::uint64_t value;
    };
    struct text_argument {
        const char* name;
        const char* value;
    };
    struct event {
        track on = 0;
        const char* name = nullptr;
        std::uint64_t flow = 0; // 0: none
        std::vector<argument> numbers;
        std::vector<text_argument> texts;
    };

    perfetto_writer();

    /// Groups and tracks stand in the order in which they are added. `parent` 0: none.
    track add_track(const std::string& name, track parent);
    track add_counter(const std::string& name, const std::string& unit, track parent);

    /// Events in order of their time. Those of one track nest. Times are in ns; the rest of a
    /// picosecond is dropped.
    void begin(sim_time t, const event& e);
    void end(sim_time t, track on);
    void count(sim_time t, track on, double value);

    /// What was written since it was last taken.
    [[nodiscard]] std::string take();

private:
    struct names {
        std::unordered_map<const char*, std::uint64_t> known;
        std::vector<const char*> fresh; // to be written
    };
    std::uint64_t intern(names& n, const char* name);
    void put_names(names& n, std::uint32_t field, protozero::pbf_writer& data);
    void put_event(const event& e, protozero::pbf_writer& w);

    std::string m_out;
    names m_events;
    names m_arguments;
    std::uint64_t m_tracks = 0;
};

} // namespace ssdvp::platform
