// SPDX-License-Identifier: Apache-2.0
//
// Where in the drive a host command was, and what it waited behind for longest.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp {

/// What a command waits behind: an operation of a LUN, or that work gives room to its data.
enum class blocking_work : std::uint8_t { none, read, program, erase, room };
constexpr std::array<const char*, 5> blocking_work_names = {"none", "read", "program", "erase",
                                                            "room"};

struct blocker {
    blocking_work work = blocking_work::none;
    std::uint8_t purpose = 0; // FLASH_PURPOSE_*
};

struct latency_place {
    static constexpr std::uint16_t nowhere = 0xFFFF;
    std::uint16_t channel = nowhere; // of the flash operation that ended last
    std::uint16_t lun = nowhere;
    std::uint16_t slot = nowhere; // of the front end
    std::uint32_t command = 0;    // which one of all that had a slot, from 1; 0: it had none
    blocker behind;               // of the longest wait
    sim_time ended;               // that operation
    sim_time blocked;             // the longest wait behind one piece of work

    /// A flash operation of the command ends at `t`.
    void visit(std::uint16_t on_channel, std::uint16_t on_lun, sim_time t)
    {
        if (t >= ended) {
            channel = on_channel;
            lun = on_lun;
            ended = t;
        }
    }
    void wait(blocker b, sim_time time)
    {
        if (time > blocked) {
            behind = b;
            blocked = time;
        }
    }
};

} // namespace ssdvp
