// SPDX-License-Identifier: Apache-2.0
//
// A record as a Perfetto trace: requests, tracks of the blocks, counters, and the flow of each
// request through what was done for it. It is written while the record goes on: of each track what
// is over and settled, in order of its beginnings. Only a track is in order of time, the file is
// not; Perfetto sorts what it reads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/report/series.h"
#include "platform/report/timeline/number_sort.h"
#include "platform/report/timeline/perfetto.h"
#include "platform/report/timeline/record.h"

namespace ssdvp::platform {

class timeline_layout {
public:
    timeline_layout(const std::vector<timeline_record::track_name>& tracks,
                    const perfetto_writer::taker& to);

    /// Work, of one track in any order; what comes after it was settled may get a lane of its own.
    void add(const timeline_entry& e);
    /// In order of completion.
    void add(const host::request_result& r);
    /// What is over by `until` is known.
    void settle(sim_time until);
    /// The rest. What begins after `until` is not shown. `pieces`: of the measured part, which
    /// began at `zero`; empty: no counters of the drive.
    void finish(sim_time until, const std::vector<series_piece>& pieces, sim_time zero);

private:
    /// Lanes of a track, which hold one thing at a time: its own, and more where work overlaps.
    struct lanes {
        perfetto_writer::track group = 0;
        std::string name;
        std::vector<std::pair<perfetto_writer::track, sim_time>> all; // and when each is free
    };
    struct track {
        lanes drawn_on;
        std::vector<timeline_entry> held; // in order up to `sorted`
        std::size_t drawn = 0;            // of them
        std::size_t sorted = 0;
    };
    perfetto_writer::track add_lane(lanes& l);
    perfetto_writer::track place(lanes& l, sim_time begin, sim_time end);
    perfetto_writer::track place_ended(lanes& l, sim_time begin, sim_time end);
    static void sort(track& t);
    void settle(track& t, sim_time until);
    void draw(track& t, const timeline_entry& e);
    char* tell(char* at, const host::request_result& r);
    char* tell(char* at, const timeline_slice& s);
    char* exact(char* at, sim_time begin, sim_time end);
    [[nodiscard]] static char* lead(char* at, std::uint32_t command);
    void write_counters(const std::vector<series_piece>& pieces, sim_time zero);
    void write_pieces(const std::vector<series_piece>& pieces, sim_time zero);

    perfetto_writer m_writer;
    perfetto_writer::track m_requests;
    perfetto_writer::track m_counters;
    std::vector<track> m_tracks;
    std::map<std::uint16_t, lanes> m_queues;
    std::vector<numbered_thing<int>> m_changes; // of the requests in flight, by ps
    std::array<std::string_view, FLASH_PURPOSES> m_purposes;
};

} // namespace ssdvp::platform
