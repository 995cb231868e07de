// SPDX-License-Identifier: Apache-2.0
//
// Whose a command slot of a front end is, firmware's or nobody's, and what it last held: tells a
// command that is completed twice, or never, by its name.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp {

struct command_owner {
    static constexpr std::uint16_t no_queue = 0xFFFF;
    bool firmware = false;          // it was handed over, and its completion is not ordered
    bool dropped = false;           // a reset took it from firmware, which may not know yet
    bool told = false;              // that it is not completed
    sim_time since;                 // of the last change
    std::uint64_t ended_before = 0; // commands that had ended when this one was handed over
    // The last command that firmware has completed:
    std::uint64_t last_lba = 0;
    std::uint16_t last_number = 0; // command identifier, or tag
    std::uint16_t last_queue = 0;  // no_queue: the interface has none
    std::uint8_t last_opcode = 0;

    void hand_over(sim_time t, std::uint64_t ended)
    {
        firmware = true;
        dropped = told = false;
        since = t;
        ended_before = ended;
    }
    void drop()
    {
        dropped = dropped || firmware;
        firmware = false;
    }
};

} // namespace ssdvp
