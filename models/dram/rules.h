// SPDX-License-Identifier: Apache-2.0
//
// The timing rules of a DRAM's commands as a table: which command may follow which, and how soon.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/dram/bank_timing.h"
#include "models/dram/command_log.h"

namespace ssdvp::dram {

enum class reach : std::uint8_t {
    bank,  // commands to the same bank
    group, // ... to a bank of its group
    all    // ... to any bank, and those to all
};

struct rule {
    const char* name; // as the standards have it
    dram_command from;
    dram_command to;
    reach scope;
    sim_time (*value)(const bank_timing&);
};

constexpr std::size_t rule_count = 25;
/// At least `value` between the two. tFAW, tREFI and the states of rows are in the checker.
[[nodiscard]] const std::array<rule, rule_count>& rules();
[[nodiscard]] const char* name_of(dram_command c);

} // namespace ssdvp::dram
