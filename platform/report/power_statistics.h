// SPDX-License-Identifier: Apache-2.0
//
// What a report knows about power cycles.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::platform {

/// What power cuts and shutdowns did.
struct power_statistics {
    std::uint64_t cuts = 0;
    std::uint64_t shutdowns = 0;
    std::uint64_t torn_pages = 0;  // their program did not end
    std::uint64_t torn_blocks = 0; // their erase did not end
    std::uint64_t lost_requests = 0;
    std::uint64_t verified_sectors = 0;
};

/// What was in one count and not yet in the other when power went: operations that the dies had
/// done and the channels could not tell any more, and bytes that firmware had counted as written
/// and no channel as programmed (modulo 2^64: it may be the other way round).
struct untold_statistics {
    std::uint64_t reads = 0;
    std::uint64_t programs = 0;
    std::uint64_t erases = 0;
    std::uint64_t bytes = 0;
};

/// Times of the power cycles, from power-on.
struct power_times {
    struct duration {
        std::uint64_t count = 0;
        sim_time sum;
        sim_time max;
        void add(sim_time t)
        {
            ++count;
            sum += t;
            max = later(max, t);
        }
    };
    duration ready;      // until CSTS.RDY
    duration first_read; // until the first read has completed
};

} // namespace ssdvp::platform
