// SPDX-License-Identifier: Apache-2.0
//
// An erase (ISPE) or program (ISPP) as a train of equal loops, and where it may stop.
// A loop is ramp, execution, recovery and verify (Kim, Seo, Kim, J. KICS 50(9), 2025, 2.2). Safe
// points divide the execution evenly; the end of a loop is one in any case.
#pragma once

#include <cstdint>
#include <optional>

#include "models/common/time.h"

namespace ssdvp::flash {

struct pulse_train {
    sim_time length;               // of all loops
    sim_time loop;                 // not zero; the last one takes what is left of the length
    std::uint32_t safe_points = 0; // per loop; 0 = anywhere
    sim_time ramp;                 // of a loop, before execution
    sim_time recovery;             // of a loop, after execution
    sim_time done;                 // executed before `resumed`
    sim_time resumed;              // since when it runs

    /// When it ends, unless it is stopped.
    [[nodiscard]] sim_time finish() const { return resumed + (length - done); }
    /// When it stops for a suspend that was asked for at `asked`: at the next safe point, at least
    /// one after the one it resumed from. Nothing = it runs to its end.
    [[nodiscard]] std::optional<sim_time> stop(sim_time asked) const;

private:
    [[nodiscard]] sim_time next_safe_point(sim_time progress) const;
};

} // namespace ssdvp::flash
