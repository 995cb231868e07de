// SPDX-License-Identifier: Apache-2.0
//
// Whose a command slot of a front end is, firmware's or nobody's, and what it last held: tells a
// command that is completed twice, or never, by its name.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/time.h"

namespace ssdvp {

// Commands of each kind that firmware has taken so far, and those of them that are its no more.
struct command_order {
    static constexpr std::uint16_t admin = 0x100; // + opcode: NVMe commands of queue 0
    std::array<std::uint64_t, 0x200> taken{};
    std::array<std::uint64_t, 0x200> ended{};
};

struct command_owner {
    static constexpr std::uint16_t no_queue = 0xFFFF;
    bool firmware = false;   // it was handed over, and its completion is not ordered
    bool dropped = false;    // a reset took it from firmware, which may not know yet
    bool told = false;       // that it is not completed
    sim_time since;          // of the last change
    std::uint64_t order = 0; // commands of its kind that were taken before it
    std::uint16_t kind = 0;  // its opcode
    // The last command that firmware has completed:
    std::uint64_t last_lba = 0;
    std::uint16_t last_number = 0; // command identifier, or tag
    std::uint16_t last_queue = 0;  // no_queue: the interface has none
    std::uint8_t last_opcode = 0;

    void hand_over(sim_time t, std::uint16_t what, command_order& all)
    {
        firmware = true;
        dropped = told = false;
        since = t;
        kind = what;
        order = all.taken[kind]++;
    }
    void end(sim_time t, command_order& all)
    {
        firmware = false;
        since = t;
        ++all.ended[kind];
    }
    void drop(command_order& all)
    {
        all.ended[kind] += firmware ? 1 : 0;
        dropped = dropped || firmware;
        firmware = false;
    }
};

} // namespace ssdvp
