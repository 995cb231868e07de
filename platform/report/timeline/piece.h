// SPDX-License-Identifier: Apache-2.0
//
// A part of a record, as it is handed on while the record grows: what was told meanwhile, and the
// requests that completed. Its length goes by their numbers, so it is the same in each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/timeline.h"
#include "models/host/request.h"

namespace ssdvp::platform {

struct timeline_entry {
    std::uint32_t track = 0;
    std::uint32_t command = 0; // of the host, that the slice is for (latency_place); 0: of none
    timeline_slice slice;

    timeline_entry() = default;
    timeline_entry(std::uint32_t on, std::uint32_t of_command, const timeline_slice& s)
        : track(on), command(of_command), slice(s)
    {}
    /// Or of a level: its value from slice.begin on.
    [[nodiscard]] bool is_level() const { return slice.name == nullptr; }
    [[nodiscard]] std::uint64_t value() const { return slice.details.front().value; }
};

struct timeline_piece {
    // So short that those under way stay in the cache of a core.
    static constexpr std::size_t most_slices = 1024;
    static constexpr std::size_t most_requests = 256;

    std::vector<timeline_entry> slices;
    std::vector<host::request_result> requests;
    sim_time from;    // what ends before it is not in the window
    sim_time settled; // what is told later is hardly over by then

    /// An empty one that need not grow.
    [[nodiscard]] static timeline_piece make()
    {
        timeline_piece p;
        p.slices.reserve(most_slices);
        p.requests.reserve(most_requests);
        return p;
    }
    [[nodiscard]] bool full() const
    {
        return slices.size() == most_slices || requests.size() == most_requests;
    }
    void clear()
    {
        slices.clear();
        requests.clear();
    }
};

class piece_taker {
public:
    virtual ~piece_taker() = default;
    /// Takes it, and gives an empty one for it.
    virtual timeline_piece take(timeline_piece piece) = 0;
};

} // namespace ssdvp::platform
