// SPDX-License-Identifier: Apache-2.0
//
// What the wires of a flash bus do for a while, as one value of a level (models/common/timeline.h):
// which kind of cycles, how many, and the opcode on DQ.
#pragma once

#include <cstdint>

namespace ssdvp::flash {

struct wire_phase {
    enum kind : std::uint8_t {
        idle,
        command,  // CLE, with `opcode` on DQ
        address,  // ALE
        wait,     // tADL, tCCS, tWHR or tRR: nothing changes
        data_in,  // `cycles` is not told: there may be thousands
        data_out, // likewise
    };
    kind what = idle;
    std::uint8_t cycles = 0; // of the phase's length
    std::uint8_t opcode = 0;

    [[nodiscard]] constexpr std::uint64_t value() const
    {
        return what | std::uint64_t{cycles} << 8 | std::uint64_t{opcode} << 16;
    }
    [[nodiscard]] static constexpr wire_phase of(std::uint64_t value)
    {
        return {static_cast<kind>(value & 0xFF), static_cast<std::uint8_t>(value >> 8),
                static_cast<std::uint8_t>(value >> 16)};
    }
};

constexpr const char* wire_phase_names[] = {"idle", "command", "address",
                                            "wait", "data_in", "data_out"};

} // namespace ssdvp::flash
