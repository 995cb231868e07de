// SPDX-License-Identifier: Apache-2.0
//
// The way of one program through its channel, for commands that wait for it (latency_ledger.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/common/latency_part.h"

namespace ssdvp {

/// What a program of the flash went through in its channel.
struct program_stamps {
    struct stamp {
        latency_part part;
        sim_time until;
    };
    static constexpr std::size_t most = 12; // at the channel: five kinds of waits, and what follows
    latency_part held = latency_part::wait_core;
    std::uint8_t count = 0;
    sim_time arrival;
    std::array<stamp, most> stamps{};

    [[nodiscard]] sim_time end() const { return count == 0 ? arrival : stamps[count - 1u].until; }
    void add(latency_part part, sim_time t)
    {
        if (t > end() && count < most) {
            stamps[count++] = {part, t};
        }
    }
};

} // namespace ssdvp
