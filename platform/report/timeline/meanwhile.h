// SPDX-License-Identifier: Apache-2.0
//
// What the LUN and the bus of a request did while it waited. Time is told once: of pieces that
// overlap, the one that began first has it. So what others took and what the request's own
// operation took never exceed the time from its arrival to the end of its flash operation.
#pragma once

#include <cstddef>
#include <vector>

#include "models/host/request.h"
#include "platform/report/timeline/flash_history.h"

namespace ssdvp::platform {

struct meanwhile_piece {
    enum kind : std::uint8_t {
        on_lun,
        on_bus,
        on_drive // of a request without a LUN: the mean over all LUNs of what such work took
    };
    static constexpr const char* others = "others";   // pieces that were too short to be told
    static constexpr const char* unknown = "unknown"; // so long ago that nobody knows

    flash_piece what; // on_drive, others, unknown: without a place and times
    sim_time overlap; // of the request's wait
    kind where = on_lun;
};

class meanwhile {
public:
    static constexpr std::size_t told = 16; // pieces of the LUN, and of the bus; the longest ones

    [[nodiscard]] flash_history& history() { return m_history; }
    /// In order of their beginnings, what is the rest of them last.
    void find(const host::request_result& r, std::vector<meanwhile_piece>& found);

private:
    void find_at(const flash_history::place& p, const host::request_result& r,
                 std::vector<meanwhile_piece>& found);
    void find_anywhere(const host::request_result& r, std::vector<meanwhile_piece>& found);
    sim_time attribute(const flash_history::place& p, sim_time begin, sim_time end);
    void tell_longest(meanwhile_piece::kind where, std::vector<meanwhile_piece>& found);

    flash_history m_history;
    // Of one place of one request, used again.
    std::vector<flash_piece> m_around;
    std::vector<meanwhile_piece> m_pieces;
    std::vector<sim_time> m_lengths;
};

} // namespace ssdvp::platform
