// SPDX-License-Identifier: Apache-2.0
//
// Commands on the wires of a DRAM, for who watches them.
#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace ssdvp::dram {

enum class dram_command : std::uint8_t { ACT, RD, WR, PRE, PREA, REF, count };

struct command {
    sim_time when;
    dram_command what = dram_command::PREA;
    std::uint32_t bank = 0;  // not of PREA and REF
    std::uint32_t group = 0; // of the bank
    std::uint64_t row = 0;   // of ACT, RD and WR
};

class command_log {
public:
    virtual ~command_log() = default;
    /// A command that will happen as told. Commands come in any order ...
    virtual void note(const command& c) = 0;
    /// ... but all those before `t` have come.
    virtual void settled(sim_time t) = 0;
    /// Power went at `t`: what was noted for later does not happen.
    virtual void cut(sim_time t) = 0;
};

} // namespace ssdvp::dram
